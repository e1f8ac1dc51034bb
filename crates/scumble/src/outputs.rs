//! Checks of output paths, before anything is written, so that no needed file is overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use scumble_engine::Input;

/// The inputs of a command, which its outputs must not overwrite.
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
/// // With `force`, an existing file may be replaced, but never an input.
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

/// An output that would overwrite a needed file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The file exists.
    #[error("`{}` exists already", .path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output is an input.
    #[error("the output `{}` is the input `{}`", .path.display(), .input.display())]
    IsInput {
        /// The output.
        path: PathBuf,
        /// The input, as given.
        input: PathBuf,
    },
    /// The output would be read as an input the next time.
    #[error("the output `{}` lies in the input `{}`", .path.display(), .input.display())]
    InInput {
        /// The output.
        path: PathBuf,
        /// The folder or glob that contains it.
        input: PathBuf,
    },
    /// Two outputs have the same path.
    #[error("`{}` is given for two outputs", .path.display())]
    Twice {
        /// The path.
        path: PathBuf,
    },
    /// The path is a folder or a device.
    #[error("`{}` is a folder or a device, not a file", .path.display())]
    NotAFile {
        /// The output.
        path: PathBuf,
    },
}

impl OutputError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name, or add `--force` to replace it",
            Self::IsInput { .. } => "choose another name; `--force` replaces no input",
            Self::InInput { .. } => "write it to another folder: it would be read as real rows the next time",
            Self::Twice { .. } => "give each its own name",
            Self::NotAFile { .. } => "give a file, or `-` for standard output if the command supports it",
        }
    }
}

impl Outputs {
    /// Returns checks for outputs of work that reads these files, folders and globs. Inputs that
    /// are not paths, such as addresses of databases, are ignored.
    pub fn beside<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let inputs = inputs.into_iter().filter_map(|input| Input::new(input.into()).path().map(Path::to_owned));
        Self { inputs: inputs.collect(), force: false }
    }

    /// Sets whether existing files may be replaced. Inputs are never replaced.
    #[must_use]
    pub fn force(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Refuses outputs that are inputs, are inside of inputs, exist already, or are given twice.
    /// Call it before any work is done.
    ///
    /// # Errors
    /// Returns the first of these problems.
    pub fn check<P: AsRef<Path>>(&self, outputs: &[P]) -> Result<(), OutputError> {
        for (index, output) in outputs.iter().enumerate() {
            let path = output.as_ref();
            if outputs[..index].iter().any(|other| is_same_file(other.as_ref(), path)) {
                return Err(OutputError::Twice { path: path.to_owned() });
            }
            self.check_one(path)?;
        }
        Ok(())
    }

    fn check_one(&self, path: &Path) -> Result<(), OutputError> {
        let own = |input: &Path| (path.to_owned(), input.to_owned());
        for input in &self.inputs {
            if is_same_file(input, path) {
                let (path, input) = own(input);
                return Err(OutputError::IsInput { path, input });
            }
            if is_in_folder(path, input) || matches_glob(path, input) {
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

/// Returns whether two paths lead to the same file, also through links, or would if it existed.
fn is_same_file(one: &Path, other: &Path) -> bool {
    same_file::is_same_file(one, other).unwrap_or(false)
        || location(one).is_some_and(|place| location(other) == Some(place))
}

/// Returns the location of a file that need not exist: its folder without links, and its name.
fn location(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

fn is_in_folder(path: &Path, input: &Path) -> bool {
    let Ok(folder) = fs::canonicalize(input) else { return false };
    folder.is_dir() && location(path).is_some_and(|place| place.starts_with(folder))
}

/// Returns whether an input is a glob that matches the output.
fn matches_glob(path: &Path, input: &Path) -> bool {
    // An existing path is no glob, as in the engine.
    if input.exists() || !input.to_string_lossy().contains(['*', '?', '[']) {
        return false;
    }
    let matches = |pattern: &Path, path: &Path| {
        glob::Pattern::new(&pattern.to_string_lossy()).is_ok_and(|pattern| pattern.matches_path(path))
    };
    let of_name = || matches(Path::new(input.file_name()?), Path::new(path.file_name()?)).then_some(());
    matches(input, path) || (of_name().is_some() && folder_of(input) == folder_of(path))
}

/// Returns the folder of a file, without links.
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
