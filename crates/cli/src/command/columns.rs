//! The columns of a real table: declared by a schema, or learned.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use scumble::engine::column_types;
use scumble::mechanisms::columns::{LearnForecast, LearnShare};
use scumble::report::LearnedColumns;
use scumble::schema::TableTerms;
use scumble::schema::learn::PartialSchema;
use scumble::{Fault, Model, Schema, SchemaSpec, undeclared_of};

use crate::arguments::{RealTable, TextFiles, is_standard_input};
use crate::command::header::note_left_out;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// The columns of a real table.
pub(crate) enum TableColumns {
    /// All of them are declared.
    Declared(Schema),
    /// Some are learned, for a share of the budget.
    Learned(PartialSchema, LearnShare),
}

impl TableColumns {
    /// Reads the schema, or the names of columns if there is none. Reads no row.
    pub(crate) fn of(real: &RealTable, terminal: &Terminal) -> Result<Self, Failure> {
        let terms = real.terms.table_terms();
        let partial = partial(real.schema.as_deref(), &real.data, &real.text_files, terms, terminal)?;
        if partial.missing().is_empty() {
            return Ok(Self::Declared(Schema::new(partial.into_spec())?));
        }
        Ok(Self::Learned(partial, real.learn_share))
    }

    /// Returns the fit of these columns.
    pub(crate) fn fit(&self, real: &RealTable) -> scumble::Fit<'_> {
        match self {
            Self::Declared(schema) => scumble::Fit::new(schema, real.goal()),
            Self::Learned(partial, share) => scumble::Fit::undeclared(partial, *share, real.goal()),
        }
    }

    /// Returns the schema, or one with the same names if it is not known before the fit.
    pub(crate) fn some_schema(&self) -> Result<Schema, Failure> {
        match self {
            Self::Declared(schema) => Ok(schema.clone()),
            Self::Learned(partial, _) => {
                Ok(partial.of_texts(partial.fields().iter().map(|field| field.name.as_str()))?)
            }
        }
    }

    /// Returns the schema, if it is known before the fit.
    pub(crate) fn schema(&self) -> Option<&Schema> {
        match self {
            Self::Declared(schema) => Some(schema),
            Self::Learned(..) => None,
        }
    }
}

/// Reads a schema that may leave columns to be learned; without one, takes the names of columns
/// from the first file. Reads no row.
pub(crate) fn partial(
    schema: Option<&Path>,
    data: &[PathBuf],
    text_files: &TextFiles,
    terms: TableTerms,
    terminal: &Terminal,
) -> Result<PartialSchema, Failure> {
    if let Some(path) = schema {
        let spec = SchemaSpec::read_inlined(path)?;
        let dialect = text_files.over(spec.dialect)?;
        return Ok(PartialSchema::new(SchemaSpec { dialect, ..spec })?);
    }
    let Some(first) = data.first().filter(|path| !is_standard_input(path)) else {
        let hint = "save the table to a file first, or declare its columns with `--schema`";
        return Err(Failure::new(Fault::Usage, "columns can be learned from files only", Some(hint.into())));
    };
    let (input, dialect) = (text_files.input(first, None)?, text_files.dialect()?);
    let columns = column_types(&input, None, &dialect)?;
    let partial = undeclared_of(&columns, &input.shown(), dialect, terms)?;
    note_left_out(&columns, terminal);
    Ok(partial)
}

/// Describes what learning would find in a table of about `rows` rows.
pub(crate) fn forecast(forecast: LearnForecast, rows: Option<NonZeroU64>) -> String {
    let LearnForecast { columns, noise_of_types, rows_of_category } = forecast;
    let types = noise_of_types.map(|noise| format!("their types, from counts with noise of about {noise:.0} rows"));
    let percent = |least: u64| {
        rows.map(|rows| format!(" ({:.1} % of all)", 100.0 * least as f64 / rows.get() as f64)).unwrap_or_default()
    };
    let categories =
        rows_of_category.map(|least| format!("categories of about {least} rows{} or more", percent(least)));
    let found: Vec<String> =
        types.into_iter().chain(["bounds and bins of numbers and dates".into()]).chain(categories).collect();
    format!(
        "{columns} columns would be learned first: {}. What the method measures then follows from them.",
        found.join("; ")
    )
}

/// Describes the learned columns of a model; `None` if none was learned.
pub(crate) fn learned(model: &Model, share: LearnShare) -> Option<String> {
    let columns = LearnedColumns::new(model.schema(), model.certificate()?)?;
    let percent = f64::from(share.thousandths()) / 10.0;
    Some(format!("columns learned for {percent} % of the budget. {TO_KNOW}\n{columns}"))
}

/// What a steward has to know of learned columns.
pub(crate) const TO_KNOW: &str = "Categories are texts of the data, and public from now on. Columns that a schema \
                                  declares cost nothing, and keep rare categories";
