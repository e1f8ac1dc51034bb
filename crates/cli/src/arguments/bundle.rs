//! The command line of `scumble bundle`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scumble::bundle::{BundleError, Date, Publisher};

use super::{SamplingName, number_of_rows};

/// Write a release as one folder: rows, model, certificate, report, descriptions, sums; or check such a folder
///
/// The folder can be published as it is. It is made from the model alone, costs nothing, and is the same, byte for byte, for the
/// same model, rows, seed, date and texts.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "scumble bundle [OPTIONS] --output <FOLDER> <MODEL>\n       scumble bundle verify [OPTIONS] <FOLDER>",
    after_help = "Examples:\n  scumble bundle people.model --rows 10000 --title 'People 2026' --curator 'Office of Statistics' \\\n      \
                  --licence CC-BY-4.0 -o people-2026\n  scumble bundle verify people-2026"
)]
pub(crate) struct BundleCommand {
    #[command(subcommand)]
    pub(crate) verb: Option<BundleVerb>,
    #[command(flatten)]
    pub(crate) create: Option<BundleCreate>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BundleVerb {
    Verify(BundleVerify),
}

/// Check a bundle: every file against its sum, every document and row against the model
///
/// Exit code 3 if anything is not as it should be. What cannot be checked is who made the folder, and whether the schema was declared
/// without a look at the real table.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble bundle verify people-2026")]
pub(crate) struct BundleVerify {
    /// The folder of the bundle
    pub(crate) folder: PathBuf,
}

/// Over the options that fill what nobody else knows.
const PUBLISHER: &str = "What only the publisher can say; what is left out has a marked placeholder";

// One list of options, not two: clap takes a group with another inside it for absent.
#[derive(Debug, Args)]
pub(crate) struct BundleCreate {
    /// A model file
    pub(crate) model: PathBuf,
    /// How many rows, such as 5000 or 1e6; without it as many as the real table has, which is an estimate unless it is public
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows: Option<u64>,
    /// What rows are drawn with; it is written into the bundle, and has no influence on the noise. Without it, another one each time
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// How rows are drawn; without it `matched` up to 131072 rows, and `low-variance` above
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) sampling: Option<SamplingName>,
    /// The folder to write, which must not be there yet
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// The day of the release; that of `SOURCE_DATE_EPOCH`, or today, without it
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = date)]
    pub(crate) date: Option<Date>,
    /// What the table is called; the title of the schema without it
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    title: Option<String>,
    /// What the table is about; the description of the schema without it
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    description: Option<String>,
    /// The version of the release; 1.0.0 without it
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    release_version: Option<String>,
    /// Who publishes
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    curator: Option<String>,
    /// The licence: its short name, such as CC-BY-4.0, or its address
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    licence: Option<String>,
    /// Whom to ask: an e-mail address, a web page or a name
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    contact: Option<String>,
    /// Where the release will be found
    #[arg(long, value_name = "ADDRESS", help_heading = PUBLISHER)]
    url: Option<String>,
    /// What the rows are meant for
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    intended_use: Option<String>,
    /// Which region the table is about
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    region: Option<String>,
}

impl BundleCreate {
    pub(crate) fn publisher(&self) -> Publisher {
        Publisher {
            title: self.title.clone(),
            description: self.description.clone(),
            version: self.release_version.clone(),
            curator: self.curator.clone(),
            licence: self.licence.clone(),
            contact: self.contact.clone(),
            url: self.url.clone(),
            intended_use: self.intended_use.clone(),
            region: self.region.clone(),
        }
    }
}

fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|error: BundleError| format!("{error}; {}", error.hint()))
}
