//! The command line.

mod bundle;
mod cluster;
mod evaluate;
mod inspect;
mod part;
mod plan;
#[cfg(test)]
mod reference;
mod report;
mod schema;
mod shell;
mod terms;
mod text_files;
mod version;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use scumble::mechanisms::MechanismError;
use scumble::{AccountingKind, ApproxDp, Delta, Epsilon, Format, MemoryLimit, Method, Sampling, Start};

pub(crate) use self::bundle::{BundleCommand, BundleCreate, BundleVerb, BundleVerify};
pub(crate) use self::cluster::{EngineChoice, Executor, Scheduler};
pub(crate) use self::evaluate::Evaluate;
pub(crate) use self::inspect::Inspect;
pub(crate) use self::part::PartOfRows;
pub(crate) use self::plan::Plan;
pub(crate) use self::report::Report;
pub(crate) use self::schema::{
    Check, Description, Draft, Export, ExportFormat, Import, New, SchemaCommand, SchemaVerb,
};
pub(crate) use self::shell::{Completions, Man};
use self::terms::{ReasonableTerms, delta, epsilon};
pub(crate) use self::text_files::{TextFiles, is_standard_input};

/// Where options of every verb stand: below its own. Among equals they are sorted by name.
const LAST: usize = 900;

/// Differentially private synthetic tables
#[derive(Debug, Parser)]
#[command(name = "scumble", version, long_version = version::LONG, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Start here:\n  scumble demo -o people\n  scumble synth people/people.csv --schema people/people.schema.yaml \\\n      \
                  --epsilon 1 --delta 1e-9 -o people/synth.csv\n\n\
                  Exit codes: 0 ok, 2 usage, 3 schema or data, 4 budget refused, 5 too large, 6 files or system, 70 bug, 130 interrupted."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// Print one JSON object instead of text, also if the command fails
    #[arg(long, global = true, display_order = LAST)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short, global = true, display_order = LAST)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Demo(Demo),
    Schema(SchemaCommand),
    Plan(Plan),
    Ledger(LedgerCommand),
    Fit(Fit),
    Sample(Sample),
    Synth(Synth),
    Inspect(Inspect),
    Report(Report),
    Marginals(Marginals),
    Bundle(BundleCommand),
    Evaluate(Evaluate),
    Scheduler(Scheduler),
    Executor(Executor),
    Completions(Completions),
    Man(Man),
}

/// What may be written over.
#[derive(Debug, Args)]
pub(crate) struct Overwriting {
    /// Replace output files that exist already; never what is read
    #[arg(long)]
    pub(crate) force: bool,
}

/// Write a made-up household survey and its schema, to try everything on
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble demo --rows 10000 -o people")]
pub(crate) struct Demo {
    /// How many rows, such as 5000 or 1e6
    #[arg(short = 'n', long, value_name = "NUMBER", default_value = "10000", value_parser = number_of_rows)]
    pub(crate) rows: u64,
    /// Another seed makes other people
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The folder to write `people.csv` and `people.schema.yaml` into; it is made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Fit a model to a table, which spends privacy budget, or to noisy tables made elsewhere, which does not
#[derive(Debug, Args)]
#[command(
    override_usage = "scumble fit [OPTIONS] --schema <FILE> --epsilon <NUMBER> --output <MODEL> <DATA>...\n       \
                      scumble fit [OPTIONS] --schema <FILE> --from-marginals <FILE> --output <MODEL>",
    after_help = "Examples:\n  scumble fit people.csv --schema people.schema.yaml --epsilon 1 --delta 1e-9 -o people.model\n  \
                  scumble fit people.csv --schema people.schema.yaml --epsilon 1 --delta 1e-9 \\\n      \
                  --ledger people.ledger -o people.model\n  \
                  scumble fit --from-marginals people.marginals.json --schema people.schema.yaml -o people.model"
)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub(crate) real: RealTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
    /// The model file to write
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Draw synthetic rows from a model; this costs nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble sample people.model --rows 5000 -o synth.parquet\n  \
                  scumble sample people.model --where sex=female --where 'age=20..39|60..79' -o part.csv\n  \
                  scumble sample people.model --rebalance sex=female:0.5,male:0.5 -o even.csv\n  \
                  scumble sample people.model --rows 1e9 --engine ballista://10.0.0.1:50050 \\\n      \
                  --tls certificates -o /lake/synth")]
pub(crate) struct Sample {
    /// A model file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) part: PartOfRows,
    #[command(flatten)]
    pub(crate) synthetic: SyntheticTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
}

