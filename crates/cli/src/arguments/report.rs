//! Arguments of `scumble report`.

use std::path::PathBuf;

use clap::Args;

use super::Overwriting;

/// Write an HTML report about a model, for publication: what was measured, how accurate it is, what
/// not to trust
///
/// One self-contained HTML file, made of released values and public facts. Reads no data and spends
/// no budget.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble report people.model -o public.html")]
pub(crate) struct Report {
    /// Model file
    pub(crate) model: PathBuf,
    /// HTML file to write; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// Title of the table on the page; by default, the title of the schema
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}
