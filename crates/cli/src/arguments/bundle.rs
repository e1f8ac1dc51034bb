//! Arguments of `scumble bundle`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scumble::Sampling;
use scumble::bundle::{BundleError, Date, Publisher, Signers};

use super::{number_of_rows, sampling};

/// Write a release as one folder (rows, model, certificate, report, metadata, checksums), or verify
/// one
///
/// The folder can be published as it is. It is made from the model alone and spends no budget. The
/// same model, rows, seed, date and texts give the same bytes.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "scumble bundle [OPTIONS] --output <FOLDER> <MODEL>\n       scumble bundle verify [OPTIONS] <FOLDER>",
    after_help = "Examples:\n  scumble bundle people.model --rows 10000 --title 'People 2026' --curator 'Office of Statistics' \\\n      \
                  --licence CC-BY-4.0 -o people-2026\n  scumble bundle people.model --sign office_key -o people-signed\n  \
                  scumble bundle verify people-2026"
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

/// Verify a bundle: every file against its checksum, every document and row against the model
///
/// Exit code 3 if a check fails. Not checked: who made the folder, without `--signers`, and whether
/// the schema was declared without looking at the real table.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble bundle verify people-2026\n  scumble bundle verify people-signed --signers office.signers"
)]
pub(crate) struct BundleVerify {
    /// Folder of the bundle
    pub(crate) folder: PathBuf,
    /// Names and public keys that you trust, as the file `allowed_signers` of OpenSSH: the bundle
    /// must be signed by one of them
    #[arg(long, value_name = "FILE")]
    pub(crate) signers: Option<PathBuf>,
    /// With `--signers`: the name that must have signed; by default, any in the file
    #[arg(long, value_name = "NAME", requires = "signers")]
    pub(crate) signer: Option<String>,
}

impl BundleVerify {
    /// Returns the accepted signers, if the bundle must be signed.
    pub(crate) fn accepted(&self) -> Option<Signers> {
        let signers = Signers::of(self.signers.as_deref()?);
        Some(match &self.signer {
            Some(name) => signers.named(name),
            None => signers,
        })
    }
}

/// Help heading of the options that describe the publication.
const PUBLISHER: &str = "Publication metadata; omitted fields get a marked placeholder";

// One list of options: clap considers a group that is nested in another group absent.
#[derive(Debug, Args)]
pub(crate) struct BundleCreate {
    /// Model file
    pub(crate) model: PathBuf,
    /// Number of rows, such as 5000 or 1e6; by default that of the real table, which is a noisy
    /// estimate unless it is public
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = number_of_rows)]
    pub(crate) rows: Option<u64>,
    /// Seed of the rows; it is written into the bundle, and has no influence on the noise. By
    /// default, random
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Sampling method; by default `matched` up to 131072 rows, and `low-variance` above
    #[arg(long, value_name = "NAME", value_parser = sampling())]
    pub(crate) sampling: Option<Sampling>,
    /// Folder to write; it must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Release date; by default that of `SOURCE_DATE_EPOCH`, or today
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = date)]
    pub(crate) date: Option<Date>,
    /// SSH key that signs the bundle: the file of a private key, or of a public key whose private
    /// key is in `ssh-agent` or on a device
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
    /// Ledger that the model was fitted on: its cap, what is spent and its head go into the bundle
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<PathBuf>,
    /// Title of the table; by default, the title of the schema
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    title: Option<String>,
    /// Description of the table; by default, the description of the schema
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    description: Option<String>,
    /// Version of the release; by default 1.0.0
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    release_version: Option<String>,
    /// Name of the publisher
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    curator: Option<String>,
    /// Licence: its short name, such as CC-BY-4.0, or its URL
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    licence: Option<String>,
    /// Contact: an e-mail address, a web page or a name
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    contact: Option<String>,
    /// URL of the release
    #[arg(long, value_name = "ADDRESS", help_heading = PUBLISHER)]
    url: Option<String>,
    /// Intended use of the rows
    #[arg(long, value_name = "TEXT", help_heading = PUBLISHER)]
    intended_use: Option<String>,
    /// Region that the table covers
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
