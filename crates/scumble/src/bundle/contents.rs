//! The files of a bundle, and the contents of all but the rows.
//!
//! Everything here is a function of the model, the release and the checksums of the two files of
//! rows. So a bundle is reproducible byte for byte, and [`verify`](super::verify()) can generate
//! every file again and compare.

use scumble_mechanisms::marginals::{MarginalsError, Statement};
use scumble_mechanisms::quality::{Checked, Judged};
use scumble_mechanisms::{Method, Model, Origin};
use scumble_report::{Explanation, guarantee, picture, public_page};
use scumble_vault::Certificate;
use serde::Serialize;

use super::checksums::Sum;
use super::release::{Release, placeholder};
use super::{croissant, data_package, index, readme, registry};
use crate::error::Error;

pub(super) const PARQUET: &str = "data/synthetic.parquet";
pub(super) const CSV: &str = "data/synthetic.csv";
pub(super) const MODEL: &str = "model.scumble";
pub(super) const MARGINALS: &str = "marginals.json";
pub(super) const CERTIFICATE: &str = "certificate.json";
pub(super) const CERTIFICATE_IN_WORDS: &str = "certificate.txt";
pub(super) const DECLARED: &str = "declared.json";
pub(super) const DECLARED_IN_WORDS: &str = "declared.txt";
pub(super) const DATA_PACKAGE: &str = "datapackage.json";
pub(super) const CROISSANT: &str = "croissant.json";
pub(super) const REGISTRY: &str = "registry-entry.yaml";
pub(super) const QUALITY: &str = "quality.json";
pub(super) const LEDGER: &str = "ledger.json";
pub(super) const REPORT: &str = "report.html";
pub(super) const PICTURE: &str = "model.svg";
pub(super) const README: &str = "README.md";
pub(super) const INDEX: &str = "index.html";

/// The folder inside a bundle.
pub(super) const INNER_FOLDER: &str = "data";

/// Name and version of this program, in the files that it writes.
pub(super) const PROGRAM: &str = concat!("scumble ", env!("CARGO_PKG_VERSION"));

/// All files that a bundle may have, except the list of checksums and its signature, with a
/// description.
pub(super) const FILES: [(&str, &str); 17] = [
    (INDEX, "what this folder is, what is promised, whom to ask: a page to begin with, for any browser"),
    (PARQUET, "the synthetic rows, with the types of their columns"),
    (CSV, "the same rows as text"),
    (DATA_PACKAGE, "what the files of rows are and what their columns hold: a Data Package (datapackage.org)"),
    (CROISSANT, "the same for tools of machine learning: Croissant 1.0 (mlcommons.org)"),
    (REPORT, "what was measured, how well, and what not to trust: a page for any browser"),
    (QUALITY, "how near the rows are to the real ones, released with noise, and the criteria that they were judged by"),
    (PICTURE, "which columns the model ties together, as a picture"),
    (CERTIFICATE, "the privacy guarantee with every release that it is computed from"),
    (CERTIFICATE_IN_WORDS, "the privacy guarantee in words"),
    (LEDGER, "the ledger that counts this release: its cap, what is spent, and its head"),
    (DECLARED, "what the maker of the noisy tables declares about privacy"),
    (DECLARED_IN_WORDS, "what is declared about privacy, in words"),
    (MARGINALS, "the noisy tables that the model was fitted to"),
    (MODEL, "the model that the rows were drawn from; `scumble sample` draws others"),
    (REGISTRY, "an entry for the registry of deployments of differential privacy, to be completed"),
    (README, "what this folder is, as plain text"),
];

/// The data that the documents of a bundle are made from.
pub(super) struct Contents<'a> {
    pub(super) model: &'a Model,
    pub(super) release: &'a Release,
    /// Checksum of the Parquet file of rows.
    pub(super) parquet: Sum,
    pub(super) csv: Sum,
}

/// Released figures of the quality of rows, as a document.
#[derive(Serialize)]
struct Quality {
    #[serde(flatten)]
    checked: Checked,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Judged>,
}

/// A complete file.
pub(super) struct Document {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
}

