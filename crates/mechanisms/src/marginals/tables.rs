//! External noisy tables.

use std::ops::RangeInclusive;

use scumble_pgm::Measurement;
use scumble_schema::{Clique, Domain, Schema, limits};
use serde::{Deserialize, Serialize};

use super::error::MarginalsError;
use super::statement::Statement;

/// Maximum absolute value of a count, 2^53: beyond it floats do not represent all whole numbers.
pub(super) const MAX_COUNT: f64 = 9_007_199_254_740_992.0;
/// Range of standard deviations of noise, up to 2^41. Smaller noise protects nobody, and larger
/// noise hides every table.
pub(super) const NOISE: RangeInclusive<f64> = 1e-6..=2_199_023_255_552.0;
/// Number of columns that an error names.
const NAMED_COLUMNS: usize = 3;

/// External noisy tables, with the privacy statement of the party that released them.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    statement: Statement,
    rows: Option<u64>,
    tables: Vec<Marginal>,
}

/// An external noisy table: its counts, and the standard deviation of their noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginal {
    measurement: Measurement,
    noise: Option<NoiseKind>,
}

/// Distribution of the noise of an external table. For display only: estimation uses the standard
/// deviation.
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
    /// Creates a table over `clique`, with counts in cell order.
    ///
    /// # Errors
    /// The problem with the table, and a hint.
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
                "give a count for every combination, also where it is zero; `schema check` shows the codes of columns",
            ));
        }
        if !NOISE.contains(&standard_deviation) {
            return Err((
                format!("has noise of standard deviation {standard_deviation}"),
                "give that of the noise on each count, in rows, between 1e-6 and 2^41; tables without noise are refused",
            ));
        }
        if !counts.iter().all(|count| count.abs() <= MAX_COUNT) {
            return Err(("has a count beyond 2^53".into(), "give counts in rows"));
        }
        let measurement = Measurement::new(domain, clique, counts, standard_deviation);
        let measurement = measurement.expect("counts are finite, one per cell");
        Ok(Self { measurement, noise })
    }

    /// The noisy counts, with their standard deviation.
    pub fn measurement(&self) -> &Measurement {
        &self.measurement
    }

    /// The distribution of its noise, if stated.
    pub fn noise(&self) -> Option<NoiseKind> {
        self.noise
    }
}

impl Marginals {
    /// Creates a set of tables. `rows` is the number of rows if it is public.
    ///
    /// # Errors
    /// If the statement contradicts itself or the number of rows, or the tables are too large.
    pub fn new(statement: Statement, rows: Option<u64>, tables: Vec<Marginal>) -> Result<Self, MarginalsError> {
        statement.check()?;
        if let Some(rows) = rows {
            statement.check_rows(rows)?;
        }
        let cells = tables.iter().fold(0_u128, |sum, table| sum + table.measurement.values().len() as u128);
        check_size(tables.len(), cells)?;
        Ok(Self { statement, rows, tables })
    }

    /// The privacy statement of the party that released the tables. It is shown with the model and
    /// cannot be verified.
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

    /// Checks that a model of `schema` can be fitted to the tables, and claims what their statement
    /// claims.
    ///
    /// # Errors
    /// If they are declared for other neighbours, have other columns, or leave a column out.
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

/// Refuses too many tables or cells.
pub(super) fn check_size(tables: usize, cells: u128) -> Result<(), MarginalsError> {
    if tables > limits::TABLES {
        return Err(MarginalsError::too_large(format!("there are more than {} tables", limits::TABLES)));
    }
    if cells > limits::CELLS_PER_MODEL {
        return Err(MarginalsError::too_large(format!("the tables have more than {} counts", limits::CELLS_PER_MODEL)));
    }
    Ok(())
}