/// Fit a model and draw synthetic rows, in one go
#[derive(Debug, Args)]
#[command(
    override_usage = "scumble synth [OPTIONS] --schema <FILE> --epsilon <NUMBER> --output <FILE> <DATA>...\n       \
                      scumble synth [OPTIONS] --schema <FILE> --from-marginals <FILE> --output <FILE>",
    after_help = "Example:\n  scumble synth people.csv --schema people.schema.yaml --epsilon 1 --delta 1e-9 -o synth.parquet"
)]
pub(crate) struct Synth {
    #[command(flatten)]
    pub(crate) real: RealTable,
    #[command(flatten)]
    pub(crate) synthetic: SyntheticTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
    /// Keep the model and its certificate in this file
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
}

/// Write the noisy tables that a model was fitted to, for other programs to estimate from
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble marginals people.model -o people.marginals.json")]
pub(crate) struct Marginals {
    /// A model file
    pub(crate) model: PathBuf,
    /// The JSON file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Keep count of what was ever spent on a table
#[derive(Debug, Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    pub(crate) verb: LedgerVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerVerb {
    Init(LedgerInit),
    /// Show what was spent, by which fits, and what is left
    #[command(after_help = "Example:\n  scumble ledger show people.ledger")]
    Show(LedgerFile),
    /// Check every byte of the ledger, the chain of its records and their sums
    #[command(after_help = "Example:\n  scumble ledger verify people.ledger")]
    Verify(LedgerFile),
}

/// Make the ledger of a table, with a cap on all that will ever be released from it
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  scumble ledger init people.ledger --schema people.schema.yaml --epsilon 3 --delta 1e-9"
)]
pub(crate) struct LedgerInit {
    /// The ledger file to make
    pub(crate) ledger: PathBuf,
    /// The schema file, whose privacy terms every fit on the ledger has to have
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// The epsilon of everything that is ever released from the table; it cannot be raised later
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,
    /// The delta that goes with it: far below one over the number of people; 0 for none
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::USUAL)]
    pub(crate) delta: Delta,
    #[command(flatten)]
    pub(crate) reasonable: ReasonableTerms,
    /// How fits are added up: `gdp` for Gaussian noise and choices, which is tightest; `zcdp` for any method; `pure` for fits
    /// with `--delta 0` only. Without it, `pure` if delta is 0 and `gdp` otherwise
    #[arg(long, value_name = "NAME")]
    pub(crate) accounting: Option<AccountingKind>,
    /// What to call the table; the name of the ledger file without it
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LedgerFile {
    /// The ledger file
    pub(crate) ledger: PathBuf,
}

/// What makes no sense where rows were counted elsewhere.
const FOR_ROWS_ONLY: [&str; 21] = [
    "data",
    "method",
    "options",
    "profile",
    "epsilon",
    "delta",
    "ledger",
    "resume",
    "anew",
    "dry_run",
    "rows_hint",
    "accept_weak_privacy",
    "format",
    "delimiter",
    "quote_char",
    "comment_char",
    "encoding",
    "multiline",
    "sheet",
    "memory_limit",
    "spill_dir",
];

