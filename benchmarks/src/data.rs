//! Where the benchmark tables, the judge and the files of the repository are.

use std::path::{Path, PathBuf};

/// The variable that names the folder of the benchmark tables.
pub const VARIABLE: &str = "SCUMBLE_BENCH_DATA";

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of the benchmark tables, which need not be there.
pub fn folder() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| root().join("../shared/data"), PathBuf::from)
}

/// Whether a folder has benchmark tables. Prints what to do if not.
pub fn is_there(folder: &Path) -> bool {
    let found = folder.join("adult").is_dir();
    if !found {
        println!("SKIPPED: no benchmark tables in {}", folder.display());
        println!("hint: fetch them with reproduce/data.sh, or set {VARIABLE} to their folder");
    }
    found
}

/// The folder of the benchmark tables, if they are there. Prints what to do if not.
pub fn find() -> Option<PathBuf> {
    let folder = folder();
    is_there(&folder).then_some(folder)
}

/// The script that judges synthetic rows: at `SCUMBLE_JUDGE`, or beside the benchmark tables.
pub fn judge() -> PathBuf {
    std::env::var_os("SCUMBLE_JUDGE").map_or_else(|| root().join("../shared/eval/evaluate.py"), PathBuf::from)
}

/// The folder of files that the documentation shows.
pub fn published() -> PathBuf {
    root().join("docs/reproduction")
}

/// The folder of schemas of real tables.
pub fn schemas() -> PathBuf {
    root().join("examples/schemas")
}
