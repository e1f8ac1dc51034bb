//! Arguments of `scumble audit`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use scumble::{ApproxDp, Delta, Epsilon, Error, Method};

use super::method_options::MethodOptions;
use super::terms::{delta, epsilon};
use super::{FormatName, Overwriting, TextFiles};

/// Attack the program or a release, to see how near the best attack comes to the claim
///
/// An audit cannot prove a guarantee: the proofs do that. It can show that a guarantee is false, or
/// that no attack comes near it.
#[derive(Debug, Args)]
pub(crate) struct AuditCommand {
    #[command(subcommand)]
    pub(crate) verb: AuditVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    Method(AuditMethod),
    Program(AuditProgram),
    Release(AuditRelease),
}

/// Goal, effort and output of an audit.
#[derive(Debug, Args)]
pub(crate) struct AuditTerms {
    /// Epsilon of (epsilon, delta)-differential privacy: the claim that is attacked
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true)]
    epsilon: Epsilon,
    /// Delta of (epsilon, delta)-differential privacy
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::DEFAULT)]
    delta: Delta,
    /// File that keeps every run: the same command continues an audit that was cut off
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// HTML page to write, besides the text; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

impl AuditTerms {
    /// Returns the privacy goal.
    pub(crate) fn goal(&self) -> ApproxDp {
        ApproxDp { epsilon: self.epsilon, delta: self.delta }
    }
}

/// Attack a method by the likelihood ratio of everything that the vault releases: no attack is
/// better
///
/// Fits the method many times to a table and to the table with the rows of one more person, and
/// computes from the errors of the best possible test what is lost of privacy, with 99.9 %
/// confidence, beside what the certificate claims. By default the tables are made up. With DATA,
/// the result is computed from the real rows and is NOT differentially private.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble audit method --method mst --epsilon 4 --delta 1e-9 --runs 200 -o audit.html\n  \
                  scumble audit method --method mst --schema people.schema.yaml --epsilon 4 --delta 1e-9 --runs 50\n  \
                  scumble audit method people.csv --schema people.schema.yaml --plant one-person.csv \\\n      \
                  --method independent --epsilon 4 --delta 1e-9 --runs 50"
)]
pub(crate) struct AuditMethod {
    /// The steward's own table, in place of made-up ones
    #[arg(value_name = "DATA", requires_all = ["schema", "plant"])]
    pub(crate) data: Vec<PathBuf>,
    /// Schema file: of the table, or of made-up rows if there is no table
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// With DATA: file of the rows of one person, who is in one of the two tables and not in the
    /// other
    #[arg(long, value_name = "FILE", requires = "data")]
    pub(crate) plant: Option<PathBuf>,
    /// Method; by default `auto`, or `pb-pgm` if delta is 0
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES))]
    method: Option<String>,
    #[command(flatten)]
    pub(crate) method_options: MethodOptions,
    /// Number of fits of each of the two tables
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    pub(crate) runs: NonZeroU64,
    /// Format of the data; by default, inferred from the file name
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
    #[command(flatten)]
    pub(crate) terms: AuditTerms,
}

impl AuditMethod {
    /// Returns the method with its options.
    pub(crate) fn method(&self) -> Result<Method, Error> {
        self.method_options.of_method(self.method.as_deref(), self.terms.goal())
    }
}

/// Attack the program from outside: run it many times on a made-up file and on the same file with
/// one more row, and judge by what it writes
///
/// What the number of runs can prove is printed first: a few runs prove nothing about a small
/// epsilon, however unsafe a program is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble audit program --method mst --epsilon 4 --delta 1e-9 --runs 20")]
pub(crate) struct AuditProgram {
    /// Method; by default `auto`, or `pb-pgm` if delta is 0
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES))]
    method: Option<String>,
    /// Option of the method, such as `spread=0.5`; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Program to run; by default this one
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    /// Number of runs on each of the two files
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    pub(crate) runs: NonZeroU64,
    #[command(flatten)]
    pub(crate) terms: AuditTerms,
}

impl AuditProgram {
    /// Returns the name of the method.
    pub(crate) fn method(&self) -> String {
        self.method.clone().unwrap_or_else(|| Method::recommended(self.terms.goal()).to_string())
    }
}

/// Attack synthetic rows with what is published about them, and with the real rows at hand: NOT
/// differentially private
///
/// Known attacks try to tell the rows that the model was fitted to from rows of the same population
/// that were held out, and guess columns of both. What they gain is shown beside what the guarantee
/// of the model allows. Hold out the control before the fit, at random.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  scumble audit release synth.csv --model people.model --members people.csv \\\n      \
                  --control held-out.csv --schema people.schema.yaml -o release-audit.html"
)]
pub(crate) struct AuditRelease {
    /// Synthetic rows
    #[arg(required = true, value_name = "SYNTH")]
    pub(crate) synth: Vec<PathBuf>,
    /// Real rows that the model was fitted to
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) members: Vec<PathBuf>,
    /// Real rows that were held out of the fit
    #[arg(long, value_name = "DATA", num_args = 1.., required = true)]
    pub(crate) control: Vec<PathBuf>,
    /// Schema file of all tables
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// Model of the rows, if the attacker has it; its certificate is the claim
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// Column to guess from the others; may be repeated. By default, the five of at most 100 codes
    /// that vary most
    #[arg(long, value_name = "COLUMN")]
    pub(crate) secret: Vec<String>,
    /// Number of members, and of held-out rows, to attack
    #[arg(long, value_name = "NUMBER", default_value_t = 5000)]
    pub(crate) targets: usize,
    /// Seed of all random choices; the same seed gives the same numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// HTML page to write, besides the text; `-` for standard output
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
