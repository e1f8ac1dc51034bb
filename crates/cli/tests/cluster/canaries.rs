//! Canaries on a cluster, T12: no count of the table is in a log of any process, nor in a file
//! outside private directories.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::canary::{BUDGET, FIELDS, UNITS, assert_clean, assert_clean_below, write_table};
use crate::servers::{Servers, files_below, scumble, wait_until};

/// The table in two files, and its schemas.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["data", "logs", "tmp", "made"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    write_table(&folder.path().join("data"));
    fs::write(folder.path().join("rows.yaml"), FIELDS).unwrap();
    fs::write(folder.path().join("units.yaml"), format!("{UNITS}{FIELDS}")).unwrap();
    folder
}

/// Returns a fit on the cluster, with all variables set that make Rust programs verbose.
fn fit(servers: &Servers, folder: &Path, schema: &str) -> Command {
    let mut fit = scumble(&["fit", "data", "--schema", schema, "--method", "mst", "--without-tls"]);
    fit.args(BUDGET).args(["--engine", &servers.address(), "-o", &format!("made/{schema}.model")]);
    fit.current_dir(folder).env("TMPDIR", folder.join("tmp"));
    fit.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    fit
}

fn log_of(logs: &Path, verb: &str) -> String {
    let files = files_below(logs).unwrap().into_iter();
    let of_verb = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(verb));
    of_verb.map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn no_log_of_a_cluster_holds_a_count() {
    let folder = folder();
    let logs = folder.path().join("logs");
    let mut servers = Servers::start_talkative(2, &logs);
    for (schema, more) in [("rows.yaml", &["--json"][..]), ("units.yaml", &[])] {
        let output = fit(&servers, folder.path(), schema).args(more).output().unwrap();
        let shown = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&shown));
        assert_clean("what the coordinator shows", &shown);
    }
    // Counts that are no longer needed are removed, and the logs show that they existed.
    for executor in servers.executors() {
        let work = executor.work.clone();
        wait_until("counts are removed", || files_below(&work).unwrap().len() == 1);
        assert_clean_below(&work, &[]);
    }
    drop(servers);
    let (of_scheduler, of_executors) = (log_of(&logs, "scheduler"), log_of(&logs, "executor"));
    assert_clean("the log of the scheduler", of_scheduler.as_bytes());
    assert_clean("the log of an executor", of_executors.as_bytes());
    for (log, line) in [(&of_scheduler, "Job finished successfully"), (&of_executors, "Finished task")] {
        assert!(log.contains(line) && log.contains(" DEBUG "), "the log says nothing:\n{log}");
    }
    let looked_at = assert_clean_below(folder.path(), &["data"]);
    assert!(looked_at.iter().any(|name| name == "units.yaml.model"), "{looked_at:?}");
    assert_eq!(fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0);
}

/// A process that is killed when the test ends or fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn killed_executors_leave_counts_only_in_private_directories() {
    let folder = folder();
    let mut servers = Servers::start_talkative(2, &folder.path().join("logs"));
    let shown = File::create(folder.path().join("shown.txt")).unwrap();
    let mut fit = fit(&servers, folder.path(), "units.yaml");
    let fit = Killed(fit.stdin(Stdio::null()).stdout(shown.try_clone().unwrap()).stderr(shown).spawn().unwrap());
    let works: Vec<_> = servers.executors().iter().map(|executor| executor.work.clone()).collect();
    // A work directory has a lock file; the next file holds rows or counts of a partition.
    wait_until("a part is written", || works.iter().any(|work| files_below(work).unwrap_or_default().len() > 1));
    servers.executors().clear();
    drop(fit);
    assert!(works.iter().any(|work| files_below(work).unwrap().len() > 1), "they are killed while they work");
    for work in works {
        assert_clean_below(&work, &[]);
    }
    drop(servers);
    let looked_at = assert_clean_below(folder.path(), &["data"]);
    assert!(looked_at.iter().any(|name| name == "shown.txt"));
}
