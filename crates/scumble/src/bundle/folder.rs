//! A folder that is written atomically.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::BundleError;

/// Extensions of files that people expect from other commands.
const FILE_EXTENSIONS: [&str; 14] =
    ["arrow", "csv", "feather", "gz", "html", "json", "model", "parquet", "pq", "tsv", "txt", "xlsx", "zip", "zst"];

/// Refuses the name of a table, a model or another file for the folder of a bundle.
///
/// # Errors
/// If the name has the extension of a file.
pub fn check_folder_name(folder: &Path) -> Result<(), BundleError> {
    let extension = folder.extension().and_then(OsStr::to_str).unwrap_or_default();
    if FILE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
        return Err(BundleError::NamesFile { path: folder.display().to_string() });
    }
    Ok(())
}

/// A temporary folder beside its target. Dropped before [`NewFolder::persist`], it is removed.
pub(super) struct NewFolder {
    temporary: TempDir,
    target: PathBuf,
}

impl NewFolder {
    /// Creates a folder that will be moved to `target`, which must not exist.
    pub(super) fn create(target: &Path) -> Result<Self, BundleError> {
        check_folder_name(target)?;
        refuse_existing(target)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".scumble-");
        // Permissions of any new folder: a bundle is meant to be shared, and the user's mask
        // restricts it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let temporary = builder.tempdir_in(parent(target)).map_err(|error| BundleError::io(target, &error))?;
        Ok(Self { temporary, target: target.to_owned() })
    }

    /// Creates a file in it; `name` may have one folder before it.
    pub(super) fn file(&self, name: &str) -> Result<File, BundleError> {
        let path = self.temporary.path().join(name);
        let made = std::fs::create_dir_all(path.parent().expect("a file is in a folder"));
        made.and_then(|()| File::create_new(&path)).map_err(|error| BundleError::io(&self.target, &error))
    }

    /// Writes a complete file into it.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<(), BundleError> {
        let mut file = self.file(name)?;
        file.write_all(content).map_err(|error| BundleError::io(&self.target, &error))?;
        self.sync(&file)
    }

    /// Makes a file in it durable.
    pub(super) fn sync(&self, file: &File) -> Result<(), BundleError> {
        file.sync_all().map_err(|error| BundleError::io(&self.target, &error))
    }

    /// Moves the folder to its target, durably. `inner` are the folders in it.
    pub(super) fn persist(self, inner: &[&str]) -> Result<(), BundleError> {
        let here = self.temporary.path();
        for folder in inner.iter().map(|name| here.join(name)).chain([here.to_owned()]) {
            sync_folder(&folder).map_err(|error| BundleError::io(&self.target, &error))?;
        }
        // A rename would replace an empty folder that was created meanwhile, and nothing else.
        refuse_existing(&self.target)?;
        std::fs::rename(here, &self.target).map_err(|error| BundleError::io(&self.target, &error))?;
        let _ = self.temporary.keep();
        // The new name is durable only once the parent folder is.
        sync_folder(parent(&self.target)).map_err(|error| BundleError::io(&self.target, &error))
    }
}

fn refuse_existing(target: &Path) -> Result<(), BundleError> {
    // `exists` does not see a broken link.
    if target.symlink_metadata().is_ok() {
        return Err(BundleError::Exists { path: target.display().to_string() });
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_written_atomically() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("a");
        let folder = NewFolder::create(&target).unwrap();
        folder.write("inner/file", b"content").unwrap();
        assert!(!target.exists());
        drop(folder);
        assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);

        let folder = NewFolder::create(&target).unwrap();
        folder.write("inner/file", b"content").unwrap();
        folder.persist(&["inner"]).unwrap();
        assert_eq!(std::fs::read(target.join("inner/file")).unwrap(), b"content");
        assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 1);
        assert!(matches!(NewFolder::create(&target), Err(BundleError::Exists { .. })));
    }

    #[test]
    fn a_folder_has_no_name_of_a_file() {
        for name in ["people.csv", "out/people.Parquet", "people.csv.gz", "people.model"] {
            assert!(matches!(NewFolder::create(Path::new(name)), Err(BundleError::NamesFile { .. })), "{name}");
        }
        for name in ["people", "people.2026", "people-v1.2", "out.csv/people"] {
            check_folder_name(Path::new(name)).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_has_the_permissions_of_the_mask() {
        use std::os::unix::fs::PermissionsExt;
        let around = tempfile::tempdir().unwrap();
        let (ours, usual) = (around.path().join("ours"), around.path().join("usual"));
        NewFolder::create(&ours).unwrap().persist(&[]).unwrap();
        std::fs::create_dir(&usual).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }
}
