#![doc = include_str!("marginals.md")]
//!
//! [`Model`]: crate::Model
//! [`Model::marginals`]: crate::Model::marginals
//! [`Origin`]: crate::Origin

mod error;
mod estimate;
mod export;
mod file;
mod statement;

use std::ops::RangeInclusive;

use scumble_pgm::Measurement;
use scumble_schema::{Clique, Domain, Schema, limits};
use serde::{Deserialize, Serialize};

pub use error::MarginalsError;
pub use estimate::fit;
pub use export::Exported;
pub use statement::{Loss, Statement};

/// Beyond this, neighbouring whole numbers are no longer told apart, and no table has as many rows.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;
/// Standard deviations that noise may have. Less than the least protects nobody, more than the most, 2^41, hides every table.
const NOISE: RangeInclusive<f64> = 1e-6..=2_199_023_255_552.0;
/// How many columns an error names.
const NAMED_COLUMNS: usize = 3;

/// Noisy tables that were made elsewhere, and what their maker says of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    statement: Statement,
    rows: Option<u64>,
    tables: Vec<Marginal>,
}

/// One noisy table that was made elsewhere: its counts, and the standard deviation of their noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginal {
    measurement: Measurement,
    noise: Option<NoiseKind>,
}

/// How the noise of a table was drawn, as its maker says. It is told and not used: estimation needs the standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoiseKind {
    /// Normal noise, rounded or not.
    Gaussian,
    /// Laplace noise with real values.
    Laplace,
    /// Laplace noise with whole values, also called two-sided geometric.
    Geometric,
}

impl Marginal {
    /// The table over `clique` with these counts, each with noise of this standard deviation.
    ///
    /// # Errors
    /// What is wrong with it, and what to do about that.
    pub fn new(
        domain: &Domain,
        clique: Clique,
        counts: Vec<f64>,
        standard_deviation: f64,
        noise: Option<NoiseKind>,
    ) -> Result<Self, (String, &'static str)> {
        let cells = domain.cells(&clique);
        if counts.len() as u128 != cells {
            return Err((
                format!("has {} counts, and its columns have {cells} combinations of codes", counts.len()),
                "give a count for every combination, also where it is zero; `schema check` tells the codes of columns",
            ));
        }
        if !NOISE.contains(&standard_deviation) {
            return Err((
                format!("has noise of standard deviation {standard_deviation}"),
                "give that of the noise on each count, in rows: above 0, between 1e-6 and 2^41; tables without noise are not \
                 taken",
            ));
        }
        if !counts.iter().all(|count| count.abs() <= LARGEST_COUNT) {
            return Err(("has a count beyond 2^53".into(), "give counts in rows"));
        }
        let measurement = Measurement::new(domain, clique, counts, standard_deviation);
        let measurement = measurement.expect("counts are finite, and as many as there are cells");
        Ok(Self { measurement, noise })
    }

    /// The noisy counts, with their standard deviation.
    pub fn measurement(&self) -> &Measurement {
        &self.measurement
    }

    /// How its noise was drawn, if that was said.
    pub fn noise(&self) -> Option<NoiseKind> {
        self.noise
    }
}

impl Marginals {
    /// These tables. `rows` is the number of rows, where that is public.
    ///
    /// # Errors
    /// If the statement contradicts itself or the number of rows, or the tables are too many.
    pub fn new(statement: Statement, rows: Option<u64>, tables: Vec<Marginal>) -> Result<Self, MarginalsError> {
        statement.check()?;
        if let Some(rows) = rows {
            statement.check_rows(rows)?;
        }
        let cells = tables.iter().fold(0_u128, |sum, table| sum + table.measurement.values().len() as u128);
        check_size(tables.len(), cells)?;
        Ok(Self { statement, rows, tables })
    }

    /// What the maker says about privacy: it is repeated wherever the model is shown, and vouched for by nobody else.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The number of rows, if it is public.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// The tables, in the order of the file.
    pub fn tables(&self) -> &[Marginal] {
        &self.tables
    }

    /// Whether a model of `schema` can be fitted to these tables, and would not say other things than their maker.
    ///
    /// # Errors
    /// If they are declared for other neighbours, were made for other columns, or leave a column out.
    pub(crate) fn check_against(&self, schema: &Schema) -> Result<(), MarginalsError> {
        self.statement.check_against(schema.privacy())?;
        let domain = schema.domain();
        let mut held = vec![false; domain.len()];
        for table in &self.tables {
            let counts = table.measurement.counts();
            for (column, size) in counts.clique().attributes().iter().zip(counts.sizes()) {
                if domain.sizes().get(column.index()) != Some(size) {
                    return Err(MarginalsError::OtherSchema);
                }
                held[column.index()] = true;
            }
        }
        let mut left_out =
            schema.attributes().iter().zip(held).filter(|(_, held)| !held).map(|(column, _)| column.name());
        let named: Vec<String> = left_out.by_ref().take(NAMED_COLUMNS).map(Into::into).collect();
        let more = left_out.count();
        if named.is_empty() { Ok(()) } else { Err(MarginalsError::LeftOut { named, more }) }
    }
}

/// Refuses more tables, or cells in them, than we hold.
fn check_size(tables: usize, cells: u128) -> Result<(), MarginalsError> {
    if tables > limits::TABLES {
        return Err(MarginalsError::too_large(format!("there are more than {} tables", limits::TABLES)));
    }
    if cells > limits::CELLS_PER_MODEL {
        return Err(MarginalsError::too_large(format!("the tables have more than {} counts", limits::CELLS_PER_MODEL)));
    }
    Ok(())
}
