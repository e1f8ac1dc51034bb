//! Command-line arguments.

mod audit;
mod bundle;
#[cfg(feature = "cluster")]
mod cluster;
mod evaluate;
mod inspect;
mod learning;
mod method_options;
#[cfg(not(feature = "cluster"))]
mod no_cluster;
mod noted_head;
mod plan;
mod quality;
#[cfg(test)]
mod reference;
mod report;
mod row_selection;
mod schema;
mod shell;
mod terms;
mod text_files;
mod version;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use scumble::mechanisms::columns::LearnShare;
use scumble::{AccountingKind, ApproxDp, Delta, Epsilon, Error, Format, MemoryLimit, Method, Sampling, Start};

pub(crate) use self::audit::{AuditCommand, AuditMethod, AuditProgram, AuditRelease, AuditTerms, AuditVerb};
pub(crate) use self::bundle::{BundleCommand, BundleCreate, BundleVerb, BundleVerify};
#[cfg(feature = "cluster")]
pub(crate) use self::cluster::{EngineChoice, Executor, Scheduler};
pub(crate) use self::evaluate::{Evaluate, PrivateEvaluation};
pub(crate) use self::inspect::Inspect;
pub(crate) use self::learning::RawTerms;
use self::learning::{LEARN_SHARE, learn_share};
use self::method_options::MethodOptions;
#[cfg(not(feature = "cluster"))]
pub(crate) use self::no_cluster::EngineChoice;
pub(crate) use self::noted_head::NotedHead;
pub(crate) use self::plan::Plan;
pub(crate) use self::quality::{CheckedRows, Release, RowChecks};
pub(crate) use self::report::Report;
pub(crate) use self::row_selection::RowSelection;
pub(crate) use self::schema::{
    Check, Description, Draft, Export, ExportFormat, Import, JsonSchemaOf, Learn, New, SchemaCommand, SchemaVerb,
};
pub(crate) use self::shell::{Completions, Man};
use self::terms::{WeakPrivacy, delta, epsilon};
pub(crate) use self::text_files::{TextFiles, is_standard_input};

/// Display order of the options that every verb has: after the verb's own options, sorted by name.
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
    Release(Release),
    Inspect(Inspect),
    Report(Report),
    Marginals(Marginals),
    Bundle(BundleCommand),
    Evaluate(Evaluate),
    Audit(AuditCommand),
    #[cfg(feature = "cluster")]
    Scheduler(Scheduler),
    #[cfg(feature = "cluster")]
    Executor(Executor),
    Completions(Completions),
    Man(Man),
}

/// Option to replace existing output files.
#[derive(Debug, Args)]
pub(crate) struct Overwriting {
    /// Replace existing output files; input files are never replaced
    #[arg(long)]
    pub(crate) force: bool,
}

/// Write a made-up household survey and its schema, to try the program on
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble demo --rows 10000 -o people")]
pub(crate) struct Demo {
    /// Number of rows, such as 5000 or 1e6
    #[arg(short = 'n', long, value_name = "NUMBER", default_value = "10000", value_parser = number_of_rows)]
    pub(crate) rows: u64,
    /// Seed of the made-up table
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Folder for `people.csv` and `people.schema.yaml`; created if it does not exist
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Fit a model to a table, which spends privacy budget, or to noisy tables released by another
/// party, which does not
#[derive(Debug, Args)]
#[command(
    override_usage = "scumble fit [OPTIONS] --epsilon <NUMBER> --output <MODEL> <DATA>...\n       \
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
    /// Model file to write
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Draw synthetic rows from a model; this spends no budget
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble sample people.model --rows 5000 -o synth.parquet\n  \
                  scumble sample people.model --where sex=female --where 'age=20..39|60..79' -o part.csv\n  \
                  scumble sample people.model --rebalance sex=female:0.5,male:0.5 -o even.csv\n  \
                  scumble sample people.model --rows 1e9 --engine ballista://10.0.0.1:50050 \\\n      \
                  --tls certificates -o /lake/synth")]
pub(crate) struct Sample {
    /// Model file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) selection: RowSelection,
    #[command(flatten)]
    pub(crate) synthetic: SyntheticTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
}

/// Fit a model and draw synthetic rows, in one command
#[derive(Debug, Args)]
#[command(
    override_usage = "scumble synth [OPTIONS] --epsilon <NUMBER> --output <FILE> <DATA>...\n       \
                      scumble synth [OPTIONS] --schema <FILE> --from-marginals <FILE> --output <FILE>",
    after_help = "Examples:\n  scumble synth people.csv --epsilon 1 --delta 1e-9 -o synth.csv\n  \
                  scumble synth people.csv --schema people.schema.yaml --epsilon 1 --delta 1e-9 -o synth.parquet"
)]
pub(crate) struct Synth {
    #[command(flatten)]
    pub(crate) real: RealTable,
    #[command(flatten)]
    pub(crate) synthetic: SyntheticTable,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
    /// Also write the model, with its certificate, to this file
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
}

