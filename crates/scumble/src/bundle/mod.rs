//! Release bundles: folders that can be published as they are, and verified by every recipient.
//!
//! A [`Release`] has the number of rows, the seed and the publication metadata. [`create`] writes
//! the folder: rows as Parquet and CSV, the model, its noisy tables, the certificate as figures and
//! in words, a report, a page for readers, metadata for machines, and checksums of all files.
//! [`verify()`] checks such a folder, from anybody, by generating all files again from the model in
//! it.
//!
//! # Privacy
//! A bundle is a function of a model, which has only released values and public facts, and of a
//! release, which is public. It cannot contain a row of the real table.
//!
//! ```no_run
//! use scumble::bundle::{self, Publisher, Release};
//! use scumble::Model;
//!
//! let model = Model::read("people.model".as_ref())?;
//! let publisher = Publisher { curator: Some("Office of Statistics".into()), ..Publisher::default() };
//! let release = Release { publisher, ..Release::new(model.rows(), "2026-11-15".parse()?)? };
//! bundle::create(&model, &release, "people-2026".as_ref(), |_| true)?;
//! assert!(bundle::verify("people-2026".as_ref(), |_, _| true)?.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checksums;
mod contents;
mod croissant;
mod data;
mod data_package;
mod error;
mod folder;
mod index;
mod readme;
mod registry;
mod release;
mod verify;

use std::path::Path;

use scumble_mechanisms::Model;

use crate::error::Error;

use checksums::{Sum, Summing};
use contents::{CSV, Contents, INNER_FOLDER, PARQUET};
use folder::NewFolder;

pub use error::BundleError;
pub use release::{Date, Publisher, Release};
pub use verify::{Check, Outcome, Verification, verify};

/// Writes a bundle to a folder that does not exist yet, atomically and durably. Returns the sorted
/// names of its files.
///
/// Calls `go_on` with the number of rows drawn so far, and stops once it returns `false`.
///
/// # Privacy
/// Post-processing of the model.
pub fn create(
    model: &Model,
    release: &Release,
    folder: &Path,
    go_on: impl FnMut(u64) -> bool,
) -> Result<Vec<&'static str>, Error> {
    release.publisher.check()?;
    release.check_criteria(model)?;
    let new = NewFolder::create(folder)?;
    let sinks = [Summing::new(new.file(PARQUET)?), Summing::new(new.file(CSV)?)];
    let [parquet, csv] = data::draw(model, release, sinks, go_on)?.map(Summing::finish);
    for (file, _) in [&parquet, &csv] {
        new.sync(file)?;
    }
    let contents = Contents { model, release, parquet: parquet.1, csv: csv.1 };
    let documents = contents.documents()?;
    let sums: Vec<(&str, Sum)> = documents.iter().map(|document| (document.name, Sum::of(&document.bytes))).collect();
    let rows = [(PARQUET, &contents.parquet), (CSV, &contents.csv)];
    let list = checksums::list(sums.iter().map(|(name, sum)| (*name, sum)).chain(rows));
    for document in &documents {
        new.write(document.name, &document.bytes)?;
    }
    new.write(checksums::LIST, list.as_bytes())?;
    new.persist(&[INNER_FOLDER])?;
    let mut names: Vec<&str> = documents.iter().map(|document| document.name).collect();
    names.extend([PARQUET, CSV, checksums::LIST]);
    names.sort_unstable();
    Ok(names)
}
