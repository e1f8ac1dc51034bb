//! The arguments of `scumble inspect`.

use std::path::PathBuf;

use clap::Args;

use super::Overwriting;

/// Show what a model holds: columns, noise, tables measured, and what its certificate or the maker of its tables promises
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  scumble inspect people.model --svg people.svg\n  scumble inspect people.model --explain > people.certificate.txt"
)]
pub(crate) struct Inspect {
    /// A model file
    pub(crate) model: PathBuf,
    /// Explain the guarantee on a page of plain words instead: what is protected, what is not, and what an attacker can learn
    #[arg(long)]
    pub(crate) explain: bool,
    /// Draw which columns the model ties together, into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}
