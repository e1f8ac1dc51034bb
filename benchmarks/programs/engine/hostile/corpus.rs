//! The list of files, each with what makes it.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::damage::{arrow_footer, flipped, parquet_footer, truncations};
use super::random::Random;
use super::seed::{self, COMPRESSIONS};
use super::text_bombs::Make;
use super::{arrow_bombs, parquet_bombs, text_bombs};

/// One file of the corpus. It is made when its turn comes and removed afterwards: some are large.
pub(crate) struct Case {
    /// The file's name; its end says the format.
    pub(crate) name: String,
    pub(crate) make: Make,
}

impl Case {
    fn of_bytes(name: String, bytes: Vec<u8>) -> Self {
        Self { name, make: Box::new(move |path| fs::write(path, &bytes)) }
    }
}

/// All files, the same in every run.
pub(crate) fn cases() -> Vec<Case> {
    let mut random = Random::new(2026);
    let mut cases = texts(&mut random);
    cases.extend(parquets(&mut random));
    cases.extend(arrows(&mut random));
    cases.extend(text_bombs::files().into_iter().map(|(name, make)| Case { name, make }));
    let bombs = parquet_bombs::files().into_iter();
    cases.extend(bombs.map(|(name, bytes)| Case::of_bytes(format!("{name}.parquet"), bytes)));
    let bombs = arrow_bombs::files(&mut random).into_iter();
    cases.extend(bombs.map(|(name, bytes)| Case::of_bytes(format!("{name}.arrow"), bytes)));
    cases.extend(not_files());
    cases
}

fn texts(random: &mut Random) -> Vec<Case> {
    let text = seed::text(random, ',');
    let mut cases = vec![
        Case::of_bytes("sound.csv".into(), text.clone()),
        Case::of_bytes("sound.tsv".into(), seed::text(random, '\t')),
        Case::of_bytes("sound-text-named.parquet".into(), text.clone()),
        Case::of_bytes("sound-text-named.arrow".into(), text.clone()),
        Case::of_bytes("sound-text-named.csv.gz".into(), text.clone()),
    ];
    for (extension, compression) in COMPRESSIONS {
        let bytes = seed::compress(compression, text.clone());
        for (step, cut) in truncations(&bytes, 6).into_iter().enumerate() {
            cases.push(Case::of_bytes(format!("cut-{step}.csv.{extension}"), cut));
        }
        for step in 0..5 {
            let damaged = flipped(&bytes, 0..bytes.len(), 1 + step, random);
            cases.push(Case::of_bytes(format!("flipped-{step}.csv.{extension}"), damaged));
        }
        cases.push(Case::of_bytes(format!("flipped-head.csv.{extension}"), flipped(&bytes, 2..16, 3, random)));
        cases.push(Case::of_bytes(format!("sound.csv.{extension}"), bytes));
    }
    cases
}

fn parquets(random: &mut Random) -> Vec<Case> {
    let mut cases = vec![];
    for (name, bytes) in seed::parquet(random) {
        for (step, cut) in truncations(&bytes, 4).into_iter().enumerate() {
            cases.push(Case::of_bytes(format!("cut-{name}-{step}.parquet"), cut));
        }
        let footer = parquet_footer(&bytes);
        for step in 0..6 {
            let damaged = flipped(&bytes, footer.clone(), 1 + step / 3, random);
            cases.push(Case::of_bytes(format!("flipped-footer-{name}-{step}.parquet"), damaged));
        }
        for step in 0..3 {
            // The header of the first page is behind the magic word.
            let damaged = flipped(&bytes, 4..40, 1 + step, random);
            cases.push(Case::of_bytes(format!("flipped-head-{name}-{step}.parquet"), damaged));
        }
        for step in 0..3 {
            let damaged = flipped(&bytes, 4..footer.start, 1 << (3 * step), random);
            cases.push(Case::of_bytes(format!("flipped-pages-{name}-{step}.parquet"), damaged));
        }
        cases.push(Case::of_bytes(format!("sound-{name}-named.arrow"), bytes.clone()));
        cases.push(Case::of_bytes(format!("sound-{name}.parquet"), bytes));
    }
    cases
}

fn arrows(random: &mut Random) -> Vec<Case> {
    let mut cases = vec![];
    for (name, bytes) in seed::arrow(random) {
        for (step, cut) in truncations(&bytes, 5).into_iter().enumerate() {
            cases.push(Case::of_bytes(format!("cut-{name}-{step}.arrow"), cut));
        }
        for step in 0..6 {
            let damaged = flipped(&bytes, 0..2_000.min(bytes.len()), 1 + step / 2, random);
            cases.push(Case::of_bytes(format!("flipped-head-{name}-{step}.arrow"), damaged));
        }
        for step in 0..4 {
            let damaged = flipped(&bytes, 0..bytes.len(), 1 << (2 * step), random);
            cases.push(Case::of_bytes(format!("flipped-{name}-{step}.arrow"), damaged));
        }
        if bytes.starts_with(b"ARROW1") {
            for step in 0..6 {
                let damaged = flipped(&bytes, arrow_footer(&bytes), 1 + step / 2, random);
                cases.push(Case::of_bytes(format!("flipped-footer-{name}-{step}.arrow"), damaged));
            }
        }
        cases.push(Case::of_bytes(format!("sound-{name}-named.parquet"), bytes.clone()));
        cases.push(Case::of_bytes(format!("sound-{name}.arrow"), bytes));
    }
    cases
}

/// What stands in place of a file.
fn not_files() -> Vec<Case> {
    let mut cases = vec![];
    for extension in ["csv", "tsv", "csv.gz", "csv.zst", "csv.bz2", "csv.xz", "parquet", "arrow"] {
        cases.push(Case::of_bytes(format!("empty.{extension}"), vec![]));
        cases.push(Case::of_bytes(format!("one-byte.{extension}"), vec![0]));
    }
    for extension in ["csv", "csv.gz", "parquet", "arrow"] {
        let make: Make = Box::new(|path| fs::create_dir(path));
        cases.push(Case { name: format!("directory.{extension}"), make });
        let make: Make = Box::new(|path| std::os::unix::fs::symlink("/dev/zero", path));
        cases.push(Case { name: format!("endless-zeros.{extension}"), make });
        cases.push(Case { name: format!("pipe.{extension}"), make: Box::new(pipe) });
        let make: Make = Box::new(|path| std::os::unix::fs::symlink(path, path));
        cases.push(Case { name: format!("link-to-itself.{extension}"), make });
    }
    cases
}

/// A named pipe that nobody writes to.
fn pipe(path: &Path) -> io::Result<()> {
    let made = Command::new("mkfifo").arg(path).status()?;
    made.success().then_some(()).ok_or_else(|| io::Error::other("mkfifo failed"))
}
