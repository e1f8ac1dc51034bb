//! Description of a release for readers without knowledge of differential privacy: the first screen
//! of every published page.

use scumble_mechanisms::quality::{CheckedFigure, Figure, Tables};
use scumble_mechanisms::{Model, Origin};
use scumble_schema::{AdjacencyKind, Unit};
use scumble_vault::account::Noise;

use crate::explained::odds_in_lines;
use crate::noisy_table::{NoisyTable, noisy_tables};
use crate::odds::Odds;
use crate::public_page::{rows_in_words, smallest_reliable};
use crate::words::{grouped, real};

/// Common questions about a release and their answers, without jargon.
///
/// # Privacy
/// Post-processing: released values and public facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainWords {
    /// What the rows are.
    pub what: String,
    /// Who may have them.
    pub for_whom: String,
    /// What they are good for.
    pub good_for: String,
    /// What they are not good for.
    pub not_for: String,
    /// How close their counts are to the real ones.
    pub how_exact: String,
    /// What is promised to the people in the real table, and by whom.
    pub promise: String,
}

impl PlainWords {
    /// Describes the rows that are drawn from a model.
    pub fn new(model: &Model) -> Self {
        let tables = noisy_tables(model);
        let columns = model.schema().attributes().len();
        let about = if model.origin().has_public_rows() { "" } else { "about " };
        Self {
            what: format!(
                "Synthetic rows: made up, so that they resemble a real table of {about}{} rows and {} as a whole. None of them \
                 is taken from the real table, and none stands for a person.",
                grouped(model.rows()),
                if columns == 1 { "one column".into() } else { format!("{columns} columns") }
            ),
            for_whom: "Anybody: researchers, students, developers, journalists. This page and the synthetic rows may be published."
                .into(),
            good_for: "Getting to know the table, preparing an analysis, teaching, writing and testing programs, and shares of \
                       the values of a column that do not have to be exact."
                .into(),
            not_for: format!(
                "Statements about single people or small groups{}. Decisions about anybody. Relations between columns that were \
                 not measured, which the report lists. Figures that have to be exact: ask those who hold the real table.",
                tables_of_one(&tables)
                    .map(|table| format!(", of fewer than about {} rows", whole(smallest_reliable(table))))
                    .unwrap_or_default()
            ),
            how_exact: how_exact(model, &tables),
            promise: promise(model),
        }
    }

    /// Returns the questions and answers, in reading order.
    pub fn answers(&self) -> [(&'static str, &str); 6] {
        [
            ("What this is", &self.what),
            ("For whom", &self.for_whom),
            ("Good for", &self.good_for),
            ("Not for", &self.not_for),
            ("How exact", &self.how_exact),
            ("How people are protected", &self.promise),
        ]
    }
}

/// Returns the table of one column with the largest noise.
fn tables_of_one<'a, 'b>(tables: &'a [NoisyTable<'b>]) -> Option<&'a NoisyTable<'b>> {
    let of_one = tables.iter().filter(|table| table.clique.len() == 1);
    of_one.max_by(|left, right| left.error().total_cmp(&right.error()))
}

