//! Arguments of `scumble evaluate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use scumble::{Delta, Epsilon, Start};

use super::terms::{WeakPrivacy, delta, epsilon};
use super::{FormatName, Overwriting, TextFiles, start};

/// Compare a synthetic table with the real one, for the steward of the real one: NOT differentially
/// private, unless with `--private`
///
/// The result is computed from the real rows without noise. Only people who may see these rows may
/// see it; do not publish it. With `--private`, fewer figures are released with noise, for a
/// budget; they may be published.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble evaluate --real people.csv --synth synth.csv --schema people.schema.yaml -o steward.html\n  \
                  scumble evaluate --real people.csv --synth synth.csv --schema people.schema.yaml --quick --json\n  \
                  scumble evaluate --private --real people.csv --synth synth.csv --schema people.schema.yaml \\\n      \
                  --epsilon 0.1 --delta 1e-9"
)]
pub(crate) struct Evaluate {
    /// Real table: files, folders, globs, PostgreSQL tables or `-`, as for `fit`
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) real: Vec<PathBuf>,
    /// Synthetic table
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) synth: Vec<PathBuf>,
    /// Schema file of both tables
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// HTML page to write, besides the text; `-` for standard output. With `--private`, a JSON file
    /// with figures and certificate
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// Title of the table on the page; by default, the title of the schema
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Numbers of columns of the compared tables, each from 1 to 8
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = order)]
    pub(crate) orders: Vec<usize>,
    /// Number of tables to compare for each number of columns; all tables if there are fewer
    #[arg(long, value_name = "NUMBER", default_value = "300")]
    pub(crate) count: NonZeroUsize,
    /// Column that defines subgroups by its values; may be repeated. By default, the first four
    /// columns with at most ten codes
    #[arg(long, value_name = "COLUMN")]
    pub(crate) subgroup: Vec<String>,
    /// Column for learners to predict; may be repeated. By default, up to eight columns, those with
    /// the fewest codes
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Vec<String>,
    /// Columns of income, sex and place, for the regression metric of the NIST 2018 challenge; it
    /// compares the first two values of sex
    #[arg(long, value_names = ["INCOME", "SEX", "PLACE"], num_args = 3)]
    pub(crate) earnings: Vec<String>,
    /// Seed of all random choices; the same seed gives the same numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Skip learners, propensity scores and chi-square tests
    #[arg(long)]
    pub(crate) quick: bool,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
    #[command(flatten)]
    pub(crate) private_evaluation: PrivateEvaluation,
}

/// Help heading of the options of `--private`.
const PRIVATE: &str = "Figures that may be published";

/// A differentially private evaluation.
#[derive(Debug, Args)]
pub(crate) struct PrivateEvaluation {
    /// Release figures with noise, for a budget of the real table, so that they may be published
    #[arg(long, help_heading = PRIVATE, requires = "epsilon", conflicts_with_all = ["title", "orders", "count", "subgroup", "target", "earnings", "seed", "quick"])]
    pub(crate) private: bool,
    /// Epsilon of (epsilon, delta)-differential privacy: the budget of the figures
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true, help_heading = PRIVATE, requires = "private")]
    pub(crate) epsilon: Option<Epsilon>,
    /// Delta of (epsilon, delta)-differential privacy
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, help_heading = PRIVATE, default_value_t = Delta::DEFAULT)]
    pub(crate) delta: Delta,
    /// File of criteria: their figures are measured and compared with their bounds
    #[arg(long, value_name = "FILE", help_heading = PRIVATE, requires = "private")]
    pub(crate) accept: Option<PathBuf>,
    /// Tables whose mean and largest error are measured with the usual figures: the file of
    /// `--workload` of `fit`
    #[arg(long, value_name = "FILE", help_heading = PRIVATE, requires = "private", conflicts_with = "accept")]
    pub(crate) workload: Option<PathBuf>,
    /// Ledger of the table, which refuses figures over its cap; by default, spending is not tracked
    #[arg(long, value_name = "LEDGER", help_heading = PRIVATE, requires = "private")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--ledger`: resume an interrupted check with the same arguments, without spending again
    #[arg(long, requires = "ledger", help_heading = PRIVATE)]
    resume: bool,
    /// With `--ledger`: start a new check even if one with the same arguments was interrupted; the
    /// budget reserved for that one stays spent
    #[arg(long, requires = "ledger", conflicts_with = "resume", help_heading = PRIVATE)]
    anew: bool,
    #[command(flatten)]
    pub(crate) weak: WeakPrivacy,
}

impl PrivateEvaluation {
    /// Returns how the check starts on its ledger.
    pub(crate) fn start(&self) -> Start {
        start(self.resume, self.anew)
    }
}

fn order(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(order @ 1..=8) => Ok(order),
        _ => Err("tables span 1 to 8 columns".into()),
    }
}
