//! No file that somebody needs is lost by a slip of the hand: what is checked before anything is written.

use std::fs;
use std::path::{Path, PathBuf};

use same_file::is_same_file;

/// What a piece of work reads, and what it may therefore not write.
///
/// ```
/// use scumble::{OutputError, Outputs};
/// # let folder = tempfile::tempdir()?;
/// # let [real, model] = ["real.csv", "real.model"].map(|name| folder.path().join(name));
/// # std::fs::write(&real, "age\n41\n")?;
///
/// let outputs = Outputs::beside([&real]);
/// outputs.check(&[&model])?;
/// assert!(matches!(outputs.check(&[&real]), Err(OutputError::IsInput { .. })));
///
/// std::fs::write(&model, "an older one")?;
/// assert!(matches!(outputs.check(&[&model]), Err(OutputError::Exists { .. })));
/// // Asked for, a file may be replaced, but never one that is read.
/// let forced = outputs.force(true);
/// forced.check(&[&model])?;
/// assert!(matches!(forced.check(&[&real]), Err(OutputError::IsInput { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    inputs: Vec<PathBuf>,
    force: bool,
}

/// An output that would cost a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is a file of that name.
    #[error("`{}` exists already", .path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output is what is read.
    #[error("the output `{}` is the input `{}`", .path.display(), .input.display())]
    IsInput {
        /// The output.
        path: PathBuf,
        /// The input, as it was named.
        input: PathBuf,
    },
    /// The output would be read as an input the next time.
    #[error("the output `{}` lies in the input `{}`", .path.display(), .input.display())]
    InInput {
        /// The output.
        path: PathBuf,
        /// The folder or glob that it belongs to.
        input: PathBuf,
    },
    /// Two outputs have one name.
    #[error("`{}` is named for two outputs", .path.display())]
    Twice {
        /// The name.
        path: PathBuf,
    },
    /// There is something of that name that is no file.
    #[error("`{}` is a folder or a device, and no file", .path.display())]
    NotAFile {
        /// The output.
        path: PathBuf,
    },
}

impl OutputError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name, or add `--force` to replace it",
            Self::IsInput { .. } => "choose another name; `--force` replaces no input",
            Self::InInput { .. } => "write it elsewhere: it would be read as real rows the next time",
            Self::Twice { .. } => "give each its own name",
            Self::NotAFile { .. } => "name a file; `-` is standard output, where a command has it",
        }
    }
}

impl Outputs {
    /// Outputs of work that reads these files, folders and globs. What is no path, such as the address of a database, is passed over.
    pub fn beside<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), force: false }
    }

    /// Whether files that exist may be replaced. Inputs may not be in any case.
    #[must_use]
    pub fn force(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Refuses outputs that are inputs, lie in them, exist already, or are named twice. To be asked before any work is done.
    ///
    /// # Errors
    /// For the first of them.
    pub fn check<P: AsRef<Path>>(&self, outputs: &[P]) -> Result<(), OutputError> {
        for (index, output) in outputs.iter().enumerate() {
            let path = output.as_ref();
            if outputs[..index].iter().any(|other| is_one_place(other.as_ref(), path)) {
                return Err(OutputError::Twice { path: path.to_owned() });
            }
            self.check_one(path)?;
        }
        Ok(())
    }

    fn check_one(&self, path: &Path) -> Result<(), OutputError> {
        let own = |input: &Path| (path.to_owned(), input.to_owned());
        for input in &self.inputs {
            if is_one_place(input, path) {
                let (path, input) = own(input);
                return Err(OutputError::IsInput { path, input });
            }
            if lies_in_folder(path, input) || is_matched(path, input) {
                let (path, input) = own(input);
                return Err(OutputError::InInput { path, input });
            }
        }
        match fs::symlink_metadata(path) {
            Err(_) => Ok(()),
            Ok(there) if !there.is_file() && !there.is_symlink() => {
                Err(OutputError::NotAFile { path: path.to_owned() })
            }
            Ok(_) if self.force => Ok(()),
            Ok(_) => Err(OutputError::Exists { path: path.to_owned() }),
        }
    }
}

