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
    // A reader that went away is no failure of ours.
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

/// The pages of a command and of those below it: names of files and contents.
fn pages(command: &Command) -> Vec<(String, Vec<u8>)> {
    // Both are named by clap once the command is built: `scumble-fit`.
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).expect("memory takes all that is written");
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    std::iter::once((page.get_filename(), text)).chain(below.flat_map(pages)).collect()
}
