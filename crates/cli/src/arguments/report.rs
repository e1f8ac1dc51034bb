//! The command line of `scumble report`.

use std::path::PathBuf;

use clap::Args;

use super::Overwriting;

/// Write a page about a model that may be published: what was measured, how exact it is, what not to trust
///
/// One HTML file, complete in itself, made of released values and public facts. No data is read, and it costs nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble report people.model -o public.html")]
pub(crate) struct Report {
    /// A model file
    pub(crate) model: PathBuf,
    /// The HTML file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    /// What the table is called on the page; the title of the schema without it
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}
