//! Schema files of other tools, read and written. What one side says and the other cannot is reported line by line.
//!
//! Descriptions only: no row is looked at. What a file does not tell is left for a person to fill in, and what is guessed
//! is marked `assumed`. Reading what was written gives the same schema again, once it holds only what the format can say.

mod column;
mod csvw;
mod dpsynth;
mod sdv;
mod smartnoise;
mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::error::SchemaError;
use crate::file::{ReadError, read_text};
use crate::schema::{Problems, Schema};
use crate::spec::{FieldSpec, SchemaSpec, Source};

use self::tree::Tree;

/// A format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// The metadata of the Synthetic Data Vault, version 1.
    Sdv,
    /// The domain file of google/dpsynth.
    Dpsynth,
    /// The metadata of SmartNoise SQL.
    Smartnoise,
    /// CSV on the Web with the terms of CSVW-EO.
    CsvwEo,
}

/// A schema out of another tool's file. It may need a person before it is sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The schema, unchecked.
    pub spec: SchemaSpec,
    /// What did not come along, what was guessed, and what is to be filled in.
    pub losses: Vec<Loss>,
}

/// A schema as another tool's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// What did not come along.
    pub losses: Vec<Loss>,
}

/// One thing that one side says and the other does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The column; `None` for the table.
    pub column: Option<String>,
    /// The property, as the side that has it calls it.
    pub property: String,
    /// What became of it.
    pub kind: LossKind,
    /// The same in words.
    pub what: String,
}

/// What became of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// It has no place on the other side.
    Lost,
    /// It was guessed.
    Assumed,
    /// It has to be filled in by a person.
    Blank,
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(formatter, "column `{column}`: ")?;
        }
        let kind = match self.kind {
            LossKind::Lost => "lost",
            LossKind::Assumed => "assumed",
            LossKind::Blank => "fill in",
        };
        write!(formatter, "{kind} `{}`: {}", self.property, self.what)
    }
}

impl Foreign {
    /// Reads a file of this format.
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
    /// If the text is no such file, or describes several tables.
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

    /// Reads a file of this format from disk.
    pub fn read(self, path: &Path) -> Result<Imported, ReadError> {
        Ok(self.import(&read_text(path)?).map_err(Problems::from)?)
    }

    /// Writes a schema in this format. It need not be complete: what it lacks, the file lacks.
    ///
    /// # Errors
    /// If two columns have one name, or one contradicts its preset.
    pub fn export(self, spec: &SchemaSpec) -> Result<Exported, SchemaError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = spec.fields.iter().find(|field| !seen.insert(&field.name)) {
            return Err(SchemaError::column(&twice.name, "stands twice", "drop one of the two"));
        }
        let mut report = Report::default();
        let (made_up, spec) = &without_made_up(&spec.clone().expanded()?);
        for field in made_up {
            report.lost(Some(&field.name), "dp.generate", "values are made up here: the column is left out");
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
    /// The schema as YAML, under comments that say what a person has to fill in or to confirm.
    pub fn to_yaml(&self) -> String {
        let to_do = self.losses.iter().filter(|loss| loss.kind != LossKind::Lost);
        // A name may hold a line break, which would end the comment.
        let comments = to_do.map(|loss| format!("# {}\n", loss.to_string().escape_debug()));
        comments.chain([self.spec.to_yaml()]).collect()
    }
}

/// Writes the sizes of a schema as an `mbi` domain file.
pub fn export_mbi(schema: &Schema) -> Exported {
    let mut report = Report::default();
    let sizes = schema.attributes().iter().map(|attribute| {
        let (name, size) = (attribute.name(), attribute.size());
        let what = format!("its {size} codes are numbers from 0 on there; what they stand for is not told");
        report.lost(Some(name), "type", what);
        (name.to_owned(), Tree::whole(size))
    });
    let text = Tree::Map(sizes.collect()).to_json();
    for column in schema.generated() {
        report.lost(Some(column.name()), "dp.generate", "values are made up here: the column is left out");
    }
    table_losses(&schema.to_spec(), &[], "an mbi domain", &mut report);
    Exported { text, losses: report.0 }
}

/// Losses as they are found.
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

