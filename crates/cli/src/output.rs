//! Where results are written: to a file that is whole or not there, or to standard output.

use std::io::Write;
use std::path::{Path, PathBuf};

use scumble::schema::AtomicFile;
use scumble::{Fault, Outputs};

use crate::failure::{Failure, cannot_write};
use crate::terminal::Terminal;

/// What is written for standard output.
const STDOUT: &str = "-";

/// Whether an output is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Refuses outputs that would cost a file, or that cannot be written. To be asked before budget is spent on what goes into them.
pub(crate) fn check<'a>(
    reads: impl IntoIterator<Item = &'a PathBuf>,
    writes: impl IntoIterator<Item = &'a PathBuf>,
    force: bool,
) -> Result<(), Failure> {
    let files: Vec<&Path> = writes.into_iter().map(PathBuf::as_path).filter(|path| !is_stdout(path)).collect();
    Outputs::beside(reads).force(force).check(&files)?;
    for path in files {
        AtomicFile::create(path).map(drop).map_err(|error| cannot_write(path, &error))?;
    }
    Ok(())
}

/// Refuses standard output for what has to be a file.
pub(crate) fn refuse_stdout(path: &Path, what: &str) -> Result<(), Failure> {
    if is_stdout(path) {
        let hint = Some("name a file with `--output`".into());
        return Err(Failure::new(Fault::Usage, format!("{what} cannot be written to standard output"), hint));
    }
    Ok(())
}

/// Writes a whole document. If it goes to standard output, what `terminal` has to say goes to standard error.
pub(crate) fn write(path: &Path, bytes: &[u8], terminal: &Terminal) -> Result<(), Failure> {
    if is_stdout(path) {
        terminal.give_up_stdout()?;
        return std::io::stdout().write_all(bytes).map_err(|error| cannot_write(Path::new("standard output"), &error));
    }
    AtomicFile::write_all_to(path, bytes).map_err(|error| cannot_write(path, &error))
}

/// An output in a sentence.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdout(path) { "standard output".into() } else { path.display().to_string() }
}
