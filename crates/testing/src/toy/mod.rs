//! A toy mechanism that uses every kind of release of the vault, with or without a planted bug.
//!
//! It tests the battery: the clean mechanism must pass, and every bug must raise an alarm. The
//! mechanisms with bugs work, and their output looks as good as that of the clean one, but they
//! leak.

mod bug;
mod model;

use std::error::Error;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::Mutex;

use scumble_schema::{AttributeId, Clique, Domain, Schema};
use scumble_vault::account::Selecting;
use scumble_vault::score::{L1Error, Score, TotalVariation, Undercharged};
use scumble_vault::{Accounting, AddRemove, Adjacency, Budget, NoisyTable, ReplaceOne, Vault, VaultError};

pub use self::bug::Bug;
use self::model::{Model, Table};
use crate::artefacts::Artefacts;
use crate::row_source::RowSource;
use crate::subject::Subject;

/// Standard deviations of its noise that a count must reach to be believed.
const MIN_BELIEVED_DEVIATIONS: f64 = 2.0;

/// The toy mechanism.
///
/// Phase one measures the number of rows (unless it is public) and every column. Columns with at
/// least two believed codes make candidate pairs, if their table is not too large for the noise.
/// Phase two selects one pair by its distance from independence and one by the error of the product
/// of its columns, measures both, and measures how well the columns fit them.
#[derive(Debug, Default)]
pub struct Toy {
    bug: Option<Bug>,
    /// The rows of the next run, which a planted bug reads.
    seen: Mutex<Option<RowSource>>,
}

impl Toy {
    /// Makes the mechanism without a bug.
    pub fn clean() -> Self {
        Self::default()
    }

    /// Makes the mechanism with a bug.
    pub fn with(bug: Bug) -> Self {
        Self { bug: Some(bug), ..Self::default() }
    }

    /// Returns the rows if this bug is planted, for the decision that it leaks into.
    fn rows_for(&self, bug: Bug) -> Option<RowSource> {
        if self.bug == Some(bug) { self.seen.lock().expect("no run panics").clone() } else { None }
    }

    /// Returns the number of rows that a decision uses: the released one, or the exact one if this
    /// bug is planted.
    fn rows_unless(&self, bug: Bug, released: u64) -> u64 {
        self.rows_for(bug).map_or(released, |exact| exact.rows().len() as u64)
    }
}

/// How the number of rows is found.
trait KnowsRows<M: Accounting>: Adjacency + Sized {
    fn rows(vault: &mut Vault<Self, M>, budget: Budget<Self, M>) -> Result<u64, VaultError>;
}

impl<M: Accounting> KnowsRows<M> for AddRemove {
    fn rows(vault: &mut Vault<Self, M>, budget: Budget<Self, M>) -> Result<u64, VaultError> {
        let tables = vault.measure(&[Clique::empty()], budget)?;
        Ok(u64::try_from(tables[0].values()[0]).unwrap_or(0))
    }
}

impl<M: Accounting> KnowsRows<M> for ReplaceOne {
    fn rows(vault: &mut Vault<Self, M>, _budget: Budget<Self, M>) -> Result<u64, VaultError> {
        vault.row_count().map(|rows| *rows)
    }
}

