//! What was learned of columns that no schema declares.

use std::fmt;

use scumble_schema::{Attribute, FieldType, Scalar, Schema, Source};
use scumble_vault::Certificate;
use scumble_vault::account::{Mechanism, Question};
use serde::Serialize;

use crate::words::grouped;

/// Categories of a column that are listed.
const LISTED: usize = 4;

/// What was learned of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearnedColumn {
    /// The name of the column.
    pub name: String,
    /// Its type, with bounds or some categories, in words.
    pub found: String,
}

/// Columns that were learned under a certificate, for people: one line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LearnedColumns(Vec<LearnedColumn>);

impl LearnedColumns {
    /// Describes the columns that the releases of a certificate are about; `None` if there are
    /// none.
    ///
    /// # Privacy
    /// Post-processing of the schema and the certificate.
    pub fn new(schema: &Schema, certificate: &Certificate) -> Option<Self> {
        let is_asked = |name: &str| {
            certificate.events().iter().any(|event| match event.question() {
                Question::Grid { column, .. } | Question::Values { column } => column == name,
                _ => false,
            })
        };
        let modelled = schema.attributes().iter().filter(|column| is_asked(column.name()));
        let modelled = modelled.map(|column| LearnedColumn {
            name: column.name().to_owned(),
            found: found(column, threshold(certificate, column.name())),
        });
        let made_up = schema.generated().iter().filter(|column| column.spec().dp.source == Source::Dp);
        let made_up = made_up.filter(|column| is_asked(column.name())).map(|column| LearnedColumn {
            name: column.name().to_owned(),
            found: "no value is shared by enough rows: made up, and not modelled".to_owned(),
        });
        let columns: Vec<LearnedColumn> = modelled.chain(made_up).collect();
        (!columns.is_empty()).then_some(Self(columns))
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[LearnedColumn] {
        &self.0
    }
}

impl fmt::Display for LearnedColumns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
        for (place, column) in self.0.iter().enumerate() {
            let end = if place == 0 { "" } else { "\n" };
            write!(formatter, "{end}  {:width$}  {}", column.name, column.found)?;
        }
        Ok(())
    }
}

/// Returns the number of rows that a value needed to be released, in the last round.
fn threshold(certificate: &Certificate, name: &str) -> Option<u64> {
    certificate.events().iter().rev().find_map(|event| match (event.question(), event.mechanism()) {
        (Question::Values { column }, Mechanism::ThresholdedGaussian { threshold, .. }) if column == name => {
            Some(threshold.rows)
        }
        _ => None,
    })
}

fn found(column: &Attribute, threshold: Option<u64>) -> String {
    let spec = column.spec();
    let missing = if spec.constraints.required { "" } else { "; may be missing" };
    if let Some(categories) = &spec.constraints.categories {
        let listed: Vec<String> = categories.iter().take(LISTED).map(ToString::to_string).collect();
        let more = if categories.len() > listed.len() { ", ..." } else { "" };
        let shared = threshold.map_or_else(String::new, |rows| format!(" of about {} rows or more", grouped(rows)));
        let name = if categories.len() == 1 { "category" } else { "categories" };
        return format!("{} {name}{shared}: {}{more}{missing}", categories.len(), listed.join(", "));
    }
    let field_type = column.field_type();
    if field_type == FieldType::Boolean {
        return format!("{field_type}{missing}");
    }
    let codes = column.declared_codes();
    // A bin of instants ends where the next one begins, so its end is no bound.
    let bound = |declared: Option<&Scalar>, code: u32, of_bin: fn((Scalar, Scalar)) -> Scalar| {
        let bound = declared.cloned().or_else(|| column.bin(code).map(of_bin));
        bound.map_or_else(|| column.label(code), |bound| bound.to_string())
    };
    let first = bound(spec.constraints.minimum.as_ref(), 0, |(first, _)| first);
    let last = bound(spec.constraints.maximum.as_ref(), codes.saturating_sub(1), |(_, last)| last);
    let name = if codes == 1 { "code" } else { "codes" };
    format!("{field_type} from {first} to {last}, {codes} {name}{missing}")
}
