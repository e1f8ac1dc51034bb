//! `croissant.json`: a description of the rows for machine-learning tools, Croissant 1.0 in
//! JSON-LD.

use std::collections::BTreeMap;

use scumble_schema::{FieldType, OutputColumn};
use serde::Serialize;
use serde_json::{Value, json};

use super::checksums::Sum;
use super::contents::{CSV, Contents, PARQUET};
use super::data_package::is_address;
use super::release::placeholder;

const VERSION: &str = "http://mlcommons.org/croissant/1.0";
const CSV_FILE: &str = "csv-file";
const PARQUET_FILE: &str = "parquet-file";
const ROWS: &str = "rows";

/// Terms of the standard's own vocabulary that keep their names.
const TERMS: [&str; 25] = [
    "citeAs",
    "column",
    "equivalentProperty",
    "extract",
    "field",
    "fileProperty",
    "fileObject",
    "fileSet",
    "format",
    "includes",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
];

#[derive(Serialize)]
pub(super) struct Croissant<'a> {
    #[serde(rename = "@context")]
    context: BTreeMap<&'static str, Value>,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "conformsTo")]
    conforms_to: &'static str,
    name: String,
    description: String,
    license: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    creator: Organisation<'a>,
    publisher: Organisation<'a>,
    version: &'a str,
    #[serde(rename = "datePublished")]
    date_published: String,
    #[serde(rename = "citeAs")]
    cite_as: String,
    keywords: [&'static str; 2],
    #[serde(rename = "isLiveDataset")]
    is_live_dataset: bool,
    distribution: [FileObject; 2],
    #[serde(rename = "recordSet")]
    record_set: [RecordSet; 1],
}

#[derive(Clone, Serialize)]
struct Organisation<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct FileObject {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@id")]
    id: &'static str,
    name: &'static str,
    description: &'static str,
    #[serde(rename = "contentUrl")]
    content_url: &'static str,
    #[serde(rename = "contentSize")]
    content_size: String,
    #[serde(rename = "encodingFormat")]
    encoding_format: &'static str,
    sha256: String,
}

#[derive(Serialize)]
struct RecordSet {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@id")]
    id: &'static str,
    name: &'static str,
    description: String,
    field: Vec<Field>,
}

#[derive(Serialize)]
struct Field {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@id")]
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(rename = "dataType")]
    data_type: &'static str,
    source: Source,
}

#[derive(Serialize)]
struct Source {
    #[serde(rename = "fileObject")]
    file_object: Reference,
    extract: Extract,
}

#[derive(Serialize)]
struct Reference {
    #[serde(rename = "@id")]
    id: &'static str,
}

#[derive(Serialize)]
struct Extract {
    column: String,
}

impl<'a> Croissant<'a> {
    pub(super) fn new(contents: &'a Contents<'_>) -> Self {
        let publisher = &contents.release.publisher;
        let address = publisher.contact.as_deref().filter(|contact| is_address(contact));
        let office = Organisation { kind: "sc:Organization", name: publisher.curator(), url: address };
        let rows = contents.release.rows;
        let fields =
            contents.model.schema().output_columns().into_iter().zip(1..).map(|(column, place)| field(column, place));
        Self {
            context: context(),
            kind: "sc:Dataset",
            conforms_to: VERSION,
            name: contents.title(),
            description: contents.description(),
            license: publisher.licence.clone().unwrap_or_else(|| placeholder("the licence")),
            url: publisher.url.as_deref(),
            creator: office.clone(),
            publisher: office,
            version: publisher.version(),
            date_published: contents.release.date.to_string(),
            cite_as: contents.citation(),
            keywords: ["synthetic data", "differential privacy"],
            is_live_dataset: false,
            distribution: [
                // The name of Parquet in tools of the standard.
                file(PARQUET_FILE, PARQUET, "Synthetic rows, as Parquet", "application/x-parquet", &contents.parquet),
                file(CSV_FILE, CSV, "The same rows, as CSV", "text/csv", &contents.csv),
            ],
            record_set: [RecordSet {
                kind: "cr:RecordSet",
                id: ROWS,
                name: ROWS,
                description: format!("{rows} synthetic rows"),
                field: fields.collect(),
            }],
        }
    }
}

/// Returns the context: the short names of the document and their meanings, as the standard lists
/// them.
fn context() -> BTreeMap<&'static str, Value> {
    let own = TERMS.map(|term| (term, json!(format!("cr:{term}"))));
    let others = [
        ("@language", json!("en")),
        ("@vocab", json!("https://schema.org/")),
        ("conformsTo", json!("dct:conformsTo")),
        ("cr", json!("http://mlcommons.org/croissant/")),
        ("data", json!({ "@id": "cr:data", "@type": "@json" })),
        ("dataType", json!({ "@id": "cr:dataType", "@type": "@vocab" })),
        ("dct", json!("http://purl.org/dc/terms/")),
        ("examples", json!({ "@id": "cr:examples", "@type": "@json" })),
        ("rai", json!("http://mlcommons.org/croissant/RAI/")),
        ("sc", json!("https://schema.org/")),
        ("transform", json!("cr:transform")),
    ];
    own.into_iter().chain(others).collect()
}

fn file(
    id: &'static str,
    path: &'static str,
    description: &'static str,
    encoding_format: &'static str,
    sum: &Sum,
) -> FileObject {
    FileObject {
        kind: "cr:FileObject",
        id,
        name: id,
        description,
        content_url: path,
        content_size: format!("{} B", sum.bytes),
        encoding_format,
        sha256: sum.sha256.clone(),
    }
}

/// Returns the description of a column. Columns are numbered, because names may have characters
/// that an identifier cannot have.
fn field(column: OutputColumn<'_>, place: usize) -> Field {
    let spec = column.spec();
    let description = spec.description.clone().or_else(|| spec.title.clone());
    Field {
        kind: "cr:Field",
        id: format!("{ROWS}/column-{place}"),
        name: column.name().into(),
        description,
        data_type: data_type(column.field_type()),
        source: Source {
            file_object: Reference { id: PARQUET_FILE },
            extract: Extract { column: column.name().into() },
        },
    }
}

fn data_type(field_type: FieldType) -> &'static str {
    match field_type {
        // Years are whole numbers in both files.
        FieldType::Integer | FieldType::Year => "sc:Integer",
        FieldType::Number => "sc:Float",
        FieldType::String => "sc:Text",
        FieldType::Boolean => "sc:Boolean",
        FieldType::Date => "sc:Date",
        FieldType::Datetime => "sc:DateTime",
        FieldType::Time => "sc:Time",
    }
}