/// Write the noisy tables that a model was fitted to, for other programs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble marginals people.model -o people.marginals.json")]
pub(crate) struct Marginals {
    /// Model file
    pub(crate) model: PathBuf,
    /// JSON file to write; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Track the privacy budget spent on a table, across all fits
#[derive(Debug, Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    pub(crate) verb: LedgerVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerVerb {
    Init(LedgerInit),
    /// Show the budget spent, by fit, and the budget left
    #[command(after_help = "Example:\n  scumble ledger show people.ledger")]
    Show(LedgerFile),
    /// Print the newest reservation, as its number and hash: to be published or noted, so that an
    /// older copy of the ledger is noticed
    #[command(after_help = "Example:\n  scumble ledger head people.ledger > noted.head")]
    Head(LedgerFile),
    Verify(LedgerVerify),
}

/// Create the ledger of a table, with a cap on everything that will ever be released from it
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  scumble ledger init people.ledger --schema people.schema.yaml --epsilon 3 --delta 1e-9"
)]
pub(crate) struct LedgerInit {
    /// Ledger file to create
    pub(crate) ledger: PathBuf,
    /// Schema file; every fit on the ledger must have the same privacy terms
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terms: RawTerms,
    /// Total epsilon of everything ever released from the table; it cannot be raised later
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,
    /// Total delta of everything ever released from the table: far below one over the number of
    /// people; 0 for pure differential privacy
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::DEFAULT)]
    pub(crate) delta: Delta,
    #[command(flatten)]
    pub(crate) weak: WeakPrivacy,
    /// Accounting of the fits: `gdp` for Gaussian noise and selections, the tightest; `zcdp` for
    /// any method; `pure` for fits with `--delta 0` only. By default, `pure` if delta is 0 and
    /// `gdp` otherwise
    #[arg(long, value_name = "NAME")]
    pub(crate) accounting: Option<AccountingKind>,
    /// Name of the table; by default, the name of the ledger file
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LedgerFile {
    /// Ledger file
    pub(crate) ledger: PathBuf,
}

/// Verify every byte of the ledger, the chain of its records and their sums
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble ledger verify people.ledger\n  \
                  scumble ledger verify people.ledger --head \"$(cat noted.head)\"")]
pub(crate) struct LedgerVerify {
    /// Ledger file
    pub(crate) ledger: PathBuf,
    /// Head that the ledger must contain, as `ledger head` printed it: a number, a colon and a
    /// hash; or the hash alone, as in a certificate. May be repeated
    #[arg(long, value_name = "N:HASH")]
    pub(crate) head: Vec<NotedHead>,
}

/// Arguments that conflict with `--from-marginals`: without rows they have no effect.
const ROW_ARGUMENTS: [&str; 32] = [
    "data",
    "check_share",
    "accept",
    "unit",
    "max_rows",
    "learn_share",
    "method",
    "options",
    "profile",
    "effort",
    "workload",
    "target",
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
    "header_row",
    "column_names",
    "encoding",
    "multiline",
    "sheet",
    "memory_limit",
    "push_down",
    "spill_dir",
];

