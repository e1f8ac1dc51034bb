//! Output: files that are written atomically, or standard output.

use std::io::Write;
use std::path::{Path, PathBuf};

use scumble::schema::AtomicFile;
use scumble::{Fault, Outputs};

use crate::failure::{Failure, cannot_write};
use crate::terminal::Terminal;

/// Output argument that means standard output.
const STDOUT: &str = "-";

/// Returns whether an output is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Refuses outputs that would overwrite a needed file or that cannot be written. Call it before
/// spending budget on the contents.
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

/// Refuses standard output where a file is required.
pub(crate) fn refuse_stdout(path: &Path, what: &str) -> Result<(), Failure> {
    if is_stdout(path) {
        let hint = Some("give a file with `--output`".into());
        return Err(Failure::new(Fault::Usage, format!("{what} cannot be written to standard output"), hint));
    }
    Ok(())
}

/// Writes a complete document. If it goes to standard output, `terminal` moves its results to
/// standard error.
pub(crate) fn write(path: &Path, bytes: &[u8], terminal: &Terminal) -> Result<(), Failure> {
    if is_stdout(path) {
        terminal.reserve_stdout()?;
        return std::io::stdout().write_all(bytes).map_err(|error| cannot_write(Path::new("standard output"), &error));
    }
    AtomicFile::write_all_to(path, bytes).map_err(|error| cannot_write(path, &error))
}

/// Formats the name of an output for a sentence.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdout(path) { "standard output".into() } else { path.display().to_string() }
}