    /// Entries of a foreign file that nobody took.
    fn left_over(&mut self, column: Option<&str>, entries: Vec<(String, Tree)>) {
        for (key, value) in entries.into_iter().filter(|(_, value)| *value != Tree::Null) {
            self.lost(column, &key, format!("`{}` has no place in a schema", shown(value.to_string())));
        }
    }
}

/// Takes an entry out of a foreign map; a null is no entry.
fn take(entries: &mut Vec<(String, Tree)>, key: &str) -> Option<Tree> {
    let index = entries.iter().position(|(name, _)| name == key)?;
    Some(entries.remove(index).1).filter(|value| *value != Tree::Null)
}

/// The only entry of a map of tables.
fn only_table(tables: Vec<(String, Tree)>) -> Result<(String, Vec<(String, Tree)>), SchemaError> {
    let count = tables.len();
    let one = tables.into_iter().next().filter(|_| count == 1);
    let (name, table) = one.ok_or_else(|| {
        SchemaError::table(
            format!("the file describes {count} tables, and a schema describes one"),
            "keep the table to synthesise, and drop the others",
        )
    })?;
    Ok((name, table.into_map().ok_or_else(|| not_a("table"))?))
}

fn not_a(what: &str) -> SchemaError {
    SchemaError::table(
        format!("the file is not in that format: no {what} where one belongs"),
        "check that `--from` names the format of this file; `scumble schema import --help` lists them",
    )
}

/// Says which properties of a column do not come along, all but those `carried`.
fn column_losses(field: &FieldSpec, carried: &[&str], format: &str, report: &mut Report) {
    let value = serde_json::to_value(field).expect("a column is plain data");
    for (property, value) in properties("", value) {
        if !["name", "type"].contains(&property.as_str()) && !carried.contains(&property.as_str()) {
            report.lost(Some(&field.name), &property, format!("`{}` has no place in {format}", shown(value)));
        }
    }
}

/// Says that a format which knows public facts only makes one of a guess.
fn source_loss(field: &FieldSpec, format: &str, report: &mut Report) {
    let source = match field.dp.source {
        Source::Public => return,
        Source::Assumed => "assumed",
        Source::Dp => "dp",
        Source::Data => "data",
    };
    report.lost(Some(&field.name), "dp.source", format!("`{source}` here; {format} counts all that it says as public"));
}

/// Columns that are made up on output, which are no columns of the real table, and the schema without them.
fn without_made_up(spec: &SchemaSpec) -> (Vec<FieldSpec>, SchemaSpec) {
    let fields = spec.fields.iter().cloned();
    let (made_up, fields) = fields.partition(|field| field.dp.generate.is_some());
    (made_up, SchemaSpec { fields, ..spec.clone() })
}

/// Says which properties of the table do not come along, and which rules.
fn table_losses(spec: &SchemaSpec, carried: &[&str], format: &str, report: &mut Report) {
    for (rule, number) in spec.dp.rules.iter().zip(1..) {
        report.lost(None, "dp.rules", format!("rule {number} ({rule}) has no place in {format}"));
    }
    let mut table = SchemaSpec { fields: vec![], ..spec.clone() };
    table.dp.rules.clear();
    let value = serde_json::to_value(table).expect("a schema is plain data");
    for (property, value) in properties("", value) {
        // A blank that stands for a missing value is what every tool reads so.
        let usual =
            [("missingValues", r#"[""]"#), ("dp.privacyUnit", "row")].contains(&(property.as_str(), value.as_str()));
        if property != "fields" && !usual && !carried.contains(&property.as_str()) {
            report.lost(None, &property, format!("`{}` has no place in {format}", shown(value)));
        }
    }
}

/// All properties by their path, down to those of `constraints`, `dp` and its `bins`.
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

/// A value that may be long.
fn shown(value: String) -> String {
    const LONG: usize = 60;
    if value.chars().count() <= LONG { value } else { value.chars().take(LONG).chain("...".chars()).collect() }
}
