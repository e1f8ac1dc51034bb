//! A release as one folder that can be published as it is, and checked by whoever gets it.
//!
//! A [`Release`] says how many rows are drawn from a model, with which seed, and what the publisher says about them. [`create`]
//! writes the folder: rows as Parquet and CSV, the model, its noisy tables, the certificate as figures and in words, a
//! report, a page for readers, descriptions for machines, and sums of all files. [`verify()`] takes such a folder, from anybody, and makes everything
//! again that follows from the model in it.
//!
//! # Privacy
//! A bundle is a function of a model, which holds released values and public facts only, and of a release, which is public. No row
//! of the real table can be in it.
//!
//! ```no_run
//! use scumble::bundle::{self, Publisher, Release};
//! use scumble::{Model, Sampling};
//!
//! let model = Model::read("people.model".as_ref())?;
//! let release = Release {
//!     rows: model.rows(),
//!     seed: scumble::fresh_seed()?,
//!     sampling: Sampling::for_rows(model.rows()),
//!     date: "2026-11-15".parse()?,
//!     publisher: Publisher { curator: Some("Office of Statistics".into()), ..Publisher::default() },
//! };
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

/// Writes a bundle to a folder that does not exist yet: whole and durable, or not at all. The names of its files are returned,
/// sorted.
///
/// `go_on` is told the number of rows drawn so far, and stops the work by answering `false`.
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
