//! The planted bugs, each a mistake that is easily made.

use std::fmt;

use scumble_schema::Domain;
use scumble_vault::MarginalSource;

use super::model::Table;
use crate::row_source::RowSource;
use crate::tables::Row;

/// A mistake that leaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The number of synthetic rows is the number of real ones.
    OutputRows,
    /// A log line shows the exact number of rows.
    RowsInLog,
    /// The model keeps the exact tables of the selected pairs, as if for a later fit.
    RawTable,
    /// A column has the codes up to the largest one that occurs.
    DomainFromData,
    /// Cells without rows get no noise, as in a list of the values that occur and their counts.
    ObservedCells,
    /// Whether a column varies is decided on exact counts.
    RawThreshold,
    /// Which tables are too large is decided by the exact number of rows.
    TauFromRows,
    /// The product of the columns is scaled to the exact number of rows before pairs are compared
    /// with it.
    RowsInScore,
    /// The total variation is charged with `Δ = 1`; it is 2.
    HalfSensitivity,
}

impl Bug {
    /// All bugs.
    pub const ALL: [Self; 9] = [
        Self::OutputRows,
        Self::RowsInLog,
        Self::RawTable,
        Self::DomainFromData,
        Self::ObservedCells,
        Self::RawThreshold,
        Self::TauFromRows,
        Self::RowsInScore,
        Self::HalfSensitivity,
    ];
}

impl fmt::Display for Bug {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OutputRows => "output rows = n",
            Self::RowsInLog => "exact n in a log line",
            Self::RawTable => "raw table in the model",
            Self::DomainFromData => "domain from data",
            Self::ObservedCells => "noise on observed cells only",
            Self::RawThreshold => "raw threshold",
            Self::TauFromRows => "tau from n",
            Self::RowsInScore => "h with exact n",
            Self::HalfSensitivity => "Delta 1 for 2",
        })
    }
}

/// Returns the domain of the codes up to the largest one that occurs in each column.
pub(super) fn observed_domain(rows: &[Row], declared: &Domain) -> Domain {
    let size = |column: usize| rows.iter().map(|row| row[column] + 1).max().unwrap_or(1);
    Domain::new((0..declared.len()).map(size).collect()).expect("not larger than the declared one")
}

pub(super) fn over_observed_domain(rows: &RowSource) -> RowSource {
    RowSource::new(observed_domain(rows.rows(), rows.domain()), rows.rows().to_vec())
}

pub(super) fn keep_observed(tables: &mut [Table], exact: &RowSource) {
    for table in tables {
        for (value, count) in table.values.iter_mut().zip(exact.counts(&table.clique)) {
            if count == 0 {
                *value = 0;
            }
        }
    }
}

pub(super) fn keep_exact(tables: &mut [Table], exact: &RowSource) {
    for table in tables {
        table.values = exact.counts(&table.clique).into_iter().map(u64::cast_signed).collect();
    }
}
