//! The files of a bundle against the list of their sums.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Verification;
use crate::bundle::checksums::{self, Sum};
use crate::bundle::contents::{CSV, DATA_PACKAGE, FILES, INNER_FOLDER, MODEL, PARQUET};
use crate::bundle::error::BundleError;

/// Most bytes of the list: far more than all names and sums that it can have.
const LIST_BYTES: u64 = 1 << 14;
/// Most bytes of a document that is parsed: two copies of the largest schema, and as much around them.
const DOCUMENT_BYTES: u64 = 128 << 20;
/// Most strangers that are named.
const NAMED: usize = 5;
/// Most characters of a name that are shown.
const SHOWN_CHARACTERS: usize = 60;

/// A folder all of whose files have the sums that are listed.
pub(super) struct Folder<'a> {
    root: &'a Path,
    sums: BTreeMap<&'static str, Sum>,
}

impl<'a> Folder<'a> {
    /// Checks files and sums; `None` if they do not agree.
    pub(super) fn check(root: &'a Path, found: &mut Verification) -> Result<Option<Self>, BundleError> {
        let io = |error: std::io::Error| BundleError::io(root, &error);
        let Listing { present, strange } = Listing::of(root).map_err(io)?;
        if !strange.is_empty() {
            found.failed_at("files", format!("are not all of a bundle: {}", shown(&strange)));
            return Ok(None);
        }
        if !present.contains(checksums::LIST) {
            found.failed_at("files", format!("have no {} among them, so this is no bundle", checksums::LIST));
            return Ok(None);
        }
        let list = read_at_most(&root.join(checksums::LIST), LIST_BYTES).map_err(io)?;
        let listed = list.as_deref().ok_or("is longer than any".to_owned()).and_then(checksums::parse);
        let listed = match listed {
            Ok(listed) => listed,
            Err(problem) => {
                found.failed_at("files", format!("are not listed soundly: {} {problem}", checksums::LIST));
                return Ok(None);
            }
        };
        let names: BTreeSet<&str> = listed.iter().map(|(name, _)| *name).collect();
        let there: BTreeSet<&str> = present.iter().copied().filter(|name| *name != checksums::LIST).collect();
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
            found.failed_at("checksums", format!("do not hold for {}", damaged.join(", ")));
            return Ok(None);
        }
        found.passed("checksums", "hold for every file");
        Ok(Some(Self { root, sums }))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The sum of a file that every bundle has.
    pub(super) fn sum(&self, name: &str) -> &Sum {
        self.get(name).expect("a folder without it was refused")
    }

    pub(super) fn get(&self, name: &str) -> Option<&Sum> {
        self.sums.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.sums.keys().copied()
    }

    /// The bytes of a document; `None` if they are more than any has.
    pub(super) fn document(&self, name: &str) -> Result<Option<Vec<u8>>, BundleError> {
        read_at_most(&self.path(name), DOCUMENT_BYTES).map_err(|error| BundleError::io(self.root, &error))
    }
}

/// What is in a folder.
struct Listing {
    /// Files whose names a bundle can have.
    present: BTreeSet<&'static str>,
    /// Names, as they can be shown, of whatever else there is; not all of them, if they are many.
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
            // Of the entry itself: what a link leads to is of no interest.
            let kind = entry.file_type()?;
            let known = FILES.iter().map(|(known, _)| *known).chain([checksums::LIST]).find(|known| *known == name);
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
            if self.strange.len() > NAMED {
                break;
            }
        }
        Ok(())
    }
}

/// The name of a file as text. One that is no text is none that we know, and the replacement keeps it so.
fn lossless(name: &OsStr) -> String {
    name.to_str().map_or_else(|| format!("{}\u{fffd}", name.to_string_lossy()), Into::into)
}

/// A name that somebody else chose, so that it cannot disturb a terminal.
fn quoted(name: &str) -> String {
    let start: String = name.chars().take(SHOWN_CHARACTERS).collect();
    let more = if start.len() < name.len() { "..." } else { "" };
    format!("`{}{more}`", start.escape_debug())
}

fn shown(names: &[String]) -> String {
    let more = if names.len() > NAMED { " and others" } else { "" };
    names[..names.len().min(NAMED)].join(", ") + more
}

/// The whole file, or `None` if it is longer.
fn read_at_most(path: &Path, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
