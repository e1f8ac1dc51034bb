//! Which files of a log make a version.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::DeltaProblem;

/// Digits of a version in the name of a file.
const VERSION_DIGITS: usize = 20;
/// Digits of the number of a part of a checkpoint.
const PART_DIGITS: usize = 10;

/// The files of a log that make a version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogFiles {
    pub(crate) version: u64,
    /// The parts of the newest checkpoint that is not newer than the version; none, if the log
    /// begins with the first version.
    pub(crate) checkpoint: Vec<String>,
    /// The later commits, in order.
    pub(crate) commits: Vec<String>,
}

/// What the name of a file says.
enum Name {
    Commit(u64),
    /// A part of a checkpoint, and the number of its parts.
    Checkpoint(u64, u64),
}

impl Name {
    fn parse(name: &str) -> Option<Self> {
        let (version, kind) = name.split_at_checked(VERSION_DIGITS)?;
        let version = number(version, VERSION_DIGITS)?;
        match kind {
            ".json" => return Some(Self::Commit(version)),
            ".checkpoint.parquet" => return Some(Self::Checkpoint(version, 1)),
            _ => {}
        }
        let (part, parts) = kind.strip_prefix(".checkpoint.")?.strip_suffix(".parquet")?.split_once('.')?;
        let (part, parts) = (number(part, PART_DIGITS)?, number(parts, PART_DIGITS)?);
        (1..=parts).contains(&part).then_some(Self::Checkpoint(version, parts))
    }
}

fn number(digits: &str, length: usize) -> Option<u64> {
    (digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

impl LogFiles {
    /// Finds the files of a version, by default the newest, among the names in a log.
    pub(super) fn of(names: impl Iterator<Item = String>, version: Option<u64>) -> Result<Self, DeltaProblem> {
        let mut commits = BTreeMap::new();
        let mut checkpoints: BTreeMap<(u64, u64), BTreeSet<String>> = BTreeMap::new();
        for name in names {
            match Name::parse(&name) {
                Some(Name::Commit(version)) => drop(commits.insert(version, name)),
                Some(Name::Checkpoint(version, parts)) => {
                    checkpoints.entry((version, parts)).or_default().insert(name);
                }
                None => {}
            }
        }
        checkpoints.retain(|&(_, parts), names| names.len() as u64 == parts);
        let of_checkpoints = checkpoints.keys().map(|&(version, _)| version);
        let newest = commits.keys().copied().chain(of_checkpoints).max().ok_or(DeltaProblem::Empty)?;
        let version = version.unwrap_or(newest);
        if version > newest {
            return Err(DeltaProblem::TooNew { version, newest });
        }
        let checkpoint = checkpoints.into_iter().rfind(|&((of, _), _)| of <= version);
        let (first, checkpoint) = match checkpoint {
            Some(((of, _), names)) => (of + 1, names.into_iter().collect()),
            None => (0, vec![]),
        };
        let commit = |version| commits.remove(&version).ok_or(DeltaProblem::Missing { version });
        let commits = (first..=version).map(commit).collect::<Result<_, _>>()?;
        Ok(Self { version, checkpoint, commits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(version: u64) -> String {
        format!("{version:020}.json")
    }

    fn part(version: u64, part: u64, parts: u64) -> String {
        format!("{version:020}.checkpoint.{part:010}.{parts:010}.parquet")
    }

    fn files(names: &[String], version: Option<u64>) -> Result<LogFiles, DeltaProblem> {
        LogFiles::of(names.iter().cloned(), version)
    }

    #[test]
    fn a_version_is_the_newest_checkpoint_and_the_commits_after_it() {
        let single = format!("{:020}.checkpoint.parquet", 2);
        let mut names: Vec<String> = (0..8).map(commit).collect();
        names.extend([single.clone(), part(5, 1, 2), part(5, 2, 2), part(6, 2, 2)]);
        names.extend(
            ["_last_checkpoint", "00000000000000000003.crc", "00000000000000000004.json.tmp"].map(String::from),
        );
        let of = |version, checkpoint: &[String], commits: &[u64]| {
            let commits = commits.iter().copied().map(commit).collect();
            Ok(LogFiles { version, checkpoint: checkpoint.to_vec(), commits })
        };
        assert_eq!(files(&names, Some(1)), of(1, &[], &[0, 1]));
        assert_eq!(files(&names, Some(2)), of(2, std::slice::from_ref(&single), &[]));
        assert_eq!(files(&names, Some(4)), of(4, &[single], &[3, 4]));
        let whole = [part(5, 1, 2), part(5, 2, 2)];
        assert_eq!(files(&names, Some(6)), of(6, &whole, &[6]), "a part of the newer checkpoint is missing");
        assert_eq!(files(&names, None), of(7, &whole, &[6, 7]));
        assert_eq!(files(&names, Some(8)), Err(DeltaProblem::TooNew { version: 8, newest: 7 }));
    }

    #[test]
    fn commits_that_are_needed_must_be_there() {
        assert_eq!(files(&[], None), Err(DeltaProblem::Empty));
        let names = [commit(0), commit(2), format!("{:020}.checkpoint.parquet", 2), commit(3)];
        assert_eq!(files(&names, Some(1)), Err(DeltaProblem::Missing { version: 1 }));
        assert_eq!(files(&names, None).map(|files| files.commits.len()), Ok(1));
        let cleaned = [commit(4), commit(5)];
        assert_eq!(files(&cleaned, None), Err(DeltaProblem::Missing { version: 0 }));
        // A checkpoint of another kind is not read, so the commits before it are needed.
        let other = format!("{:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet", 5);
        assert_eq!(files(&[commit(5), other], None), Err(DeltaProblem::Missing { version: 0 }));
    }
}
