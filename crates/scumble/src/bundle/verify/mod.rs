//! Verification of a bundle from an untrusted source.
//!
//! There are two steps. First, every file is checked against its checksum: all listed files exist,
//! all files are listed, none is a link, no byte differs, and if the reader names signers, the list
//! of checksums is signed by one of them. If that fails, nothing in the folder
//! is read any further. Then the contents are checked: the model is read by its own parser, and all
//! documents and rows are generated again from it and compared.
//!
//! Nothing in the folder is trusted. Only files that a bundle can have are opened, so no path leads
//! out of the folder. Checksums are computed in the memory of one buffer, parsed files have a
//! limit, and files of rows are read with the checks of the engine. Rows are drawn again only once
//! both files are known to have the recorded number.

mod documents;
mod files;
mod rows;

use std::path::Path;

use scumble_mechanisms::Model;
use serde::Serialize;

use super::checksums::Sum;
use super::contents::{CSV, Contents, DATA_PACKAGE, MODEL, PARQUET, PROGRAM};
use super::data_package::{MadeBy, Recorded};
use super::release::Release;
use super::signature::Signers;
use crate::error::Error;

use files::Folder;

/// Result of verifying a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Subject: a file, or a property of several files.
    pub about: &'static str,
    /// Outcome of the check.
    pub outcome: Outcome,
    /// Outcome in words.
    pub text: String,
}

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The check passed.
    Passed,
    /// The check failed.
    Failed,
    /// Could not be checked, for the given reason.
    NotChecked,
}

impl Verification {
    /// Returns whether no check failed. [`Outcome::NotChecked`] does not count as failed.
    pub fn holds(&self) -> bool {
        self.failed().next().is_none()
    }

    /// Returns the failed checks, in order.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.outcome == Outcome::Failed)
    }

    fn passed(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(about, Outcome::Passed, text);
    }

    fn failed_at(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(about, Outcome::Failed, text);
    }

    fn not_checked(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(about, Outcome::NotChecked, text);
    }

    fn add(&mut self, about: &'static str, outcome: Outcome, text: impl Into<String>) {
        self.checks.push(Check { about, outcome, text: text.into() });
    }
}

/// Verifies a bundle.
///
/// Calls `go_on` with the number of rows drawn again and their total, and stops once it returns
/// `false`.
///
/// # Errors
/// If the folder cannot be read. Failed checks are part of the result, not errors.
pub fn verify(folder: &Path, go_on: impl FnMut(u64, u64) -> bool) -> Result<Verification, Error> {
    verify_by(folder, None, go_on)
}

/// Verifies a bundle as [`verify()`] does, and that one of these signers signed it.
///
/// If nobody of them did, nothing in the bundle is read any further.
///
/// # Errors
/// Those of [`verify()`], and if the signers cannot be read or `ssh-keygen` cannot be run.
pub fn verify_signed(
    folder: &Path,
    signers: &Signers,
    go_on: impl FnMut(u64, u64) -> bool,
) -> Result<Verification, Error> {
    verify_by(folder, Some(signers), go_on)
}

fn verify_by(
    folder: &Path,
    signers: Option<&Signers>,
    go_on: impl FnMut(u64, u64) -> bool,
) -> Result<Verification, Error> {
    let mut found = Verification { checks: Vec::new() };
    if let Some(folder) = Folder::check(folder, signers, &mut found)? {
        check_contents(&folder, go_on, &mut found)?;
    } else {
        found.not_checked("contents", "were not checked, because the files are not those that were listed or signed");
    }
    Ok(found)
}

fn check_contents(
    folder: &Folder<'_>,
    go_on: impl FnMut(u64, u64) -> bool,
    found: &mut Verification,
) -> Result<(), Error> {
    let model = check_model(folder, found);
    let made = check_release(folder, found)?;
    let (Some(model), Some(MadeBy { program, release })) = (model, made) else {
        found.not_checked("contents", "were not compared, because the model or the release cannot be read");
        return Ok(());
    };
    if let Err(error) = release.check_model(&model) {
        found.failed_at("release", error.to_string());
        return Ok(());
    }
    let contents = Contents {
        model: &model,
        release: &release,
        parquet: folder.sum(PARQUET).clone(),
        csv: folder.sum(CSV).clone(),
    };
    let same_program = program == PROGRAM;
    documents::check(folder, &contents, same_program, found)?;
    rows::check(folder, &contents, same_program, go_on, found)
}

fn check_model(folder: &Folder<'_>, found: &mut Verification) -> Option<Model> {
    match Model::read(&folder.path(MODEL)) {
        // Bytes that the parser ignores would not be covered by the other checks.
        Ok(model) if Sum::of(&model.to_bytes()) != *folder.sum(MODEL) => {
            found.failed_at(MODEL, "is not written as this program writes models");
            None
        }
        Ok(model) => {
            found.passed(MODEL, "is a valid model, and its hash matches");
            Some(model)
        }
        Err(error) => {
            found.failed_at(MODEL, format!("cannot be read: {error}"));
            None
        }
    }
}

/// Reads how the bundle was made, from its data package.
fn check_release(folder: &Folder<'_>, found: &mut Verification) -> Result<Option<MadeBy<Release>>, Error> {
    let recorded = folder.document(DATA_PACKAGE)?;
    let recorded = recorded.and_then(|bytes| serde_json::from_slice::<Recorded>(&bytes).ok());
    let is_sound =
        |made: &MadeBy<Release>| made.release.publisher.check().is_ok() && !made.program.chars().any(char::is_control);
    let Some(made) = recorded.map(|recorded| recorded.made).filter(is_sound) else {
        found.failed_at("release", format!("cannot be read from {DATA_PACKAGE}"));
        return Ok(None);
    };
    let Release { rows, seed, date, .. } = &made.release;
    found.passed("release", format!("of {date}: {rows} rows, seed {seed}, made by {}", made.program));
    Ok(Some(made))
}
