//! Columns of which nearly nothing was read, according to the released counts.
//!
//! A wrong decimal character, date format, unit or list of categories causes no error: every value
//! has a code, and one that cannot be read has the code of missing values, of unknown values, or of
//! the value into which these are folded. A column in which nearly all rows have that code should
//! be checked before anybody relies on the model.

use std::fmt;

use scumble_mechanisms::Model;
use scumble_schema::{Attribute, AttributeId, FieldType, Source};
use serde::Serialize;

use crate::counts_of::CountsOf;
use crate::noisy_table::{NoisyTable, noisy_tables};
use crate::words::real;

/// Share of missing values, unknown values or an end bin from which a column is reported.
const NEARLY_ALL: f64 = 0.95;
/// Share of the value into which others are folded from which a column is reported. It is higher,
/// because this may be a frequent value.
const NEARLY_ALL_FOLDED: f64 = 0.99;
/// Maximum noise, as a share of the rows. With more, noise may explain the counts and nothing is
/// reported.
const MAX_NOISE: f64 = 0.2;
/// Minimum number of bins. With fewer, an end bin may hold most values.
const MIN_BINS: usize = 4;

/// A column in which nearly all rows have no readable value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeadColumn {
    /// The column.
    pub column: String,
    /// Approximate share of these rows, by the released counts.
    pub share: f64,
    /// What these rows hold instead of values.
    pub holds: Holds,
    /// What to check in the schema.
    pub advice: String,
}

/// What nearly all rows of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// Missing values, and unreadable ones if the column has no code for unknown values.
    Missing,
    /// Values that are not declared or cannot be read.
    Unknown,
    /// The value into which missing and unknown ones are folded.
    Folded,
    /// Values at or below the first bin.
    FirstBin,
    /// Values at or above the last bin.
    LastBin,
}

impl Holds {
    fn in_words(self) -> &'static str {
        match self {
            Self::Missing => "are missing or could not be read",
            Self::Unknown => "hold a value that is not declared or could not be read",
            Self::Folded => "hold the one value that unknown ones are folded into",
            Self::FirstBin => "are in the first bin",
            Self::LastBin => "are in the last bin",
        }
    }
}

impl fmt::Display for DeadColumn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}`: about {:.0} % of rows {}; {}",
            self.column,
            self.share * 100.0,
            self.holds.in_words(),
            self.advice
        )
    }
}

/// Returns the columns in which nearly all rows are missing, unknown or in an end bin, in the order
/// of the schema.
///
/// # Privacy
/// Post-processing of released counts and shares of the model.
pub fn dead_columns(model: &Model) -> Vec<DeadColumn> {
    let tables = noisy_tables(model);
    let shares = model.shares();
    let schema = model.schema();
    schema.domain().attributes().filter_map(|id| dead_column(model, &tables, id, &shares[id.index()])).collect()
}

fn dead_column(model: &Model, tables: &[NoisyTable<'_>], id: AttributeId, model_shares: &[f64]) -> Option<DeadColumn> {
    let attribute = model.schema().attribute(id);
    // A learned column was read as it is: nobody has declared another one.
    if attribute.spec().dp.source == Source::Dp {
        return None;
    }
    let counts = CountsOf::column(model, tables, id);
    let rows = real(model.rows().max(1));
    let share_of = |codes: &[u32], least: f64| {
        let share = match &counts {
            // Without a table of its counts, only the model's shares are known.
            None => codes.iter().map(|&code| model_shares[code as usize]).sum(),
            Some(counts) if counts.error_of(codes.len()) > MAX_NOISE * rows => return None,
            Some(counts) => counts.sum_of(codes) / rows,
        };
        (share >= least).then_some(share.min(1.0))
    };
    let found = |(holds, codes, least): (Holds, Vec<u32>, f64)| {
        let share = share_of(&codes, least)?;
        Some(DeadColumn { column: attribute.name().into(), share, holds, advice: advice(attribute, holds) })
    };
    suspects(attribute).into_iter().find_map(found)
}

/// Returns what nearly all rows may hold, with its codes and the share from which it is reported.
fn suspects(attribute: &Attribute) -> Vec<(Holds, Vec<u32>, f64)> {
    let mut suspects = Vec::new();
    let missing: Vec<u32> = (0..attribute.size()).filter(|&code| attribute.is_missing(code)).collect();
    if !missing.is_empty() {
        suspects.push((Holds::Missing, missing, NEARLY_ALL));
    }
    suspects.extend(attribute.unknown_code().map(|code| (Holds::Unknown, vec![code], NEARLY_ALL)));
    let is_declared = |code: &u32| *code < attribute.declared_codes();
    let bins: Vec<u32> = (0..attribute.size()).filter(|&code| attribute.bin(code).is_some()).collect();
    if let (Some(&first), Some(&last)) = (bins.first(), bins.last())
        && bins.len() >= MIN_BINS
    {
        // In an open column values out of bounds are unknown. A wrong unit can still put all values
        // within the bounds into one bin.
        let end = |beyond: u32, bin: u32| vec![Some(beyond).filter(is_declared).unwrap_or(bin)];
        let encoder = attribute.encoder();
        suspects.push((Holds::FirstBin, end(encoder.below(), first), NEARLY_ALL));
        suspects.push((Holds::LastBin, end(encoder.above(), last), NEARLY_ALL));
    }
    let folded = attribute.encoder().unknown();
    let is_listed = suspects.iter().any(|(_, codes, _)| codes.contains(&folded));
    if !is_listed && is_declared(&folded) {
        suspects.push((Holds::Folded, vec![folded], NEARLY_ALL_FOLDED));
    }
    suspects
}

/// Returns what to check in the schema, and the command that shows what was read.
fn advice(attribute: &Attribute, holds: Holds) -> String {
    let written = match attribute.field_type() {
        FieldType::Integer | FieldType::Number => "the decimal and group characters",
        FieldType::Date | FieldType::Datetime => "the date `format`",
        FieldType::Time => "the `format` of times",
        FieldType::Year => "how years are written",
        FieldType::Boolean => "`trueValues` and `falseValues`",
        FieldType::String => "the categories under `enum` and how they are spelt",
    };
    let look_at = match holds {
        Holds::Missing => format!("`missingValues` and {written}"),
        Holds::Unknown | Holds::Folded => written.to_owned(),
        Holds::FirstBin | Holds::LastBin => format!("`minimum`, `maximum`, the unit and {written}"),
    };
    format!("if that is a surprise, check {look_at}: `scumble schema check SCHEMA DATA` shows what was read")
}

#[cfg(test)]
mod tests;