/// What is fitted, and for how much.
#[derive(Debug, Args)]
pub(crate) struct RealTable {
    /// Data files, folders or globs: CSV or TSV (also compressed), Parquet, Arrow, Excel workbooks (.xlsx), archives with one
    /// table (.zip); Parquet files in an object store: `s3://bucket/folder/`; PostgreSQL tables:
    /// `postgresql://user@host/database?table=NAME`; or `-` for standard input
    #[arg(required_unless_present = "from_marginals", value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,
    /// The schema file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// The epsilon of (epsilon, delta)-differential privacy: the privacy loss to stay within
    #[arg(
        short,
        long,
        value_name = "NUMBER",
        value_parser = epsilon,
        allow_negative_numbers = true,
        required_unless_present = "from_marginals"
    )]
    epsilon: Option<Epsilon>,
    /// The delta of (epsilon, delta)-differential privacy: far below one over the number of people; 0 for none
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::USUAL)]
    delta: Delta,
    /// About how many rows the table has, if that is public: the delta is then held against it
    #[arg(long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows_hint: Option<u64>,
    #[command(flatten)]
    pub(crate) reasonable: ReasonableTerms,
    /// The ledger of the table, which refuses a fit over its cap; without it nothing keeps count
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--ledger`: go on with the same fit that was cut off, without spending again
    #[arg(long, requires = "ledger")]
    pub(crate) resume: bool,
    /// With `--ledger`: begin also if the same fit was cut off; what that one reserved stays spent
    #[arg(long, requires = "ledger", conflicts_with = "resume")]
    pub(crate) anew: bool,
    /// Check everything, and show what the fit would ask, cost and reserve, without reading a row or spending anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The method of fitting; `auto` without it, or `pb-pgm` if delta is 0
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES))]
    pub(crate) method: Option<String>,
    /// An option of the method, such as `spread=0.5`; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// A set of options of the method that belong together, where it has several: short for `--option profile=NAME`
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Noisy tables that were made elsewhere, instead of DATA: their maker has counted, drawn the noise and accounted for it,
    /// so there is nothing to measure, to spend or to write into a ledger here
    #[arg(long, value_name = "FILE", conflicts_with_all = FOR_ROWS_ONLY)]
    pub(crate) from_marginals: Option<PathBuf>,
    /// How the data is written, if its name does not say
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
    /// How much memory rows and counts may take, such as 4GiB, and at least 64MiB; half of the machine's without it
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// Where what does not fit is put meanwhile, in a directory that only you can read; the system's directory for
    /// temporary files without it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill_dir: Option<PathBuf>,
}

impl RealTable {
    /// The method with its options.
    pub(crate) fn method(&self) -> Result<Method, MechanismError> {
        let method = match &self.method {
            Some(name) => Method::named(name)?,
            None => Method::recommended(self.goal()),
        };
        let profile = self.profile.as_ref().map(|name| format!("profile={name}"));
        method.with_options(profile.iter().chain(&self.options).map(String::as_str))
    }

    /// What the fit has to stay within; to be asked where rows are read.
    pub(crate) fn goal(&self) -> ApproxDp {
        const REQUIRED: &str = "the command line is refused without it, unless there are no rows to read";
        ApproxDp { epsilon: self.epsilon.expect(REQUIRED), delta: self.delta }
    }

    /// How the fit begins on its ledger.
    pub(crate) fn start(&self) -> Start {
        match (self.resume, self.anew) {
            (true, _) => Start::Resume,
            (false, true) => Start::Anew,
            (false, false) => Start::New,
        }
    }

    /// All files that are read, and that nothing may be written over.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &PathBuf> {
        self.data.iter().chain([&self.schema]).chain(&self.ledger).chain(&self.from_marginals)
    }
}

/// What is drawn, and where to.
#[derive(Debug, Args)]
pub(crate) struct SyntheticTable {
    /// How many rows, such as 5000 or 1e9; without it as many as the real table has, which is an estimate unless it is public
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows: Option<u64>,
    /// The same seed draws the same rows from the same model; it has no influence on the noise. Without it, another one each time
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// How rows are drawn; without it `matched` up to 131072 rows, and `low-variance` above
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) sampling: Option<SamplingName>,
    /// The file to write: .csv, .tsv, .parquet or .arrow; `-` is CSV on standard output; by a cluster, the folder to write Parquet
    /// files into
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SamplingName {
    /// As `low-variance`, with parts of rows exchanged until tables of three columns are near the model too; takes seconds
    Matched,
    /// Expected counts, rounded at random: no sampling error on top of the noise
    LowVariance,
    /// Every row on its own
    Independent,
}

impl From<SamplingName> for Sampling {
    fn from(name: SamplingName) -> Self {
        match name {
            SamplingName::Matched => Self::Matched,
            SamplingName::LowVariance => Self::LowVariance,
            SamplingName::Independent => Self::Independent,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    Csv,
    Tsv,
    Parquet,
    Arrow,
    Xlsx,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Csv => Self::Csv,
            FormatName::Tsv => Self::Tsv,
            FormatName::Parquet => Self::Parquet,
            FormatName::Arrow => Self::Arrow,
            FormatName::Xlsx => Self::Xlsx,
        }
    }
}

/// A number of rows, with a power of ten for those who do not like to count zeros.
fn number_of_rows(text: &str) -> Result<u64, String> {
    let bad = || "not a number of rows, such as 5000 or 1e9".to_owned();
    match text.split_once(['e', 'E']) {
        None => text.parse().map_err(|_| bad()),
        Some((digits, power)) => {
            let (digits, power): (u64, u32) = digits.parse().ok().zip(power.parse().ok()).ok_or_else(bad)?;
            10_u64.checked_pow(power).and_then(|power| digits.checked_mul(power)).ok_or_else(bad)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(words: &[&str]) -> Method {
        let goal =
            ["scumble", "fit", "a.csv", "--schema", "a.yaml", "--epsilon", "1", "--delta", "1e-9", "-o", "a.model"];
        let arguments = Arguments::try_parse_from([&goal[..], &["--method", "privmrf"], words].concat()).unwrap();
        let Verb::Fit(fit) = arguments.verb else { panic!("another verb was read") };
        fit.real.method().unwrap()
    }

    #[test]
    fn a_profile_is_an_option_with_a_shorter_name() {
        assert_eq!(method(&["--profile", "paper"]), method(&["--option", "profile=paper"]));
        assert_eq!(method(&["--profile", "best"]), method(&[]));
        assert_ne!(method(&["--profile", "paper"]), method(&[]));
    }
}
