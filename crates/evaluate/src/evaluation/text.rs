//! Summary for the terminal.

use std::fmt::{self, Display, Formatter};

use super::{ColumnFacts, CorrelationScores, Evaluation, MarginalScores, Measured, NistScores, SubgroupScores};
use crate::learning::LearningScores;
use crate::learning::propensity::PropensityScores;
use crate::relation::chi_square::ChiSquareTests;
use crate::relation::correlation::Measure;

/// Maximum number of tables or pairs in a list of the worst.
const MAX_WORST: usize = 3;

impl Display for Evaluation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        writeln!(formatter, "verdict: {}", self.verdict)?;
        let rows = &self.rows;
        writeln!(
            formatter,
            "{} real and {} synthetic rows, {} columns",
            rows.real,
            rows.synthetic,
            self.columns.len()
        )?;
        if rows.real_sampled < rows.real || rows.synthetic_sampled < rows.synthetic {
            writeln!(
                formatter,
                "everything but the tables was measured on {} real and {} synthetic rows, drawn at random",
                rows.real_sampled, rows.synthetic_sampled
            )?;
        }
        writeln!(formatter)?;
        self.marginals.fmt(formatter)?;
        self.correlations.fmt(formatter)?;
        self.subgroups.iter().try_for_each(|scores| scores.fmt(formatter))?;
        self.nist.fmt(formatter)?;
        self.learning.as_ref().map_or(Ok(()), |scores| learning(scores, &self.columns, formatter))?;
        self.propensity.as_ref().map_or(Ok(()), |scores| propensity(scores, formatter))?;
        self.chi_square.as_ref().map_or(Ok(()), |tests| chi_square(tests, formatter))?;
        write!(
            formatter,
            "\nBy chance alone: the score of rows drawn from the real table, as many as the synthetic table has."
        )
    }
}

impl Display for MarginalScores {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "distance of tables (0 the same, 1 nothing in common)")?;
        writeln!(formatter, "columns  tables     mean  by chance alone  largest")?;
        for order in &self.orders {
            writeln!(
                formatter,
                "{:>7}  {:>6}  {:.5}          {:.5}  {:.5}  {}",
                order.order,
                order.tables,
                order.mean.value,
                order.mean.achievable,
                order.largest.value,
                order.largest_of.join(", ")
            )?;
        }
        let mut worst: Vec<_> = self.worst.iter().chain(&self.columns).collect();
        worst.sort_by(|left, right| right.excess().total_cmp(&left.excess()));
        writeln!(formatter, "farthest beyond chance:")?;
        for table in worst.iter().take(MAX_WORST) {
            let Measured { value, achievable } = table.distance;
            writeln!(formatter, "  {value:.5}, by chance alone {achievable:.5}: {}", table.columns.join(", "))?;
        }
        writeln!(formatter)
    }
}

impl Display for CorrelationScores {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Some(Measured { value, achievable }) = self.mean_difference else {
            return writeln!(formatter, "correlations: no pair of columns varies in both tables\n");
        };
        writeln!(formatter, "correlations differ by {value:.4} on average, by chance alone {achievable:.4}; most:")?;
        for pair in self.worst.iter().take(MAX_WORST) {
            let measure = match pair.measure {
                Measure::Spearman => "rank correlation",
                Measure::CramersV => "Cramér's V",
            };
            let [first, second] = &pair.columns;
            writeln!(
                formatter,
                "  {first}, {second}: {measure} {:.3} real, {:.3} synthetic",
                pair.real, pair.synthetic
            )?;
        }
        writeln!(formatter)
    }
}

impl Display for SubgroupScores {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "k-marginal score by {} (of 1000)", self.column)?;
        for group in &self.groups {
            let Measured { value, achievable } = group.score;
            let rows = format!("{} real and {} synthetic rows", group.real_rows, group.synthetic_rows);
            writeln!(formatter, "  {value:>4.0}, by chance alone {achievable:>4.0}: {}, {rows}", group.value)?;
        }
        writeln!(formatter)
    }
}

fn learning(scores: &LearningScores, columns: &[ColumnFacts], formatter: &mut Formatter<'_>) -> fmt::Result {
    writeln!(formatter, "\npredicting real rows (share that is right), trained on {} rows", scores.real_training_rows)?;
    writeln!(formatter, "         linear             forest")?;
    writeln!(formatter, "   real  synthetic    real  synthetic  most frequent  column")?;
    for target in &scores.targets {
        let [linear, forest] = [&target.linear, &target.forest]
            .map(|learner| [learner.real_trained.accuracy, learner.synthetic_trained.accuracy]);
        writeln!(
            formatter,
            "  {:.3}      {:.3}   {:.3}      {:.3}          {:.3}  {}",
            linear[0],
            linear[1],
            forest[0],
            forest[1],
            target.majority.accuracy,
            columns[target.target.index()].name
        )?;
    }
    Ok(())
}

fn propensity(scores: &PropensityScores, formatter: &mut Formatter<'_>) -> fmt::Result {
    writeln!(
        formatter,
        "\ndistinguishing real from synthetic rows (area under the curve: 0.5 by guessing, 1 always right)"
    )?;
    for (learner, score) in [("linear", &scores.linear), ("forest", &scores.forest)] {
        let ratio = score.ratio.map_or_else(String::new, |ratio| format!("; pMSE {ratio:.2} times that"));
        writeln!(formatter, "  {learner:<6}  {:.3}, by chance alone {:.3}{ratio}", score.auc, score.achievable_auc)?;
    }
    Ok(())
}

fn chi_square(tests: &ChiSquareTests, formatter: &mut Formatter<'_>) -> fmt::Result {
    let share = |share: Option<f64>| share.map_or_else(|| "none".into(), |share| format!("{share:.3}"));
    writeln!(
        formatter,
        "\nchi-square tests: are two columns independent? {} pairs, level {}; each share is followed by that of rows drawn \
         from the real table: these repeat its chance relations and add others, so their false alarms are no goal",
        tests.synthetic.tested, tests.level
    )?;
    let lines = [
        ("same conclusion", tests.synthetic.agreeing, tests.achievable.agreeing),
        ("power that is kept", tests.synthetic.kept, tests.achievable.kept),
        ("false alarms", tests.synthetic.false_alarms, tests.achievable.false_alarms),
    ];
    for (name, value, achievable) in lines {
        writeln!(formatter, "  {name:<18}  {}, rows drawn from the real table {}", share(value), share(achievable))?;
    }
    Ok(())
}

impl Display for NistScores {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "NIST 2018 challenge (of 1000000)")?;
        let mut score = |name: &str, Measured { value, achievable }: Measured| {
            writeln!(formatter, "  {name:<14}  {value:>7.0}, by chance alone {achievable:>7.0}")
        };
        score("clustering", self.clustering)?;
        score("classification", self.classification)?;
        self.regression.as_ref().map_or(Ok(()), |regression| score("regression", regression.score))
    }
}