impl Contents<'_> {
    /// Returns all files except those of rows and the list of checksums.
    pub(super) fn documents(&self) -> Result<Vec<Document>, Error> {
        let model_bytes = self.model.to_bytes();
        let model_sum = Sum::of(&model_bytes);
        let mut documents = vec![Document { name: MODEL, bytes: model_bytes }];
        let mut add = |name, text: String| documents.push(Document { name, bytes: text.into_bytes() });
        let claim = Claim::new(self.model, &model_sum);
        match self.model.origin() {
            Origin::Measured { .. } => {
                add(CERTIFICATE, pretty(&claim));
                add(CERTIFICATE_IN_WORDS, self.in_words(CERTIFICATE));
            }
            Origin::External(_) => {
                add(DECLARED, pretty(&claim));
                add(DECLARED_IN_WORDS, self.in_words(DECLARED));
            }
        }
        match self.model.marginals() {
            Ok(exported) => add(MARGINALS, exported.marginals.to_json(self.model.schema())),
            // Some methods measure no table over columns of the schema.
            Err(MarginalsError::NoTables) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(quality) = self.quality() {
            add(QUALITY, pretty(&quality));
        }
        if let Some(ledger) = &self.release.ledger {
            add(LEDGER, pretty(ledger));
        }
        add(REPORT, public_page(self.model, Some(&self.title())));
        add(PICTURE, picture(self.model));
        add(DATA_PACKAGE, pretty(&data_package::DataPackage::new(self)));
        add(CROISSANT, pretty(&croissant::Croissant::new(self)));
        add(REGISTRY, registry::entry(self));
        let mut names: Vec<&str> = documents.iter().map(|document| document.name).collect();
        names.extend([PARQUET, CSV, README, INDEX]);
        let index = index::index(self, &names);
        let readme = readme::readme(self, &names);
        documents.push(Document { name: README, bytes: readme.into_bytes() });
        documents.push(Document { name: INDEX, bytes: index.into_bytes() });
        Ok(documents)
    }

    /// Returns the released figures of the rows, and the criteria that they were judged by.
    fn quality(&self) -> Option<Quality> {
        let checked = self.release.checked(self.model)?;
        let criteria = self.release.criteria.clone();
        let judged = criteria.as_ref().map(|criteria| criteria.judge(&checked)).unwrap_or_default();
        Some(Quality { checked, confidence: criteria.map(|criteria| criteria.confidence), criteria: judged })
    }

    /// Returns the title of the release.
    pub(super) fn title(&self) -> String {
        let declared = || self.model.schema().to_spec().title;
        self.release.publisher.title.clone().or_else(declared).unwrap_or_else(|| "Synthetic rows".into())
    }

    /// Returns the description of the table, in sentences.
    pub(super) fn about(&self) -> String {
        let declared = || self.model.schema().to_spec().description;
        let about = self.release.publisher.description.clone().or_else(declared);
        let about = about.unwrap_or_else(|| placeholder("what the table is about"));
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let stop = if about.ends_with(['.', '!', '?', ']']) { "" } else { "." };
        format!("{about}{stop}")
    }

    /// Returns the description of the table, and that its rows are synthetic.
    pub(super) fn description(&self) -> String {
        format!(
            "{} The rows are synthetic: they were drawn from a model, not taken from the real table. {}",
            self.about(),
            guarantee(self.model)
        )
    }

    /// Returns the citation of the release.
    pub(super) fn citation(&self) -> String {
        let Release { date, publisher, .. } = self.release;
        let address = publisher.url.as_ref().map_or_else(String::new, |url| format!(" {url}"));
        format!(
            "{} ({}). {}, version {}. Synthetic rows, drawn with {PROGRAM}.{address}",
            publisher.curator(),
            date.year(),
            self.title(),
            publisher.version(),
        )
    }

    fn in_words(&self, figures: &str) -> String {
        let title = self.title();
        let line = "=".repeat(title.chars().count());
        let words = Explanation::new(self.model).to_string();
        let words = words.trim_end();
        format!(
            "{title}\n{line}\n\n{words}\n\nThe figures behind this page are in {figures}. `scumble bundle verify` checks both \
             against the model.\n"
        )
    }
}

/// The privacy claim of a model, and who makes it.
#[derive(Serialize)]
struct Claim<'a> {
    guarantee: String,
    privacy_unit: String,
    model: ModelFile<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a Method>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'a Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<&'a Statement>,
}

#[derive(Serialize)]
struct ModelFile<'a> {
    path: &'static str,
    sha256: &'a str,
}

impl<'a> Claim<'a> {
    fn new(model: &'a Model, sum: &'a Sum) -> Self {
        let declared = match model.origin() {
            Origin::Measured { .. } => None,
            Origin::External(marginals) => Some(marginals.statement()),
        };
        Self {
            guarantee: guarantee(model),
            privacy_unit: model.schema().privacy().unit.to_string(),
            model: ModelFile { path: MODEL, sha256: &sum.sha256 },
            method: model.method(),
            certificate: model.certificate(),
            declared,
        }
    }
}

/// Formats JSON for people. Keys are in the order of the fields: it must not depend on the features
/// of a library.
fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("documents have text keys and finite numbers") + "\n"
}