fn how_exact(model: &Model, tables: &[NoisyTable<'_>]) -> String {
    let Some(table) = tables_of_one(tables) else {
        return "Counts differ from the real ones by chance. By how much is not known for single columns: the section on reliability \
                says what is."
            .into();
    };
    let error = table.error();
    let share = 100.0 * error / real(model.rows().max(1));
    let of_all = if share >= 100.0 { "more than all rows".to_owned() } else { format!("{share:.1} % of the rows") };
    format!(
        "Counts were changed at random before anybody saw them, to protect people. The count of a value of one column is within {} of \
         the real one, or {of_all}, 19 times out of 20. Counts over several columns at once are less exact.{}",
        rows_in_words(error),
        compared(model).unwrap_or_default()
    )
}

/// Returns the mean error of tables over several columns, of the rows that were compared with the
/// real ones: over two columns, if that was measured.
fn compared(model: &Model) -> Option<String> {
    let checked = model.checked()?;
    let errors = checked.figures.iter().filter_map(|figure| match figure.figure {
        Figure::Tables { of: Tables::Order(order @ 2..), largest: false, within: None } => Some((order, figure)),
        _ => None,
    });
    let (order, figure) = errors.min_by_key(|(order, _)| *order)?;
    let in_percent =
        CheckedFigure { value: 100.0 * figure.value, half_width: 100.0 * figure.half_width, ..figure.clone() };
    let (value, half_width) = in_percent.shown();
    Some(format!(
        " {} synthetic rows were compared with the real ones: in a table over {order} columns, {value} % of them (± {half_width}) are \
         in a wrong cell, on average.",
        grouped(checked.rows)
    ))
}

fn whole(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows")]
    grouped(number.round() as u64)
}

/// States the promise, and who vouches for it.
fn promise(model: &Model) -> String {
    if model.certificate().is_some_and(|certificate| certificate.noise() == Noise::Forced) {
        return "NOT AT ALL: this comes from a test, in which nothing was changed at random.".into();
    }
    let privacy = model.schema().privacy();
    let (one, are, say) = match &privacy.unit {
        Unit::Row if privacy.max_contributions.get() == 1 => ("a row".to_owned(), "is", "it says"),
        Unit::Row => ("the rows of a person".to_owned(), "are", "they say"),
        Unit::Column(column) => (format!("the rows of one `{column}`"), "are", "they say"),
    };
    let odds = Odds::new(model).map_or_else(String::new, |odds| {
        let [suspicion, _] = odds_in_lines(&odds);
        format!(" How well it is hidden, in figures: for somebody who knows all the rest, {suspicion}.")
    });
    let whose = match model.origin() {
        Origin::Measured { .. } => "It is a mathematical promise, and the figures behind it can be checked",
        Origin::External(_) => {
            "This is declared by those who made the noisy tables, and was not checked by this program"
        }
    };
    let hidden = match privacy.adjacency {
        AdjacencyKind::AddRemove => format!("whether {one} {are} in the real table at all, nor what {say}"),
        AdjacencyKind::ReplaceOne => {
            format!("what {one} of the real table {}", if say == "it says" { "says" } else { "say" })
        }
    };
    format!("Chance was mixed in so that what is published does not show {hidden}.{odds} {whose}.")
}

#[cfg(test)]
mod tests {
    use scumble_mechanisms::{Method, fit};
    use scumble_schema::{Clique, Domain, Schema};
    use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

    use super::*;

    struct Coins(Domain);

    impl MarginalSource for Coins {
        fn domain(&self) -> &Domain {
            &self.0
        }

        fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
            let table = |clique: &Clique| CountTable::new(clique.clone(), vec![40_000, 60_000]);
            Ok(Private::new(cliques.iter().map(table).collect()))
        }
    }

    /// Words that need a course first.
    const JARGON: [&str; 12] = [
        "epsilon",
        "delta",
        "marginal",
        "Gaussian",
        "sigma",
        "domain",
        "clique",
        "privacy budget",
        "adjacen",
        "mechanism",
        "Laplace",
        "distribution",
    ];

    #[test]
    fn the_first_screen_has_figures_and_no_jargon() {
        let schema = Schema::parse("fields: [{name: heads, type: boolean, constraints: {required: true}}]").unwrap();
        let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        let source = Box::new(Coins(schema.domain().clone()));
        let words = PlainWords::new(&fit(&schema, source, &Method::INDEPENDENT, goal, None).unwrap());
        let lines = words.answers().into_iter().map(|(question, answer)| format!("{question}: {answer}"));
        let text = lines.collect::<Vec<_>>().join("\n");
        for word in JARGON {
            assert!(!text.contains(word), "`{word}` in: {text}");
        }
        assert!(words.how_exact.contains("19 times out of 20"), "{text}");
        assert!(words.promise.contains("a suspicion of 1 in 2 becomes at most"), "{text}");
        assert!(words.not_for.contains("of fewer than about "), "{text}");
    }
}
