//! Checking a bundle that somebody else made.
//!
//! In two steps. First every file against its sum: what is listed is there, what is there is listed, nothing is a link, and no byte
//! differs. If that fails, nothing in the folder is looked at any further. Then what the files say: the model is read by its own
//! parser, every document is made again from it and compared, and so are the rows.
//!
//! Nothing is believed. Only files whose names a bundle can have are opened, so no path leads out of the folder; sums are taken in
//! the memory of one buffer; what is parsed has a limit; files of rows are read behind the engine's guards; and rows are drawn
//! again only once both files are known to have as many.

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
use crate::error::Error;

use files::Folder;

/// What came out of looking at a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// What was checked, in this order.
    pub checks: Vec<Check>,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What it is about: a file, or something that several of them have in common.
    pub about: &'static str,
    /// What came out.
    pub outcome: Outcome,
    /// The same in words.
    pub text: String,
}

/// What came out of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not.
    Failed,
    /// Nobody can tell, for the reason that is given.
    NotChecked,
}

impl Verification {
    /// Whether nothing failed. What could not be checked does not count as failed: look at [`Outcome::NotChecked`].
    pub fn holds(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The checks that failed, in the order in which they were made.
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

/// Checks a bundle.
///
/// `go_on` is told how many rows were drawn again, and of how many, and stops the work by answering `false`.
///
/// # Errors
/// If the folder cannot be read. What is wrong with it is no error, but what is asked for.
pub fn verify(folder: &Path, go_on: impl FnMut(u64, u64) -> bool) -> Result<Verification, Error> {
    let mut found = Verification { checks: Vec::new() };
    if let Some(folder) = Folder::check(folder, &mut found)? {
        check_contents(&folder, go_on, &mut found)?;
    } else {
        found.not_checked("contents", "were not looked at, because the files are not those that were listed");
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
        found.not_checked("contents", "were not compared, because what they follow from cannot be read");
        return Ok(());
    };
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
        // Bytes that its parser passes over would not be covered by what follows from the model.
        Ok(model) if Sum::of(&model.to_bytes()) != *folder.sum(MODEL) => {
            found.failed_at(MODEL, "is not written as this program writes models");
            None
        }
        Ok(model) => {
            found.passed(MODEL, "is a sound model, and its own hash holds");
            Some(model)
        }
        Err(error) => {
            found.failed_at(MODEL, format!("cannot be read: {error}"));
            None
        }
    }
}

/// How the bundle was made, as its data package records.
fn check_release(folder: &Folder<'_>, found: &mut Verification) -> Result<Option<MadeBy<Release>>, Error> {
    let recorded = folder.document(DATA_PACKAGE)?;
    let recorded = recorded.and_then(|bytes| serde_json::from_slice::<Recorded>(&bytes).ok());
    let is_sound =
        |made: &MadeBy<Release>| made.release.publisher.check().is_ok() && !made.program.chars().any(char::is_control);
    let Some(made) = recorded.map(|recorded| recorded.made).filter(is_sound) else {
        found.failed_at("release", format!("is not told by {DATA_PACKAGE} in a way that can be read"));
        return Ok(None);
    };
    let Release { rows, seed, date, .. } = &made.release;
    found.passed("release", format!("of {date}: {rows} rows, seed {seed}, made by {}", made.program));
    Ok(Some(made))
}
