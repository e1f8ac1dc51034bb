//! Release bundles: folders that can be published as they are, and verified by every recipient.
//!
//! A [`Release`] has the number of rows, the seed and the publication metadata. [`create`] writes
//! the folder: rows as Parquet and CSV, the model, its noisy tables, the certificate as figures and
//! in words, a report, a page for readers, metadata for machines, and checksums of all files.
//! [`verify()`] checks such a folder, from anybody, by generating all files again from the model in
//! it. [`create_signed`] and [`verify_signed`] do so with the SSH signature of a publisher, a
//! [`Signer`], and the [`Signers`] whom a reader trusts.
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
mod ledger;
mod readme;
mod registry;
mod release;
mod signature;
mod verify;

use std::path::Path;

use scumble_mechanisms::Model;

use crate::error::Error;

use checksums::{Sum, Summing};
use contents::{CSV, Contents, INNER_FOLDER, PARQUET};
use folder::NewFolder;
use signature::SIGNATURE;

pub use error::BundleError;
pub use folder::check_folder_name;
pub use ledger::{LedgerHead, LedgerState};
pub use release::{Date, Publisher, Release};
pub use signature::{Signer, Signers};
pub use verify::{Check, Outcome, Verification, verify, verify_signed};

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
    write(model, release, None, folder, go_on)
}

/// Writes a bundle as [`create`] does, with the signature of a publisher.
///
/// The signature is of the list of checksums, so it covers every other file.
///
/// # Errors
/// Those of [`create`], and if the key does not sign.
///
/// # Privacy
/// Post-processing of the model.
pub fn create_signed(
    model: &Model,
    release: &Release,
    signer: &Signer,
    folder: &Path,
    go_on: impl FnMut(u64) -> bool,
) -> Result<Vec<&'static str>, Error> {
    write(model, release, Some(signer), folder, go_on)
}

fn write(
    model: &Model,
    release: &Release,
    signer: Option<&Signer>,
    folder: &Path,
    go_on: impl FnMut(u64) -> bool,
) -> Result<Vec<&'static str>, Error> {
    release.publisher.check()?;
    release.check_model(model)?;
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
    let mut names: Vec<&str> = documents.iter().map(|document| document.name).collect();
    names.extend([PARQUET, CSV, checksums::LIST]);
    if let Some(signer) = signer {
        new.write(SIGNATURE, signer.sign(list.as_bytes())?.text())?;
        names.push(SIGNATURE);
    }
    new.persist(&[INNER_FOLDER])?;
    names.sort_unstable();
    Ok(names)
}
