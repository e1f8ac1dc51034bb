//! The arguments of `scumble schema`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{FormatName, Overwriting, TextFiles};

/// Ask for, draft, import, export or check a schema
#[derive(Debug, Args)]
pub(crate) struct SchemaCommand {
    #[command(subcommand)]
    pub(crate) verb: SchemaVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaVerb {
    New(New),
    Draft(Draft),
    Import(Import),
    Export(Export),
    Check(Check),
    JsonSchema(JsonSchema),
}

/// Write a schema by questions, column by column
///
/// Suggestions come from the names and types of columns. No value of the data is looked at. Questions are shown on standard
/// error; answers are read from standard input, a line each, so they may come from a file too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema new people.csv -o people.schema.yaml\n  \
                        scumble schema new people.csv -o people.schema.yaml < answers.txt")]
pub(crate) struct New {
    /// A data file, or a PostgreSQL table: `postgresql://user@host/database?table=NAME`
    pub(crate) data: PathBuf,
    /// The schema file to write; standard output without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// How the data is written, if its name does not say
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Write a schema for a person to complete, from the names and types of the columns of a file or table
///
/// No value of the data is looked at. Every guess is marked `assumed`, and the file says what to fill in.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema draft people.csv -o draft.schema.yaml")]
pub(crate) struct Draft {
    /// A data file, a PostgreSQL table: `postgresql://user@host/database?table=NAME`, or `-` for standard input
    pub(crate) data: PathBuf,
    /// The schema file to write; standard output without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// How the data is written, if its name does not say
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Make a schema out of another tool's description of a table
///
/// No value of the data is looked at. What the description does not tell is left to be filled in, what is guessed is marked
/// `assumed`, and what has no place in a schema is listed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema import --from mbi domain.json -o adult.schema.yaml\n  \
                        scumble schema import --from smartnoise metadata.yaml -o survey.schema.yaml")]
pub(crate) struct Import {
    /// What the description is
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) from: Description,
    /// The file that holds the description
    pub(crate) file: PathBuf,
    /// The schema file to write; standard output without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Description {
    /// An mbi domain file, as JSON
    Mbi,
    /// An Arrow file, whose column types are read
    Arrow,
    /// A Parquet file, whose column types are read
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

/// Write a schema as another tool's description of a table, and list what has no place in it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema export --to sdv people.schema.yaml -o metadata.json")]
pub(crate) struct Export {
    /// What to write
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) to: ExportFormat,
    /// The schema file
    pub(crate) schema: PathBuf,
    /// The file to write; standard output without it
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

/// Check a schema and show what it says: codes per column, where missing values go, the privacy terms
///
/// With DATA it also tells, for the steward of the data and NOT differentially private, what share of each column is
/// missing, unknown, or out of range. That is computed from the rows without noise, and must not be published.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  scumble schema check people.schema.yaml\n  \
                        scumble schema check people.schema.yaml people.csv")]
pub(crate) struct Check {
    /// The schema file
    pub(crate) schema: PathBuf,
    /// The table to hold against the schema: files, folders, globs, PostgreSQL tables or `-`, as for `fit`
    #[arg(value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,
    /// How the data is written, if its name does not say
    #[arg(long, value_enum, requires = "data")]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

/// Print a JSON Schema of the schema file, for editors that complete and check as you type
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble schema json-schema > scumble.schema.json")]
pub(crate) struct JsonSchema;
