//! The arguments of `scumble evaluate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::{FormatName, Overwriting, TextFiles};

/// Compare a synthetic table with the real one, for the steward of the real one: NOT differentially private
///
/// The result is computed from the real rows without noise. It is for those who may see these rows, and must not be
/// published.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble evaluate --real people.csv --synth synth.csv --schema people.schema.yaml -o steward.html\n  \
                  scumble evaluate --real people.csv --synth synth.csv --schema people.schema.yaml --quick --json"
)]
pub(crate) struct Evaluate {
    /// The real table: files, folders, globs, PostgreSQL tables or `-`, as for `fit`
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) real: Vec<PathBuf>,
    /// The synthetic table
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) synth: Vec<PathBuf>,
    /// The schema file, with which both are read
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// The HTML page to write, besides the text; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// What the table is called on the page; the title of the schema without it
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// How many columns the compared tables span, each from 1 to 8
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = order)]
    pub(crate) orders: Vec<usize>,
    /// How many tables are compared of each of these numbers of columns; all, where there are fewer
    #[arg(long, value_name = "NUMBER", default_value = "300")]
    pub(crate) count: NonZeroUsize,
    /// A column whose values make subgroups; may be given several times. Without it, the first four columns of at most ten codes
    #[arg(long, value_name = "COLUMN")]
    pub(crate) subgroup: Vec<String>,
    /// A column for learners to predict; may be given several times. Without it, up to eight columns, those of fewest codes
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Vec<String>,
    /// The columns of income, sex and place, for the regression metric of the NIST 2018 challenge; the first two values of
    /// sex are compared
    #[arg(long, value_names = ["INCOME", "SEX", "PLACE"], num_args = 3)]
    pub(crate) earnings: Vec<String>,
    /// What random choices follow from; the same seed gives the same numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Leave out learners, propensity scores and chi-square tests
    #[arg(long)]
    pub(crate) quick: bool,
    /// How the data is written, if its name does not say
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

fn order(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(order @ 1..=8) => Ok(order),
        _ => Err("tables span 1 to 8 columns".into()),
    }
}
