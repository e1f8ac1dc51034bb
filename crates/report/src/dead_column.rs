//! Columns of which the released counts say that nearly nothing was read.
//!
//! A wrong decimal character, date format, unit or list of categories makes no error: every value of a row has a code, and one that
//! cannot be read has that of missing values, of unknown ones, or of the value that such are folded into. A column of which nearly
//! all rows have that code is worth a look before anybody relies on the model.

use std::fmt;

use scumble_mechanisms::Model;
use scumble_schema::{Attribute, AttributeId, FieldType};
use serde::Serialize;

use crate::counts_of::CountsOf;
use crate::noisy_table::{NoisyTable, noisy_tables};
use crate::words::real;

/// From this share of rows on, missing values, unknown values or an end bin are said to be nearly everything.
const NEARLY_ALL: f64 = 0.95;
/// The same for a value that others are folded into: it may well be the usual one.
const NEARLY_ALL_FOLDED: f64 = 0.99;
/// Where noise may be more than this share of rows, nothing is said: it may explain whatever is seen.
const MAX_NOISE: f64 = 0.2;
/// A column of fewer bins has an end that is as usual as any.
const MIN_BINS: usize = 4;

/// A column nearly all of whose rows have no value of their own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeadColumn {
    /// The column.
    pub column: String,
    /// About which share of the rows, by the released counts.
    pub share: f64,
    /// What these rows hold instead of values.
    pub holds: Holds,
    /// What to look at.
    pub advice: String,
}

/// What nearly all rows of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// Missing values, among them those that cannot be read if the column has no code for unknown ones.
    Missing,
    /// Values that are not declared or cannot be read.
    Unknown,
    /// The value that missing and unknown ones are folded into.
    Folded,
    /// Values at or below the least bin.
    FirstBin,
    /// Values at or above the largest bin.
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

/// The columns nearly all of whose rows are missing, unknown or at an end, in the order of the schema.
///
/// # Privacy
/// Post-processing: released counts and shares of the model decide, and nothing else.
pub fn dead_columns(model: &Model) -> Vec<DeadColumn> {
    let tables = noisy_tables(model);
    let shares = model.shares();
    let schema = model.schema();
    schema.domain().attributes().filter_map(|id| dead_column(model, &tables, id, &shares[id.index()])).collect()
}

fn dead_column(model: &Model, tables: &[NoisyTable<'_>], id: AttributeId, model_shares: &[f64]) -> Option<DeadColumn> {
    let attribute = model.schema().attribute(id);
    let counts = CountsOf::column(model, tables, id);
    let rows = real(model.rows().max(1));
    let share_of = |codes: &[u32], least: f64| {
        let share = match &counts {
            // Without a table of its counts, the model's shares are all that is known.
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

/// What may hold nearly everything, by which codes, and from which share on that is said.
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
        // In an open column what is out of bounds is unknown; a wrong unit can still put all that is within them into one bin.
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

/// What may be wrong in the schema, in the order in which it usually is, and how to see it.
fn advice(attribute: &Attribute, holds: Holds) -> String {
    let written = match attribute.field_type() {
        FieldType::Integer | FieldType::Number => "the decimal and group characters",
        FieldType::Date | FieldType::Datetime => "the date `format`",
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
