//! Arguments of `scumble schema`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use scumble::{Delta, Epsilon, MemoryLimit, Start};

use super::terms::{delta, epsilon};
use super::{EngineChoice, FormatName, Overwriting, RawTerms, TextFiles, WeakPrivacy, start};

/// Write, draft, learn, import, export or check a schema
#[derive(Debug, Args)]
pub(crate) struct SchemaCommand {
    #[command(subcommand)]
    pub(crate) verb: SchemaVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaVerb {
    New(New),
    Draft(Draft),
    Learn(Box<Learn>),
    Import(Import),
    Export(Export),
    Check(Check),
    JsonSchema(JsonSchema),
}

/// Write a schema by answering questions, column by column
///
/// Suggestions come from the names and types of columns; no value of the data is read. Questions go
/// to standard error; answers are read from standard input, one per line, so they may come from a
/// file too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema new people.csv -o people.schema.yaml\n  \
                        scumble schema new people.csv -o people.schema.yaml < answers.txt")]
pub(crate) struct New {
    /// Data file, or PostgreSQL table: `postgresql://user@host/database?table=NAME`
    pub(crate) data: PathBuf,
    /// Schema file to write; by default, standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Draft a schema to complete by hand, from the names and types of the columns of a file or table
///
/// No value of the data is read. Every guess is marked `assumed`, and the file lists what to fill
/// in.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema draft people.csv -o draft.schema.yaml")]
pub(crate) struct Draft {
    /// Data file, PostgreSQL table: `postgresql://user@host/database?table=NAME`, or `-` for
    /// standard input
    pub(crate) data: PathBuf,
    /// Schema file to write; by default, standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Learn the columns of a table from its rows, for a privacy budget
///
/// Types, bounds and bins are learned from noisy counts. Categories are texts of the data that
/// many rows share; they become public. The schema is only as private as its certificate, which is
/// written beside it. `fit` and `synth` learn by themselves if there is no schema; this command is
/// for a schema to look at, to edit and to fit several times.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema learn people.csv --epsilon 0.5 --delta 1e-9 -o learned.schema.yaml")]
pub(crate) struct Learn {
    /// Data files, folders or globs, as for `fit`
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,
    /// Schema that leaves out what is to be learned of columns with `source: dp`; by default,
    /// everything is learned
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terms: RawTerms,
    /// Epsilon of (epsilon, delta)-differential privacy: the budget of learning
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,
    /// Delta of (epsilon, delta)-differential privacy: far below one over the number of people
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::DEFAULT)]
    pub(crate) delta: Delta,
    #[command(flatten)]
    pub(crate) weak: WeakPrivacy,
    /// Ledger of the table; by default, spending is not tracked
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--ledger`: resume after an interruption with the same arguments, without spending
    /// again
    #[arg(long, requires = "ledger")]
    pub(crate) resume: bool,
    /// With `--ledger`: start anew after an interruption; the budget reserved then stays spent
    #[arg(long, requires = "ledger", conflicts_with = "resume")]
    pub(crate) anew: bool,
    /// Schema file to write, such as people.schema.yaml; its certificate becomes
    /// people.certificate.json
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
    /// Memory limit for rows and counts, such as 4GiB; at least 64MiB. By default, half of the
    /// machine's memory
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// Folder for spilled data; by default, the system's directory for temporary files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineChoice,
}

impl Learn {
    /// Returns how learning starts on its ledger.
    pub(crate) fn start(&self) -> Start {
        start(self.resume, self.anew)
    }
}

/// Convert another tool's description of a table into a schema
///
/// No value of the data is read. Facts that the description lacks are left to fill in, guesses are
/// marked `assumed`, and properties that a schema cannot hold are listed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema import --from mbi domain.json -o adult.schema.yaml\n  \
                        scumble schema import --from smartnoise metadata.yaml -o survey.schema.yaml")]
pub(crate) struct Import {
    /// Format of the description
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) from: Description,
    /// File with the description
    pub(crate) file: PathBuf,
    /// Schema file to write; by default, standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Description {
    /// An mbi domain file, as JSON
    Mbi,
    /// The column types of an Arrow file
    Arrow,
    /// The column types of a Parquet file
    Parquet,
    /// Metadata of the Synthetic Data Vault, as JSON
    Sdv,
    /// A domain file of google/dpsynth, as YAML
    Dpsynth,
    /// Metadata of SmartNoise SQL, as YAML
    Smartnoise,
    /// CSV on the Web with the terms of CSVW-EO, as JSON
    CsvwEo,
}

/// Convert a schema into another tool's description of a table, and list the properties that it
/// cannot hold
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema export --to sdv people.schema.yaml -o metadata.json")]
pub(crate) struct Export {
    /// Format to write
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) to: ExportFormat,
    /// Schema file
    pub(crate) schema: PathBuf,
    /// File to write; by default, standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Metadata of the Synthetic Data Vault, as JSON
    Sdv,
    /// A domain file of google/dpsynth, as YAML
    Dpsynth,
    /// Metadata of SmartNoise SQL, as YAML
    Smartnoise,
    /// CSV on the Web with the terms of CSVW-EO, as JSON
    CsvwEo,
    /// An mbi domain file, as JSON
    Mbi,
}

/// Check a schema and show its meaning: codes per column, encoding of missing values, privacy terms
///
/// With DATA it also shows the share of each column that is missing, unknown or out of range. This
/// is NOT differentially private: it is computed from the rows without noise, for the steward of
/// the data, and must not be published.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema check people.schema.yaml\n  \
                        scumble schema check people.schema.yaml people.csv")]
pub(crate) struct Check {
    /// Schema file
    pub(crate) schema: PathBuf,
    /// Table to check against the schema: files, folders, globs, PostgreSQL tables or `-`, as for
    /// `fit`
    #[arg(value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum, requires = "data")]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Print a JSON Schema for schema files or files of criteria, for editors that complete and check
/// as you type
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema json-schema > scumble.schema.json\n  \
                        scumble schema json-schema --of criteria > criteria.schema.json")]
pub(crate) struct JsonSchema {
    /// Files that it describes
    #[arg(long, value_enum, default_value_t = JsonSchemaOf::Schema)]
    pub(crate) of: JsonSchemaOf,
}

/// A kind of file with a JSON Schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum JsonSchemaOf {
    /// Schema files
    Schema,
    /// Files of criteria
    Criteria,
}