/// Whether two paths lead to one file, by whatever links, or would if there were one.
fn is_one_place(one: &Path, other: &Path) -> bool {
    is_same_file(one, other).unwrap_or(false) || location(one).is_some_and(|place| location(other) == Some(place))
}

/// Where a file that need not exist is: its folder without links, and its name.
fn location(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

fn lies_in_folder(path: &Path, input: &Path) -> bool {
    let Ok(folder) = fs::canonicalize(input) else { return false };
    folder.is_dir() && location(path).is_some_and(|place| place.starts_with(folder))
}

/// Whether an input is a glob that would find the output.
fn is_matched(path: &Path, input: &Path) -> bool {
    // What exists is taken as it stands, as the engine does.
    if input.exists() || !input.to_string_lossy().contains(['*', '?', '[']) {
        return false;
    }
    let matches = |pattern: &Path, path: &Path| {
        glob::Pattern::new(&pattern.to_string_lossy()).is_ok_and(|pattern| pattern.matches_path(path))
    };
    let of_name = || matches(Path::new(input.file_name()?), Path::new(path.file_name()?)).then_some(());
    matches(input, path) || (of_name().is_some() && folder_of(input) == folder_of(path))
}

/// The folder of a file, without links.
fn folder_of(path: &Path) -> Option<PathBuf> {
    location(path)?.parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "age\n41\n").unwrap();
        }
        folder
    }

    #[cfg(unix)]
    #[test]
    fn an_input_is_known_by_every_name_that_it_has() {
        let folder = folder(&["data/real.csv"]);
        let at = |name: &str| folder.path().join(name);
        fs::hard_link(at("data/real.csv"), at("hard.csv")).unwrap();
        std::os::unix::fs::symlink(at("data/real.csv"), at("soft.csv")).unwrap();
        std::os::unix::fs::symlink(at("data"), at("linked")).unwrap();
        let outputs = Outputs::beside([at("data/real.csv")]).force(true);
        for name in ["data/real.csv", "data/../data/./real.csv", "hard.csv", "soft.csv", "linked/real.csv"] {
            let refused = outputs.check(&[at(name)]);
            assert!(matches!(refused, Err(OutputError::IsInput { .. })), "{name}: {refused:?}");
        }
        outputs.check(&[at("data/other.csv")]).unwrap();
    }

    #[test]
    fn nothing_is_written_where_inputs_are_looked_for() {
        let folder = folder(&["data/2026/a.csv", "parts/part-1.csv"]);
        let at = |name: &str| folder.path().join(name);
        let outputs = Outputs::beside([at("data"), at("parts/part-*.csv")]);
        for name in ["data/synth.csv", "data/2026/synth.csv", "parts/part-2.csv", "parts/../parts/part-3.csv"] {
            let refused = outputs.check(&[at(name)]);
            assert!(matches!(refused, Err(OutputError::InInput { .. })), "{name}: {refused:?}");
        }
        outputs.check(&[at("parts/synth.csv"), at("synth.csv")]).unwrap();
    }

    #[test]
    fn outputs_have_names_of_their_own_and_are_files() {
        let folder = folder(&["there.csv"]);
        let at = |name: &str| folder.path().join(name);
        let outputs = Outputs::default();
        assert!(matches!(outputs.check(&[at("a"), at("./a")]), Err(OutputError::Twice { .. })));
        assert!(matches!(outputs.check(&[at("there.csv")]), Err(OutputError::Exists { .. })));
        assert!(matches!(outputs.clone().force(true).check(&[folder.path()]), Err(OutputError::NotAFile { .. })));
        outputs.force(true).check(&[at("there.csv")]).unwrap();
    }
}
