//! The columns of a table: declared by a schema, or learned.

use scumble::mechanisms::columns::LearnShare;
use scumble::schema::TableTerms;
use scumble::schema::learn::PartialSchema;
use scumble::{ApproxDp, Fit, Input, undeclared};

use crate::failure::Failure;
use crate::schema::{Schema, dialect_of};

/// The columns of a table.
pub(crate) enum Columns<'a> {
    /// All of them are declared.
    Declared(&'a scumble::Schema),
    /// All of them are learned, for a share of the budget.
    Learned(Box<PartialSchema>, LearnShare),
}

impl<'a> Columns<'a> {
    /// Returns the columns of a schema or, without one, those of the first input.
    pub(crate) fn of(
        schema: Option<&'a Schema>,
        inputs: &[Input],
        unit: Option<String>,
        max_rows: Option<u32>,
        learn_share: Option<f64>,
        dialect: Option<&str>,
    ) -> Result<Self, Failure> {
        if let Some(schema) = schema {
            if unit.is_some() || max_rows.is_some() || learn_share.is_some() || dialect.is_some() {
                let problem = "`unit`, `max_rows`, `learn_share` and `dialect` are for tables without a schema";
                return Err(Failure::usage(problem, "state them in the schema, or leave out the schema"));
            }
            return Ok(Self::Declared(&schema.0));
        }
        let Some(first) = inputs.first() else {
            return Err(Failure::usage("there is no table to learn columns from", "give a table, or a schema"));
        };
        let share = learn_share.map_or_else(|| Ok(LearnShare::default()), share)?;
        let terms = TableTerms { privacy_unit: unit, max_contributions: max_rows, ..TableTerms::default() };
        Ok(Self::Learned(Box::new(undeclared(first, dialect_of(dialect)?, terms)?), share))
    }

    /// Returns the schema, if it is known before the fit.
    pub(crate) fn schema(&self) -> Option<&scumble::Schema> {
        match self {
            Self::Declared(schema) => Some(schema),
            Self::Learned(..) => None,
        }
    }

    /// Returns the fit of these columns.
    pub(crate) fn fit(&self, goal: ApproxDp) -> Fit<'_> {
        match self {
            Self::Declared(schema) => Fit::new(schema, goal),
            Self::Learned(partial, share) => Fit::undeclared(partial, *share, goal),
        }
    }
}

fn share(share: f64) -> Result<LearnShare, Failure> {
    LearnShare::of(share).ok_or_else(|| {
        Failure::usage("`learn_share` is at least 0.001 and at most 0.999", "leave it out for the default, 0.35")
    })
}
