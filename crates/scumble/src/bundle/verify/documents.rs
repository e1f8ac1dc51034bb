//! Checks of documents against the model.

use scumble_mechanisms::marginals::{Marginals, Statement};
use scumble_mechanisms::{Model, Origin};
use scumble_report::releases;
use scumble_vault::Certificate;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Verification;
use super::files::Folder;
use crate::bundle::checksums::Sum;
use crate::bundle::contents::{
    CERTIFICATE, CROISSANT, CSV, Contents, DATA_PACKAGE, DECLARED, MARGINALS, MODEL, PARQUET, PROGRAM,
};
use crate::error::Error;

/// Checks the privacy claim by its own rules, and all documents against those that this program
/// generates.
pub(super) fn check(
    folder: &Folder<'_>,
    contents: &Contents<'_>,
    same_program: bool,
    found: &mut Verification,
) -> Result<(), Error> {
    let documents = match contents.documents() {
        Ok(documents) => documents,
        Err(error) => {
            found.failed_at("documents", format!("cannot be made from the model: {error}"));
            return Ok(());
        }
    };
    let mut due: Vec<&str> = documents.iter().map(|document| document.name).chain([PARQUET, CSV]).collect();
    due.sort_unstable();
    let missing: Vec<&str> = due.iter().copied().filter(|name| folder.get(name).is_none()).collect();
    let undue: Vec<&str> = folder.names().filter(|name| !due.contains(name)).collect();
    if missing.is_empty() && undue.is_empty() {
        found.passed("contents", "are complete for such a model");
    } else {
        for (what, names) in [("lack", missing), ("have files that such a model does not have:", undue)] {
            if !names.is_empty() {
                found.failed_at("contents", format!("{what} {}", names.join(", ")));
            }
        }
    }
    check_claim(folder, contents.model, found)?;
    for document in documents.iter().filter(|document| document.name != MODEL) {
        let name = document.name;
        let Some(sum) = folder.get(name) else { continue };
        if *sum == Sum::of(&document.bytes) {
            found.passed(name, "agrees with the model");
        } else if same_program {
            found.failed_at(name, "does not agree with the model");
        } else {
            match facts_agree(name, folder, contents)? {
                Some(true) => found.not_checked(name, "is of another version; its figures agree with the model"),
                Some(false) => found.failed_at(name, "contradicts the model"),
                None => {
                    found.not_checked(
                        name,
                        format!("is of another version than {PROGRAM}: only its checksum was verified"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Checks that the certificate or declaration is that of the model, whatever program wrote it.
fn check_claim(folder: &Folder<'_>, model: &Model, found: &mut Verification) -> Result<(), Error> {
    match model.origin() {
        Origin::Measured { certificate, .. } => {
            let written: Option<Certificate> = part(folder, CERTIFICATE, "certificate")?;
            if written.as_ref() != Some(certificate) {
                found.failed_at("guarantee", format!("is not the model's: {CERTIFICATE} has another certificate"));
            } else if let Err(error) = certificate.verify() {
                found.failed_at("guarantee", format!("does not follow: {error}"));
            } else {
                let releases = releases(certificate.events().len());
                found.passed("guarantee", format!("is the model's, and its totals follow from {releases}"));
            }
        }
        Origin::External(marginals) => {
            let written: Option<Statement> = part(folder, DECLARED, "declared")?;
            if written.as_ref() == Some(marginals.statement()) {
                found.passed(
                    "guarantee",
                    "is declared by the party that released the tables, and not accounted for by this program",
                );
            } else {
                found.failed_at("guarantee", format!("is not the model's: {DECLARED} has another statement"));
            }
        }
    }
    Ok(())
}

/// Returns whether a document of another version agrees in its facts; `None` if it is for people.
fn facts_agree(name: &str, folder: &Folder<'_>, contents: &Contents<'_>) -> Result<Option<bool>, Error> {
    let schema = contents.model.schema();
    Ok(match name {
        // The facts in these were compared already.
        CERTIFICATE | DECLARED => Some(true),
        MARGINALS => {
            let written = folder.document(MARGINALS)?.map(|bytes| Marginals::parse(&bytes[..], schema));
            let due = contents.model.marginals()?.marginals;
            Some(written.is_some_and(|written| {
                written.is_ok_and(|written| written.tables() == due.tables() && written.rows() == due.rows())
            }))
        }
        DATA_PACKAGE => {
            let resources: Option<Value> = part(folder, DATA_PACKAGE, "resources")?;
            let hash = |sum: &Sum| format!("sha256:{}", sum.sha256);
            let due = [(PARQUET, hash(&contents.parquet)), (CSV, hash(&contents.csv))];
            Some(lists(resources.as_ref(), ["path", "hash"], &due))
        }
        CROISSANT => {
            let files: Option<Value> = part(folder, CROISSANT, "distribution")?;
            let due = [(PARQUET, contents.parquet.sha256.clone()), (CSV, contents.csv.sha256.clone())];
            Some(lists(files.as_ref(), ["contentUrl", "sha256"], &due))
        }
        _ => None,
    })
}

/// Returns whether a list of objects has one for each of these pairs of values.
fn lists(list: Option<&Value>, keys: [&str; 2], due: &[(&str, String)]) -> bool {
    let entries = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    due.iter().all(|(path, hash)| entries.iter().any(|entry| entry[keys[0]] == **path && entry[keys[1]] == **hash))
}

/// Returns the value of a key of a JSON document, if it exists.
fn part<T: DeserializeOwned>(folder: &Folder<'_>, name: &str, key: &str) -> Result<Option<T>, Error> {
    if folder.get(name).is_none() {
        return Ok(None);
    }
    let document = folder.document(name)?.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    Ok(document.and_then(|mut document| serde_json::from_value(document.get_mut(key)?.take()).ok()))
}