impl<A: KnowsRows<M>, M: Selecting> Subject<A, M> for Toy
where
    TotalVariation: Score<A>,
    L1Error: Score<A>,
{
    fn run(&self, mut vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        const SHARES: NonZeroUsize = NonZeroUsize::new(6).expect("six is not zero");
        let shares: [Budget<A, M>; SHARES.get()] =
            budget.split_evenly(SHARES).try_into().expect("the budget is split in six");
        let [for_rows, for_columns, for_dependence, for_error, for_tables, for_quality] = shares;
        let inferred =
            self.rows_for(Bug::DomainFromData).map(|rows| bug::observed_domain(rows.rows(), schema.domain()));
        let domain = inferred.as_ref().unwrap_or(schema.domain());
        let mut log = String::new();

        let rows = A::rows(&mut vault, for_rows)?;
        let columns = vault.measure(&domain.one_way(), for_columns)?;
        writeln!(log, "{} rows in {} columns", self.rows_unless(Bug::RowsInLog, rows), columns.len())?;

        let pairs = self.candidates(domain, rows, &columns);
        writeln!(log, "{} candidate pairs", pairs.len())?;
        let dependences: Vec<TotalVariation> = pairs.iter().copied().map(dependence).collect::<Result<_, _>>()?;
        let dependent = if self.bug == Some(Bug::HalfSensitivity) {
            let undercharged: Vec<_> = dependences.into_iter().map(Undercharged).collect();
            vault.select(&undercharged, for_dependence)?
        } else {
            vault.select(&dependences, for_dependence)?
        };
        let expected_rows = self.rows_unless(Bug::RowsInScore, rows);
        let errors = pairs.iter().map(|&pair| product_error(pair, &columns, expected_rows));
        let errors: Vec<L1Error> = errors.collect::<Result<_, _>>()?;
        let unfit = vault.select(&errors, for_error)?;

        let chosen = if *dependent == *unfit { vec![*dependent] } else { vec![*dependent, *unfit] };
        let cliques: Vec<Clique> = chosen.iter().map(|&index| Clique::new(pairs[index])).collect();
        writeln!(log, "chose {cliques:?}")?;
        let measured = vault.measure(&cliques, for_tables)?;
        let chosen_errors: Vec<L1Error> = chosen.iter().map(|&index| errors[index].clone()).collect();
        let quality = vault.measure_scores(&chosen_errors, for_quality)?;
        writeln!(log, "independent columns are off by about {:?} rows", quality.values())?;

        let mut tables: Vec<Table> = measured.iter().map(Table::of).collect();
        if let Some(exact) = self.rows_for(Bug::ObservedCells) {
            bug::keep_observed(&mut tables, &exact);
        }
        let columns = columns.iter().map(Table::of).collect();
        let mut model = Model { domain: domain.clone(), rows, columns, tables, certificate: vault.close() };
        let synthetic = model.sample(self.rows_unless(Bug::OutputRows, rows));
        if let Some(exact) = self.rows_for(Bug::RawTable) {
            bug::keep_exact(&mut model.tables, &exact);
        }
        Ok(Artefacts::new().with("model", model.to_json()).with("synthetic rows", synthetic).with("log", log))
    }

    fn leak(&self, rows: RowSource) -> RowSource {
        let Some(bug) = self.bug else { return rows };
        *self.seen.lock().expect("no run panics") = Some(rows.clone());
        // A domain inferred from the data is also the one to count over.
        if bug == Bug::DomainFromData { bug::over_observed_domain(&rows) } else { rows }
    }
}

impl Toy {
    /// Returns the pairs of columns that are worth a table, by released values, or all pairs if
    /// none is.
    fn candidates(&self, domain: &Domain, rows: u64, columns: &[NoisyTable]) -> Vec<[AttributeId; 2]> {
        let noise = columns[0].standard_deviation();
        let raw = self.rows_for(Bug::RawThreshold);
        let varies = |attribute: &AttributeId| {
            let column = &columns[attribute.index()];
            let counts = match &raw {
                Some(exact) => exact.counts(column.clique()).into_iter().map(u64::cast_signed).collect(),
                None => column.values().to_vec(),
            };
            counts.into_iter().filter(|&count| to_f64(count) >= MIN_BELIEVED_DEVIATIONS * noise).count() >= 2
        };
        // A table of more cells has on average fewer rows per cell than four standard deviations.
        let tau = to_f64(self.rows_unless(Bug::TauFromRows, rows).cast_signed()) / (4.0 * noise);
        let small =
            |pair: &[AttributeId; 2]| pair.iter().map(|&one| f64::from(domain.size(one))).product::<f64>() <= tau;
        let worth: Vec<_> = all_pairs(domain.attributes().filter(varies)).into_iter().filter(small).collect();
        if worth.is_empty() { all_pairs(domain.attributes()) } else { worth }
    }
}

fn all_pairs(attributes: impl Iterator<Item = AttributeId>) -> Vec<[AttributeId; 2]> {
    let attributes: Vec<_> = attributes.collect();
    let pairs = attributes.iter().enumerate().flat_map(|(index, &b)| attributes[..index].iter().map(move |&a| [a, b]));
    pairs.collect()
}

fn dependence([a, b]: [AttributeId; 2]) -> Result<TotalVariation, VaultError> {
    TotalVariation::between(Clique::single(a), Clique::single(b))
}

/// Returns the error of a pair against the product of its columns, scaled to `rows` rows.
fn product_error(pair: [AttributeId; 2], columns: &[NoisyTable], rows: u64) -> Result<L1Error, VaultError> {
    let [a, b] = pair.map(|attribute| Table::of(&columns[attribute.index()]).probabilities());
    let rows = to_f64(rows.cast_signed());
    let expected: Vec<f64> = a.iter().flat_map(|p| b.iter().map(move |q| rows * p * q)).collect();
    L1Error::against(Clique::new(pair), &expected)
}

fn to_f64(count: i64) -> f64 {
    count as f64
}
