//! `datapackage.json`: a Data Package, version 2, compatible with readers of version 1.
//!
//! The Table Schema is that of the rows as written
//! ([`Schema::written`](scumble_schema::Schema::written)), with the `dp` blocks of the declared
//! schema: they state the bins of a column, within which its values are uniform, and whether the
//! bins are public. The inputs of the bundle are recorded under their own key, so that it can be
//! generated again.

use scumble_schema::{FieldSpec, MissingValue, SchemaSpec};
use serde::{Deserialize, Serialize};

use super::checksums::Sum;
use super::contents::{CSV, Contents, PARQUET, PROGRAM};
use super::release::Release;

const PROFILE: &str = "https://datapackage.org/profiles/2.0/datapackage.json";
/// The media type that Apache registered for Parquet.
const PARQUET_TYPE: &str = "application/vnd.apache.parquet";
const CSV_TYPE: &str = "text/csv";

#[derive(Serialize)]
pub(super) struct DataPackage<'a> {
    #[serde(rename = "$schema")]
    profile: &'static str,
    name: String,
    title: String,
    description: String,
    version: &'a str,
    created: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<Licence<'a>>,
    contributors: Vec<Contributor<'a>>,
    keywords: [&'static str; 2],
    resources: [Resource; 2],
    #[serde(rename = "scumble")]
    made: MadeBy<&'a Release>,
}

/// The part of a data package that is read: how the bundle was made.
#[derive(Deserialize)]
pub(super) struct Recorded {
    #[serde(rename = "scumble")]
    pub(super) made: MadeBy<Release>,
}

/// The program and the inputs that made a bundle.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeBy<R> {
    pub(super) program: String,
    pub(super) release: R,
}

/// Licence by short name or by address, as the standard requires.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Licence<'a> {
    Name(&'a str),
    Path(&'a str),
}

#[derive(Serialize)]
struct Contributor<'a> {
    title: String,
    roles: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

#[derive(Serialize)]
struct Resource {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    path: &'static str,
    description: &'static str,
    format: &'static str,
    mediatype: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    bytes: u64,
    hash: String,
    schema: TableSchema,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct TableSchema {
    missing_values: Vec<MissingValue>,
    fields: Vec<FieldSpec>,
}

impl<'a> DataPackage<'a> {
    pub(super) fn new(contents: &'a Contents<'_>) -> Self {
        let release = contents.release;
        let publisher = &release.publisher;
        let contact = publisher.contact.as_deref();
        let SchemaSpec { missing_values, fields, .. } = contents.model.schema().output_spec();
        let schema = TableSchema { missing_values: missing_values.unwrap_or_default(), fields };
        Self {
            profile: PROFILE,
            name: slug(&contents.title()),
            title: contents.title(),
            description: contents.description(),
            version: publisher.version(),
            created: format!("{}T00:00:00Z", release.date),
            homepage: publisher.url.as_deref(),
            licenses: publisher.licence.iter().map(|licence| Licence::of(licence)).collect(),
            contributors: vec![Contributor {
                title: publisher.curator(),
                roles: ["publisher"],
                email: contact.filter(|contact| is_email(contact)),
                path: contact.filter(|contact| is_address(contact)),
            }],
            keywords: ["synthetic data", "differential privacy"],
            resources: [parquet(&contents.parquet, schema.clone()), csv(&contents.csv, schema)],
            made: MadeBy { program: PROGRAM.into(), release },
        }
    }
}

impl<'a> Licence<'a> {
    fn of(text: &'a str) -> Self {
        if is_address(text) { Self::Path(text) } else { Self::Name(text) }
    }
}

fn parquet(sum: &Sum, schema: TableSchema) -> Resource {
    Resource {
        name: "synthetic-parquet",
        // Not `table`: validators read Parquet through data frames, which turn whole numbers with
        // missing values into floats. As a `file`, its bytes and hash are checked.
        kind: "file",
        path: PARQUET,
        description: "Synthetic rows, as Parquet",
        format: "parquet",
        mediatype: PARQUET_TYPE,
        encoding: None,
        bytes: sum.bytes,
        hash: format!("sha256:{}", sum.sha256),
        schema,
    }
}

fn csv(sum: &Sum, schema: TableSchema) -> Resource {
    Resource {
        name: "synthetic-csv",
        kind: "table",
        path: CSV,
        description: "The same rows, as CSV",
        format: "csv",
        mediatype: CSV_TYPE,
        encoding: Some("utf-8"),
        bytes: sum.bytes,
        hash: format!("sha256:{}", sum.sha256),
        schema,
    }
}

/// Returns an identifier of lower-case letters, digits and hyphens.
pub(super) fn slug(text: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let words: String = text.chars().map(kept).collect();
    let slug = words.split_whitespace().collect::<Vec<_>>().join("-");
    if slug.is_empty() { "synthetic-rows".into() } else { slug }
}

pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !text.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_have_letters_digits_and_hyphens() {
        assert_eq!(slug("Household survey, 2026 (Öffentlich)"), "household-survey-2026-ffentlich");
        assert_eq!(slug("家計"), "synthetic-rows");
    }

    #[test]
    fn a_contact_is_recognised_by_its_form() {
        assert!(is_email("data@office.example") && !is_email("at 5 o'clock @ the office.example"));
        assert!(is_address("https://office.example/contact") && !is_address("CC-BY-4.0"));
    }
}
