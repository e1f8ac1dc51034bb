//! Imports and exports schema files of other tools, and reports every property that is lost.
//!
//! No row is read. What a file lacks is left for a person to fill in, and guesses are marked
//! `assumed`. Exporting an imported schema and importing it again gives the same schema.

mod column;
mod csvw;
mod dpsynth;
mod mbi;
mod sdv;
mod smartnoise;
mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::error::{SchemaError, printable};
use crate::file::spec::{FieldSpec, SchemaSpec, Source};
use crate::file::{ReadError, read_text};
use crate::schema::Problems;
use crate::schema::privacy::Unit;

pub use self::mbi::export_mbi;
use self::tree::Tree;

/// A schema format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// The metadata of the Synthetic Data Vault (SDV): reads versions 1 and 2, writes version 1.
    Sdv,
    /// The domain file of google/dpsynth.
    Dpsynth,
    /// The metadata of SmartNoise SQL.
    Smartnoise,
    /// CSV on the Web with the terms of CSVW-EO.
    CsvwEo,
}

/// A schema imported from another tool's file. It may be incomplete.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The schema, unchecked.
    pub spec: SchemaSpec,
    /// What was lost, what was assumed, and what has to be filled in.
    pub losses: Vec<Loss>,
}

/// A schema exported as another tool's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The contents of the file.
    pub text: String,
    /// What was lost.
    pub losses: Vec<Loss>,
}

/// A property that one format has and the other lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The column; `None` for the table.
    pub column: Option<String>,
    /// The property, by its name in the format that has it.
    pub property: String,
    /// What happened to it.
    pub kind: LossKind,
    /// A description for people.
    pub what: String,
}

/// What happened to a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// It has no equivalent in the other format.
    Lost,
    /// It was guessed.
    Assumed,
    /// A person has to fill it in.
    Blank,
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(formatter, "column `{}`: ", printable(column))?;
        }
        let kind = match self.kind {
            LossKind::Lost => "lost",
            LossKind::Assumed => "assumed",
            LossKind::Blank => "fill in",
        };
        write!(formatter, "{kind} `{}`: {}", printable(&self.property), printable(&self.what))
    }
}

impl Foreign {
    /// Imports the text of a file of this format.
    ///
    /// ```
    /// # use scumble_schema::{Foreign, Schema};
    /// let file = "'': {PUMS: {PUMS: {row_privacy: true, age: {type: int, lower: 0, upper: 100, nullable: false}}}}";
    /// let imported = Foreign::Smartnoise.import(file)?;
    /// assert_eq!(Schema::new(imported.spec)?.domain().sizes(), [101]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not in this format, or describes several tables.
    pub fn import(self, text: &str) -> Result<Imported, SchemaError> {
        let (tree, mut report) = (Tree::parse(text)?, Report::default());
        let spec = match self {
            Self::Sdv => sdv::import(tree, &mut report),
            Self::Dpsynth => dpsynth::import(tree, &mut report),
            Self::Smartnoise => smartnoise::import(tree, &mut report),
            Self::CsvwEo => csvw::import(tree, &mut report),
        }?;
        Ok(Imported { spec, losses: report.0 })
    }

    /// Imports a file of this format.
    pub fn read(self, path: &Path) -> Result<Imported, ReadError> {
        Ok(self.import(&read_text(path)?).map_err(Problems::from)?)
    }

    /// Exports a schema in this format. The schema may be incomplete.
    ///
    /// # Errors
    /// If two columns have the same name, or one contradicts its preset.
    pub fn export(self, spec: &SchemaSpec) -> Result<Exported, SchemaError> {
        let mut seen = BTreeSet::new();
        if let Some(duplicate) = spec.fields.iter().find(|field| !seen.insert(&field.name)) {
            return Err(SchemaError::column(&duplicate.name, "is declared twice", "drop one of the two"));
        }
        let mut report = Report::default();
        let (generated, spec) = &split_generated(&spec.clone().expanded()?);
        for field in generated {
            report.lost(
                Some(&field.name),
                if field.dp.derive.is_some() { "dp.derive" } else { "dp.generate" },
                "a generated column is not part of the real table: it is dropped",
            );
        }
        let text = match self {
            Self::Sdv => sdv::export(spec, &mut report).to_json(),
            Self::Dpsynth => dpsynth::export(spec, &mut report).to_yaml(),
            Self::Smartnoise => smartnoise::export(spec, &mut report).to_yaml(),
            Self::CsvwEo => csvw::export(spec, &mut report).to_json(),
        };
        Ok(Exported { text, losses: report.0 })
    }
}

impl Imported {
    /// The schema as YAML, with comments that list what a person has to fill in or confirm.
    pub fn to_yaml(&self) -> String {
        let to_do = self.losses.iter().filter(|loss| loss.kind != LossKind::Lost);
        // A name may hold a line break, which would end the comment.
        let comments = to_do.map(|loss| format!("# {}\n", loss.to_string().escape_debug()));
        comments.chain([self.spec.to_yaml()]).collect()
    }
}

/// Collects losses.
#[derive(Default)]
struct Report(Vec<Loss>);

impl Report {
    fn add(&mut self, kind: LossKind, column: Option<&str>, property: &str, what: impl Into<String>) {
        let (column, property) = (column.map(Into::into), property.into());
        self.0.push(Loss { column, property, kind, what: what.into() });
    }

