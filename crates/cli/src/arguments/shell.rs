//! Arguments of `scumble completions` and `scumble man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble completions bash > scumble.bash\n\n\
                        Bash reads such files from ~/.local/share/bash-completion/completions/scumble, fish from\n\
                        ~/.config/fish/completions/scumble.fish, zsh from a file `_scumble` in a folder of its fpath.")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

/// Write the manual pages, one per command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble man -o man1\n  man ./man1/scumble-fit.1")]
pub(crate) struct Man {
    /// Folder for the pages; created if it does not exist
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwriting: super::Overwriting,
}
