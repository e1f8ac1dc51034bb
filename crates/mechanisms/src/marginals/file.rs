//! The file of external tables: JSON, read by a parser with bounded memory.
//!
//! A user may name the wrong file, and it may hold rows. So no message quotes the file, except
//! names of columns.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use scumble_schema::{AtomicFile, AttributeId, Clique, Domain, Schema, cells, io_problem, limits};
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::MarginalsError;
use super::statement::Statement;
use super::tables::{MAX_COUNT, Marginal, Marginals, NoiseKind, check_size};

const VERSION: u64 = 1;
/// Number of columns of a table that an error names.
const NAMED_COLUMNS: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a file of tables")]
struct Document {
    #[serde(rename = "version")]
    _version: Version,
    privacy: Statement,
    #[serde(default)]
    rows: Option<u64>,
    tables: Tables,
}

struct Version;

/// The tables. If they are too large, only as many as prove it.
struct Tables(Vec<Table>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the keys of a table")]
struct Table {
    columns: Vec<String>,
    standard_deviation: f64,
    #[serde(default)]
    noise: Option<NoiseKind>,
    counts: Counts,
}

/// The counts of a table. If there are too many, one more than the maximum.
struct Counts(Vec<f64>);

impl Marginals {
    /// Reads a file of tables over columns of `schema`.
    pub fn read(path: &Path, schema: &Schema) -> Result<Self, MarginalsError> {
        let unusable = |problem| MarginalsError::File { path: path.display().to_string(), problem };
        let file = File::open(path).map_err(|error| unusable(io_problem(&error)))?;
        let facts = file.metadata().map_err(|error| unusable(io_problem(&error)))?;
        // A pipe or a device may never end.
        if !facts.is_file() {
            return Err(unusable("not a regular file".into()));
        }
        if facts.len() > limits::MARGINALS_FILE_BYTES {
            return Err(MarginalsError::too_large(format!(
                "the file of tables has {} bytes, at most {} are read",
                facts.len(),
                limits::MARGINALS_FILE_BYTES
            )));
        }
        // It may have grown since.
        Self::parse(BufReader::new(file).take(limits::MARGINALS_FILE_BYTES), schema).map_err(|error| match error {
            MarginalsError::File { problem, .. } => unusable(problem),
            error => error,
        })
    }

    /// Parses a file of tables over columns of `schema`.
    pub fn parse(text: impl Read, schema: &Schema) -> Result<Self, MarginalsError> {
        let document: Document = serde_json::from_reader(text).map_err(|error| unreadable(&error))?;
        let tables = document.tables.0;
        check_size(tables.len(), tables.iter().map(|table| table.counts.0.len() as u128).sum())?;
        let tables = (1..).zip(tables).map(|(place, table)| table.over(schema, place)).collect::<Result<_, _>>()?;
        Self::new(document.privacy, document.rows, tables)
    }

    /// Returns the text of the file, with one table per line.
    pub fn to_json(&self, schema: &Schema) -> String {
        let plain = "statements and tables have text keys and finite numbers";
        let mut text = format!("{{\n\"version\": {VERSION},\n\"privacy\": ");
        text += &serde_json::to_string(self.statement()).expect(plain);
        if let Some(rows) = self.rows() {
            write!(text, ",\n\"rows\": {rows}").expect("writing to a text");
        }
        text += ",\n\"tables\": [";
        for (place, table) in self.tables().iter().enumerate() {
            text += if place == 0 { "\n" } else { ",\n" };
            text += &serde_json::to_string(&Written::new(table, schema)).expect(plain);
        }
        text + "\n]\n}\n"
    }

    /// Writes the file atomically and durably.
    pub fn write(&self, path: &Path, schema: &Schema) -> Result<(), MarginalsError> {
        AtomicFile::write_all_to(path, self.to_json(schema).as_bytes())
            .map_err(|error| MarginalsError::File { path: path.display().to_string(), problem: io_problem(&error) })
    }
}

impl Table {
    fn over(self, schema: &Schema, place: usize) -> Result<Marginal, MarginalsError> {
        let columns = in_brackets(&self.columns);
        let refused = |problem: String, hint: &str| MarginalsError::Table {
            place,
            columns: columns.clone(),
            problem,
            hint: hint.into(),
        };
        let mut axes: Vec<AttributeId> = Vec::new();
        for name in &self.columns {
            let Some(column) = schema.find(name) else {
                return Err(refused(
                    "names a column that the schema does not have".into(),
                    "write names as the schema does",
                ));
            };
            if axes.contains(&column) {
                return Err(refused("names a column twice".into(), "name every column of the table once"));
            }
            axes.push(column);
        }
        let domain = schema.domain();
        let clique = Clique::new(axes.iter().copied());
        domain
            .table_len(&clique)
            .map_err(|error| MarginalsError::too_large(format!("table {place}{columns}: {error}")))?;
        let counts = self.counts.0;
        if counts.len() as u128 > limits::CELLS_PER_TABLE {
            let most = limits::CELLS_PER_TABLE;
            return Err(MarginalsError::too_large(format!("table {place}{columns} has more than {most} counts")));
        }
        let is_ascending = axes.is_sorted();
        // A wrong number of counts is refused below.
        let fits = counts.len() as u128 == domain.cells(&clique);
        let counts = if fits && !is_ascending { in_order(domain, &axes, &clique, &counts) } else { counts };
        Marginal::new(domain, clique, counts, self.standard_deviation, self.noise)
            .map_err(|(problem, hint)| refused(problem, hint))
    }
}

/// Reorders the counts of a table with columns in the order of `axes` to the order of [`cells`].
fn in_order(domain: &Domain, axes: &[AttributeId], clique: &Clique, counts: &[f64]) -> Vec<f64> {
    let strides = cells::strides(domain, clique);
    let place = |axis: &AttributeId| clique.attributes().binary_search(axis).expect("the clique has these columns");
    let steps: Vec<(u32, usize)> = axes.iter().map(|axis| (domain.size(*axis), strides[place(axis)])).collect();
    let mut ordered = vec![0.0; counts.len()];
    let mut codes = vec![0_u32; axes.len()];
    let mut cell = 0;
    for &count in counts {
        ordered[cell] = count;
        // The next combination of codes, with the last axis fastest.
        for (code, &(size, stride)) in codes.iter_mut().zip(&steps).rev() {
            *code += 1;
            cell += stride;
            if *code < size {
                break;
            }
            cell -= stride * size as usize;
            *code = 0;
        }
    }
    ordered
}

fn in_brackets(columns: &[String]) -> String {
    let mut named: Vec<String> =
        columns.iter().take(NAMED_COLUMNS).map(|name| format!("`{}`", shortened(name))).collect();
    if columns.len() > NAMED_COLUMNS {
        named.push("...".into());
    }
    if named.is_empty() { " (no columns)".into() } else { format!(" ({})", named.join(", ")) }
}

/// Shortens a name for a message, and replaces control characters.
fn shortened(name: &str) -> String {
    const MAX_LETTERS: usize = 64;
    let plain = name.chars().map(|letter| if letter.is_control() { '\u{FFFD}' } else { letter });
    let mut short: String = plain.take(MAX_LETTERS).collect();
    if name.chars().nth(MAX_LETTERS).is_some() {
        short += "...";
    }
    short
}

/// Converts an error of the parser to one that does not quote the file.
fn unreadable(error: &serde_json::Error) -> MarginalsError {
    if let Some(kind) = error.io_error_kind() {
        return MarginalsError::File { path: String::new(), problem: io_problem(&kind.into()) };
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(place.as_str()).unwrap_or(&message);
    let problem = if !error.is_data() || message.starts_with("missing field") || message.starts_with("duplicate field")
    {
        message.replace("field", "key")
    } else {
        // Before the last "expected" the message quotes the file; after it stands what the parser
        // expects.
        let ours = message.rsplit_once("expected ").map_or("something else", |(_, ours)| ours);
        format!("expected {}", ours.replace("f64", "a number").replace("u64", "a whole number"))
    };
    MarginalsError::Syntax { problem: format!("{problem}, at line {} column {}", error.line(), error.column()) }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            VERSION => Ok(Self),
            other => {
                Err(de::Error::invalid_value(de::Unexpected::Unsigned(other), &"version 1, the only one there is"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Tables {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of tables")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut tables: A) -> Result<Self, A::Error> {
        let mut cells = 0_u128;
        while self.0.len() <= limits::TABLES && cells <= limits::CELLS_PER_MODEL {
            let Some(table) = tables.next_element::<Table>()? else { return Ok(self) };
            cells += table.counts.0.len() as u128;
            self.0.push(table);
        }
        while tables.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Counts {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut counts: A) -> Result<Self, A::Error> {
        while self.0.len() as u128 <= limits::CELLS_PER_TABLE {
            let Some(count) = counts.next_element::<f64>()? else { return Ok(self) };
            self.0.push(count);
        }
        while counts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

/// A table in the form that is written.
#[derive(Serialize)]
struct Written<'a> {
    columns: Vec<&'a str>,
    standard_deviation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<NoiseKind>,
    #[serde(serialize_with = "write_counts")]
    counts: &'a [f64],
}

impl<'a> Written<'a> {
    fn new(table: &'a Marginal, schema: &'a Schema) -> Self {
        let measurement = table.measurement();
        let columns = measurement.clique().attributes().iter().map(|&column| schema.attribute(column).name());
        Self {
            columns: columns.collect(),
            standard_deviation: measurement.standard_deviation(),
            noise: table.noise(),
            counts: measurement.values(),
        }
    }
}

/// Writes whole counts without a decimal point.
fn write_counts<S: Serializer>(counts: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(counts.len()))?;
    for &count in counts {
        if count.fract() == 0.0 && count.abs() <= MAX_COUNT {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and at most 2^53")]
            list.serialize_element(&(count as i64))?;
        } else {
            list.serialize_element(&count)?;
        }
    }
    list.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_stand_in_any_order_of_columns() {
        let domain = Domain::new(vec![2, 3, 4]).unwrap();
        let axes = [2, 0, 1].map(AttributeId::new);
        let clique = Clique::new(axes);
        // The count of codes (a, b, c) is 100 a + 10 b + c, given with the last column outermost.
        let codes = || (0..4_u32).flat_map(|c| (0..2_u32).flat_map(move |a| (0..3_u32).map(move |b| (a, b, c))));
        let counts: Vec<f64> = codes().map(|(a, b, c)| f64::from(100 * a + 10 * b + c)).collect();
        let ordered = in_order(&domain, &axes, &clique, &counts);
        for (a, b, c) in codes() {
            let cell = (a * 3 + b) * 4 + c;
            assert!((ordered[cell as usize] - f64::from(100 * a + 10 * b + c)).abs() < f64::EPSILON);
        }
    }
}
