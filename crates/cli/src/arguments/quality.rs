//! Arguments for checking synthetic rows against the real ones.

use std::path::PathBuf;

use clap::Args;
use scumble::mechanisms::quality::{Check, CheckShare, Criteria};
use scumble::{Error, Sampling};

use super::{EngineChoice, RealTable, number_of_rows, sampling};

/// A check of the rows within the budget of a fit.
#[derive(Debug, Args)]
pub(crate) struct RowChecks {
    /// Share of the budget for comparing synthetic rows with the real ones, with noise, so that
    /// their quality may be published: between 0 and 1, in thousandths. By default nothing is
    /// compared, or 0.05 with `--accept`
    #[arg(long, value_name = "NUMBER", value_parser = check_share)]
    check_share: Option<CheckShare>,
    /// File of criteria: their figures are measured and compared with their bounds
    #[arg(long, value_name = "FILE")]
    pub(crate) accept: Option<PathBuf>,
}

impl RowChecks {
    /// Reads the criteria, if there are some. Rows are judged by what was read before the fit.
    pub(crate) fn criteria(&self) -> Result<Option<Criteria>, Error> {
        self.accept.as_deref().map(scumble::read_criteria).transpose()
    }

    /// Returns whether rows are to be checked.
    pub(crate) fn is_asked(&self) -> bool {
        self.check_share.is_some() || self.accept.is_some()
    }

    /// Returns the check of these rows by these criteria, if there is one.
    pub(crate) fn check(&self, criteria: Option<&Criteria>, rows: CheckedRows) -> Option<Check> {
        self.is_asked().then(|| Check {
            share: self.check_share.unwrap_or_default(),
            rows: rows.rows,
            seed: rows.seed.unwrap_or_default(),
            sampling: rows.sampling,
            ..Check::new(criteria)
        })
    }
}

/// The rows of a check.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CheckedRows {
    pub(crate) rows: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) sampling: Option<Sampling>,
}

/// Parses the share of the budget for a check.
fn check_share(text: &str) -> Result<CheckShare, String> {
    let share: f64 = text.parse().map_err(|_| "not a number, such as 0.05".to_owned())?;
    CheckShare::of(share).ok_or_else(|| "a share is at least 0.001 and at most 0.999".to_owned())
}

/// Fit a model, draw rows, check them against criteria, and write a bundle if they are met: all in
/// one budget
///
/// If a mandatory criterion is not met, no bundle is written, and the budget is spent. The model is
/// kept, so that other rows can be drawn from it for free, and checked for a budget of their own.
#[derive(Debug, Args)]
#[command(
    mut_arg("accept", |argument| argument.required(true)),
    override_usage = "scumble release [OPTIONS] --accept <FILE> --epsilon <NUMBER> --output <FOLDER> <DATA>...",
    after_help = "Example:\n  scumble release people.csv --schema people.schema.yaml --accept criteria.yaml \\\n      \
                  --epsilon 1 --delta 1e-9 -o people-checked"
)]
pub(crate) struct Release {
    #[command(flatten)]
    pub(crate) real: RealTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
    /// Number of rows, such as 5000 or 1e6; by default that of the real table, which is a noisy
    /// estimate unless it is public
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows: Option<u64>,
    /// Seed of the rows; it is written into the bundle, and has no influence on the noise. By
    /// default 0
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Sampling method; by default `matched` up to 131072 rows, and `low-variance` above
    #[arg(long, value_name = "NAME", value_parser = sampling())]
    pub(crate) sampling: Option<Sampling>,
    /// Folder to write; it must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// SSH key that signs the bundle: the file of a private key, or of a public key whose private
    /// key is in `ssh-agent` or on a device. It is tried before budget is spent
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
}

impl Release {
    pub(crate) fn checked_rows(&self) -> CheckedRows {
        CheckedRows { rows: self.rows, seed: self.seed, sampling: self.sampling }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_share_is_that_of_the_help_text() {
        assert_eq!(check_share("0.05"), Ok(CheckShare::default()));
    }
}
