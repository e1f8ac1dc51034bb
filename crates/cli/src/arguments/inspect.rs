//! Arguments of `scumble inspect`.

use std::path::PathBuf;

use clap::Args;

use super::Overwriting;

/// Show the columns, noise and measured tables of a model, and its certificate or the claim of the
/// party that released its tables
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble inspect people.model --svg people.svg\n  scumble inspect people.model --explain > people.certificate.txt"
)]
pub(crate) struct Inspect {
    /// Model file
    pub(crate) model: PathBuf,
    /// Explain the guarantee in plain words instead: what is protected, what is not, and what an
    /// attacker can learn
    #[arg(long)]
    pub(crate) explain: bool,
    /// Draw the dependencies between columns into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}