/// The input of a fit, its method and its budget.
#[derive(Debug, Args)]
pub(crate) struct RealTable {
    /// Data files, folders or globs: CSV or TSV (also compressed), Parquet, Arrow, Excel workbooks
    /// (.xlsx), archives with one table (.zip); Parquet files in an object store: `s3://`, `gs://`
    /// or `az://bucket/folder/`; PostgreSQL tables: `postgresql://user@host/database?table=NAME`;
    /// tables of databases with an ADBC driver: `adbc:duckdb?path=FILE&table=NAME`; or `-` for
    /// standard input
    #[arg(required_unless_present = "from_marginals", value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,
    /// Schema file. Without it, types, bounds and categories of all columns are learned from the
    /// data, for a part of the budget; so are those that a schema leaves out with `source: dp`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terms: RawTerms,
    /// Share of the budget for learning columns that no schema declares: between 0 and 1, in
    /// thousandths
    #[arg(long, value_name = "NUMBER", value_parser = learn_share, default_value = LEARN_SHARE)]
    pub(crate) learn_share: LearnShare,
    /// Epsilon of (epsilon, delta)-differential privacy: the budget of the fit
    #[arg(
        short,
        long,
        value_name = "NUMBER",
        value_parser = epsilon,
        allow_negative_numbers = true,
        required_unless_present = "from_marginals"
    )]
    epsilon: Option<Epsilon>,
    /// Delta of (epsilon, delta)-differential privacy: far below one over the number of people; 0
    /// for pure differential privacy
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::DEFAULT)]
    delta: Delta,
    /// Approximate number of rows, if public: the delta is checked against it
    #[arg(long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows_hint: Option<u64>,
    #[command(flatten)]
    pub(crate) weak: WeakPrivacy,
    #[command(flatten)]
    pub(crate) checks: RowChecks,
    /// Ledger of the table, which refuses a fit over its cap; by default, spending is not tracked
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--ledger`: resume an interrupted fit with the same arguments, without spending again
    #[arg(long, requires = "ledger")]
    pub(crate) resume: bool,
    /// With `--ledger`: start a new fit even if one with the same arguments was interrupted; the
    /// budget reserved for that one stays spent
    #[arg(long, requires = "ledger", conflicts_with = "resume")]
    pub(crate) anew: bool,
    /// Check everything, and show what the fit would measure, cost and reserve, without reading a
    /// row or spending budget
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Method; by default `auto`, or `pb-pgm` if delta is 0
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES))]
    pub(crate) method: Option<String>,
    #[command(flatten)]
    method_options: MethodOptions,
    /// Noisy tables released by another party, instead of DATA. That party has added the noise and
    /// accounts for it, so the fit spends no budget and is not written to a ledger
    #[arg(long, value_name = "FILE", requires = "schema", conflicts_with_all = ROW_ARGUMENTS)]
    pub(crate) from_marginals: Option<PathBuf>,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// How rows are read, or not.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Let the databases of the tables count their rows themselves and send counts only:
    /// PostgreSQL, and DuckDB by its ADBC driver. The counts are the same
    #[arg(long)]
    pub(crate) push_down: bool,
    /// Memory limit for rows and counts, such as 4GiB; at least 64MiB. By default, half of the
    /// machine's memory
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// Folder for spilled data, which is kept in a directory that only you can read; by default,
    /// the system's directory for temporary files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill_dir: Option<PathBuf>,
}

impl RealTable {
    /// Returns the method with its options.
    pub(crate) fn method(&self) -> Result<Method, Error> {
        self.method_options.of_method(self.method.as_deref(), self.goal())
    }

    /// Returns the privacy goal of the fit. Must not be called with `--from-marginals`.
    pub(crate) fn goal(&self) -> ApproxDp {
        const REQUIRED: &str = "clap requires it unless there are no rows to read";
        ApproxDp { epsilon: self.epsilon.expect(REQUIRED), delta: self.delta }
    }

    /// Returns how the fit starts on its ledger.
    pub(crate) fn start(&self) -> Start {
        start(self.resume, self.anew)
    }

    /// Returns all input files; none of them may be overwritten.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &PathBuf> {
        let files = self.data.iter().chain(&self.schema).chain(&self.ledger).chain(&self.from_marginals);
        files.chain(&self.checks.accept).chain(&self.method_options.workload)
    }
}

/// Returns how work starts on its ledger.
fn start(resume: bool, anew: bool) -> Start {
    match (resume, anew) {
        (true, _) => Start::Resume,
        (false, true) => Start::Anew,
        (false, false) => Start::New,
    }
}

/// The rows to draw, and where to write them.
#[derive(Debug, Args)]
pub(crate) struct SyntheticTable {
    /// Number of rows, such as 5000 or 1e9; by default that of the real table, which is a noisy
    /// estimate unless it is public
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows: Option<u64>,
    /// Seed of the rows: the same seed and model give the same rows; it has no influence on the
    /// noise. By default, random
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Sampling method; by default `matched` up to 131072 rows, and `low-variance` above
    #[arg(long, value_name = "NAME", value_parser = sampling())]
    pub(crate) sampling: Option<Sampling>,
    /// File to write: .csv, .tsv, .parquet or .arrow; `-` for CSV on standard output. With a
    /// cluster, the folder for Parquet files
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

/// Parses the name of a sampling method; `--help` describes each.
fn sampling() -> impl TypedValueParser<Value = Sampling> {
    let described = |sampling: Sampling| {
        PossibleValue::new(sampling.name()).help(match sampling {
            Sampling::Matched => {
                "As `low-variance`, then swaps values between rows until tables of three columns match the model; takes seconds"
            }
            Sampling::LowVariance => "Rounds expected counts at random: no sampling error on top of the noise",
            Sampling::Independent => "Draws every row independently",
        })
    };
    PossibleValuesParser::new(Sampling::ALL.map(described)).try_map(|name| name.parse::<Sampling>())
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

/// Parses a number of rows, also in scientific notation such as 1e9.
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
