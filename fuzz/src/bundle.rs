//! Release bundles from strangers.

use std::path::Path;
use std::sync::LazyLock;

use scumble::bundle::{self, Outcome, Publisher, Release};
use scumble::{Model, Sampling};
use scumble_vault::hex;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::message;
use crate::model_text::file_of_text;
use crate::seeds::{SEEDS, folder};

/// The list of the checksums of all other files.
const LIST: &str = "SHA256SUMS";
const SIGNATURE: &str = "SHA256SUMS.sig";

/// Files by name.
type Files = Vec<(String, Vec<u8>)>;

/// A bundle that verifies, with its list of checksums and an empty signature at the end.
static SOUND: LazyLock<Files> = LazyLock::new(|| {
    let text = std::fs::read(folder(SEEDS, "model").join("external.txt")).expect("a seed");
    let model = Model::from_bytes(&file_of_text(&text)).expect("the seed is a model");
    let publisher = Publisher { curator: Some("Office of Statistics".into()), ..Publisher::default() };
    let date = "2026-11-15".parse().expect("a date");
    let release = Release::of_model(&model, Some(30), Some(1), date).expect("randomness");
    let release = Release { publisher, sampling: Sampling::LowVariance, ..release };
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().join("bundle");
    let mut names = bundle::create(&model, &release, &path, |_| true).expect("a sound bundle");
    names.retain(|name| *name != LIST);
    let read = |name: &str| (name.to_owned(), std::fs::read(path.join(name)).expect("a file of the bundle"));
    let signature = (SIGNATURE.to_owned(), Vec::new());
    names.into_iter().map(read).chain([read(LIST), signature]).collect()
});

/// A sound bundle of which one file has other bytes: verification finds it, or reports that it was
/// not checked.
///
/// The first byte selects the file, and the others are its content. The checksums are computed
/// again, unless the list of checksums is the file.
pub fn bundle(bytes: &[u8]) {
    let Some((place, content)) = bytes.split_first() else { return };
    let mut files = SOUND.clone();
    let place = usize::from(place.wrapping_sub(b'A')) % files.len();
    let is_signed = files[place].0 == SIGNATURE;
    if !is_signed {
        files.pop();
    }
    let is_same = files[place].1 == content;
    content.clone_into(&mut files[place].1);
    if files[place].0 != LIST {
        list_again(&mut files);
    }
    let directory = TempDir::new().expect("a temporary directory");
    write(directory.path(), &files);
    let found = match bundle::verify(directory.path(), |_, _| true) {
        Ok(found) => found,
        Err(error) => return message::check_error(error),
    };
    found.checks.iter().for_each(|check| message::check(&check.text));
    let is_partial = found.checks.iter().any(|check| check.outcome == Outcome::NotChecked);
    assert!(is_same || is_partial || !found.holds(), "another `{}` is not noticed", files[place].0);
    assert!(!is_same || found.holds(), "a sound bundle fails: {found:?}");
}

/// Writes the list of checksums of the other files.
fn list_again(files: &mut Files) {
    let listed = files.iter().filter(|(name, _)| name != LIST && name != SIGNATURE);
    let lines = listed.map(|(name, content)| format!("{}  {name}\n", hex(&Sha256::digest(content))));
    let list: String = lines.collect();
    let place = files.iter().position(|(name, _)| name == LIST).expect("the list is a file");
    files[place].1 = list.into_bytes();
}

fn write(directory: &Path, files: &Files) {
    std::fs::create_dir(directory.join("data")).expect("the temporary directory has space");
    for (name, content) in files {
        std::fs::write(directory.join(name), content).expect("the temporary directory has space");
    }
}
