//! `scumble completions` and `scumble man`

use std::path::PathBuf;

use clap::{Command, CommandFactory};
use serde_json::json;

use crate::arguments::{Arguments, Completions, Man};
use crate::failure::{Failure, cannot_write};
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn completions(arguments: &Completions) {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    // A closed pipe is not a failure.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), &script);
}

pub(crate) fn man(arguments: &Man, terminal: &Terminal) -> Result<(), Failure> {
    let folder = &arguments.output;
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut command = Arguments::command();
    command.build();
    let pages = pages(&command);
    let paths: Vec<PathBuf> = pages.iter().map(|(name, _)| folder.join(name)).collect();
    output::check([], &paths, arguments.overwriting.force)?;
    for (path, (_, page)) in paths.iter().zip(&pages) {
        output::write(path, page, terminal)?;
    }
    let count = paths.len();
    terminal.result(
        || json!({ "output": folder, "pages": count }),
        || format!("wrote {count} manual pages to {}", folder.display()),
    );
    Ok(())
}

/// Returns file names and contents of the pages of a command and its subcommands.
fn pages(command: &Command) -> Vec<(String, Vec<u8>)> {
    // clap names both once the command is built: `scumble-fit`.
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).expect("writing to memory cannot fail");
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    std::iter::once((page.get_filename(), text)).chain(below.flat_map(pages)).collect()
}
