//! Checks of files against the list of their checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Verification;
use crate::bundle::checksums::{self, Sum};
use crate::bundle::contents::{CSV, DATA_PACKAGE, FILES, INNER_FOLDER, MODEL, PARQUET};
use crate::bundle::error::BundleError;
use crate::bundle::signature::{Envelope, SIGNATURE, Signers};

/// Maximum number of bytes of the list: far more than all names and checksums that it can have.
const MAX_LIST_BYTES: u64 = 1 << 14;
/// Maximum number of bytes of a signature: more than that of an RSA key of 16,384 bits.
const MAX_SIGNATURE_BYTES: u64 = 1 << 14;
/// Maximum number of bytes of a parsed document: two copies of the largest schema, and as much
/// around them.
const MAX_DOCUMENT_BYTES: u64 = 128 << 20;
/// Maximum number of unknown files that are named.
const MAX_NAMED: usize = 5;
/// Maximum number of characters shown of a name.
const MAX_SHOWN_CHARACTERS: usize = 60;

/// Files that the list of checksums does not name: itself and its signature.
const UNLISTED: [&str; 2] = [checksums::LIST, SIGNATURE];

/// A folder whose files all have the listed checksums.
pub(super) struct Folder<'a> {
    root: &'a Path,
    sums: BTreeMap<&'static str, Sum>,
}

impl<'a> Folder<'a> {
    /// Checks files, signature and checksums; `None` if they do not agree.
    pub(super) fn check(
        root: &'a Path,
        signers: Option<&Signers>,
        found: &mut Verification,
    ) -> Result<Option<Self>, BundleError> {
        let io = |error: std::io::Error| BundleError::io(root, &error);
        let Listing { present, strange } = Listing::of(root).map_err(io)?;
        if !strange.is_empty() {
            found.failed_at("files", format!("include some that a bundle cannot have: {}", shown(&strange)));
            return Ok(None);
        }
        if !present.contains(checksums::LIST) {
            found.failed_at("files", format!("do not include {}, so this is not a bundle", checksums::LIST));
            return Ok(None);
        }
        let list = read_at_most(&root.join(checksums::LIST), MAX_LIST_BYTES).map_err(io)?;
        let list = list.as_deref().ok_or("is too long".to_owned());
        let parsed = list.and_then(|list| Ok((list, checksums::parse(list)?)));
        let (list, listed) = match parsed {
            Ok(parsed) => parsed,
            Err(problem) => {
                found.failed_at("files", format!("are not listed correctly: {} {problem}", checksums::LIST));
                return Ok(None);
            }
        };
        let names: BTreeSet<&str> = listed.iter().map(|(name, _)| *name).collect();
        let there: BTreeSet<&str> = present.iter().copied().filter(|name| !UNLISTED.contains(name)).collect();
        let needed = BTreeSet::from([MODEL, DATA_PACKAGE, PARQUET, CSV]);
        let missing: Vec<String> =
            names.union(&needed).filter(|name| !there.contains(*name)).map(|name| quoted(name)).collect();
        let unlisted: Vec<String> = there.difference(&names).map(|name| quoted(name)).collect();
        if !missing.is_empty() || !unlisted.is_empty() {
            let say = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what}: {}", shown(names)));
            let problems = [say("are missing", &missing), say("are not listed", &unlisted)];
            found.failed_at("files", problems.into_iter().flatten().collect::<Vec<_>>().join("; "));
            return Ok(None);
        }
        found.passed(
            "files",
            format!("are those that {} lists, {} of them, and no other", checksums::LIST, there.len()),
        );
        let signature = present.contains(SIGNATURE).then(|| root.join(SIGNATURE));
        if !check_signature(signature.as_deref(), list, signers, found)? {
            return Ok(None);
        }
        let mut sums = BTreeMap::new();
        let mut damaged = Vec::new();
        for (name, sha256) in listed {
            let known = FILES.iter().map(|(known, _)| *known).find(|known| *known == name);
            let name = known.expect("a name that is not known is not there");
            let sum = File::open(root.join(name)).and_then(Sum::read).map_err(io)?;
            if sum.sha256 != sha256 {
                damaged.push(quoted(name));
            }
            sums.insert(name, sum);
        }
        if !damaged.is_empty() {
            found.failed_at("checksums", format!("do not match {}", damaged.join(", ")));
            return Ok(None);
        }
        found.passed("checksums", "match every file");
        Ok(Some(Self { root, sums }))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Returns the sum of a file that every bundle has.
    pub(super) fn sum(&self, name: &str) -> &Sum {
        self.get(name).expect("a folder without it was refused")
    }