    fn lost(&mut self, column: Option<&str>, property: &str, what: impl Into<String>) {
        self.add(LossKind::Lost, column, property, what);
    }

    fn assumed(&mut self, column: Option<&str>, property: &str, what: impl Into<String>) {
        self.add(LossKind::Assumed, column, property, what);
    }

    fn blank(&mut self, column: Option<&str>, property: &str, what: impl Into<String>) {
        self.add(LossKind::Blank, column, property, what);
    }

    /// Reports entries of a foreign file that were not used.
    fn left_over(&mut self, column: Option<&str>, entries: Vec<(String, Tree)>) {
        for (key, value) in entries.into_iter().filter(|(_, value)| *value != Tree::Null) {
            self.lost(column, &key, format!("`{}` has no equivalent in a schema", truncated(value.to_string())));
        }
    }
}

/// Removes an entry from a foreign map and returns its value; `None` if it is absent or null.
fn take(entries: &mut Vec<(String, Tree)>, key: &str) -> Option<Tree> {
    let index = entries.iter().position(|(name, _)| name == key)?;
    Some(entries.remove(index).1).filter(|value| *value != Tree::Null)
}

/// The only table of a map of tables.
fn only_table(tables: Vec<(String, Tree)>) -> Result<(String, Vec<(String, Tree)>), SchemaError> {
    let count = tables.len();
    let one = tables.into_iter().next().filter(|_| count == 1);
    let (name, table) = one.ok_or_else(|| {
        SchemaError::table(
            format!("the file describes {count} tables, a schema describes one"),
            "keep the table to synthesise, and delete the others from the file",
        )
    })?;
    Ok((name, table.into_map().ok_or_else(|| not_a("table"))?))
}

fn not_a(what: &str) -> SchemaError {
    SchemaError::table(
        format!("the file is not in that format: expected {what}"),
        "check that `--from` names the format of this file; `scumble schema import --help` lists them",
    )
}

/// Reports the properties of a column that are lost: all except `carried`.
fn column_losses(field: &FieldSpec, carried: &[&str], format: &str, report: &mut Report) {
    let value = serde_json::to_value(field).expect("a column is plain data");
    for (property, value) in properties("", value) {
        if !["name", "type"].contains(&property.as_str()) && !carried.contains(&property.as_str()) {
            report.lost(Some(&field.name), &property, format!("`{}` has no equivalent in {format}", truncated(value)));
        }
    }
}

/// Reports a source other than `public` for a format that treats all properties as public.
fn source_loss(field: &FieldSpec, format: &str, report: &mut Report) {
    let source = match field.dp.source {
        Source::Public => return,
        Source::Assumed => "assumed",
        Source::Dp => "dp",
        Source::Data => "data",
    };
    report.lost(Some(&field.name), "dp.source", format!("`{source}`: {format} counts all its properties as public"));
}

/// The column of the privacy unit, if it is not the row.
fn unit_column(spec: &SchemaSpec) -> Option<&str> {
    spec.dp.privacy_unit.as_deref().filter(|unit| *unit != Unit::ROW)
}

/// Splits off generated columns, which are not in the real table, and returns them with the rest of
/// the schema.
fn split_generated(spec: &SchemaSpec) -> (Vec<FieldSpec>, SchemaSpec) {
    let fields = spec.fields.iter().cloned();
    let (generated, fields) = fields.partition(|field| field.dp.is_made_on_output());
    (generated, SchemaSpec { fields, ..spec.clone() })
}

/// Reports the properties and rules of the table that are lost: all except `carried`.
fn table_losses(spec: &SchemaSpec, carried: &[&str], format: &str, report: &mut Report) {
    for (rule, number) in spec.dp.rules.iter().zip(1..) {
        report.lost(None, "dp.rules", format!("rule {number} ({rule}) has no equivalent in {format}"));
    }
    let mut table = SchemaSpec { fields: vec![], ..spec.clone() };
    table.dp.rules.clear();
    let value = serde_json::to_value(table).expect("a schema is plain data");
    for (property, value) in properties("", value) {
        // Every tool reads a blank as a missing value.
        let is_default =
            [("missingValues", r#"[""]"#), ("dp.privacyUnit", "row")].contains(&(property.as_str(), value.as_str()));
        if property != "fields" && !is_default && !carried.contains(&property.as_str()) {
            report.lost(None, &property, format!("`{}` has no equivalent in {format}", truncated(value)));
        }
    }
}

/// All properties with their paths, descending into `constraints`, `dp` and `dp.bins`.
fn properties(path: &str, value: Value) -> Vec<(String, String)> {
    match value {
        Value::Object(entries) if ["", "constraints", "dp", "dp.bins"].contains(&path) => entries
            .into_iter()
            .flat_map(|(key, value)| properties(&if path.is_empty() { key } else { format!("{path}.{key}") }, value))
            .collect(),
        Value::String(text) => vec![(path.into(), text)],
        value => vec![(path.into(), value.to_string())],
    }
}

/// The first 60 characters of a value.
fn truncated(value: String) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    if value.chars().count() <= MAX_SHOWN_CHARS {
        return value;
    }
    value.chars().take(MAX_SHOWN_CHARS).chain("...".chars()).collect()
}