    pub(super) fn get(&self, name: &str) -> Option<&Sum> {
        self.sums.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.sums.keys().copied()
    }

    /// Returns the bytes of a document; `None` if it is too long.
    pub(super) fn document(&self, name: &str) -> Result<Option<Vec<u8>>, BundleError> {
        read_at_most(&self.path(name), MAX_DOCUMENT_BYTES).map_err(|error| BundleError::io(self.root, &error))
    }
}

/// Checks the signature of the list of checksums, if a reader names signers. Returns whether the
/// files may be read any further.
fn check_signature(
    path: Option<&Path>,
    list: &[u8],
    signers: Option<&Signers>,
    found: &mut Verification,
) -> Result<bool, BundleError> {
    const ABOUT: &str = "signature";
    let Some(path) = path else {
        if signers.is_some() {
            found.failed_at(ABOUT, format!("is missing: there is no {SIGNATURE}"));
        }
        return Ok(signers.is_none());
    };
    let text = read_at_most(path, MAX_SIGNATURE_BYTES).map_err(|error| BundleError::io(path, &error))?;
    let envelope = match text.as_deref().ok_or("is too long").and_then(Envelope::parse) {
        Ok(envelope) => envelope,
        Err(problem) => {
            found.failed_at(ABOUT, problem);
            return Ok(false);
        }
    };
    let key = envelope.fingerprint();
    let Some(signers) = signers else {
        found.not_checked(ABOUT, "was not checked, because no `--signers` was given");
        return Ok(true);
    };
    match signers.check(list, &envelope)? {
        Ok(name) => found.passed(ABOUT, format!("of {} is by {}, key {key}", checksums::LIST, quoted(&name))),
        Err(problem) => found.failed_at(ABOUT, format!("is not by an accepted signer, key {key}: {problem}")),
    }
    Ok(found.holds())
}

/// The contents of a folder.
struct Listing {
    /// Files that a bundle can have.
    present: BTreeSet<&'static str>,
    /// Names, safe to show, of other files and folders; not all, if there are many.
    strange: Vec<String>,
}

impl Listing {
    fn of(root: &Path) -> std::io::Result<Self> {
        let mut listing = Self { present: BTreeSet::new(), strange: Vec::new() };
        listing.add(root, "")?;
        listing.strange.sort_unstable();
        Ok(listing)
    }

    fn add(&mut self, folder: &Path, before: &str) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{before}{}", lossless(&entry.file_name()));
            // The type of the entry itself: links are not followed.
            let kind = entry.file_type()?;
            let known = FILES.iter().map(|(known, _)| *known).chain(UNLISTED).find(|known| *known == name);
            match known {
                Some(known) if kind.is_file() => {
                    self.present.insert(known);
                }
                None if kind.is_dir() && before.is_empty() && name == INNER_FOLDER => {
                    self.add(&entry.path(), "data/")?;
                }
                _ => {
                    let what = if kind.is_symlink() { " (a link)" } else { "" };
                    self.strange.push(format!("{}{what}", quoted(&name)));
                }
            }
            // One more than is named shows that there are others.
            if self.strange.len() > MAX_NAMED {
                break;
            }
        }
        Ok(())
    }
}

/// Returns a file name as text. A name that is not Unicode is unknown, and remains so after
/// replacement.
fn lossless(name: &OsStr) -> String {
    name.to_str().map_or_else(|| format!("{}\u{fffd}", name.to_string_lossy()), Into::into)
}

/// Quotes a name from an untrusted source, so that it cannot affect a terminal.
fn quoted(name: &str) -> String {
    let start: String = name.chars().take(MAX_SHOWN_CHARACTERS).collect();
    let more = if start.len() < name.len() { "..." } else { "" };
    format!("`{}{more}`", start.escape_debug())
}

fn shown(names: &[String]) -> String {
    let more = if names.len() > MAX_NAMED { " and others" } else { "" };
    names[..names.len().min(MAX_NAMED)].join(", ") + more
}

/// Reads a whole file; `None` if it is longer than `most`.
fn read_at_most(path: &Path, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
