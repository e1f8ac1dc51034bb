//! The log of the servers.
//!
//! A log is read by more people than the data, and kept for longer, so it follows the rule of all
//! messages: no value, no count and no row number. Libraries do not know that rule, so the modules
//! that may log are listed here, and all others are silent.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Log level of a server.
///
/// At every level the log names jobs, stages, tasks, files and machines, and holds nothing that
/// depends on rows. `Debug` is the highest level: no option or variable, including `RUST_LOG`,
/// enables more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogLevel {
    /// Errors.
    #[default]
    Warn,
    /// Errors and actions.
    Info,
    /// Everything.
    Debug,
}

/// Modules that may log, and their maximum level: the longest matching prefix of a module's path
/// decides. The silent modules of Ballista print rows, batches or bytes, even at `warn`, and cannot
/// be configured otherwise.
const LOGGED_MODULES: [(&str, LevelFilter); 14] = [
    ("scumble", LevelFilter::Debug),
    ("ballista_core", LevelFilter::Debug),
    ("ballista_scheduler", LevelFilter::Debug),
    ("ballista_executor", LevelFilter::Debug),
    // Numbers of rows, batches and bytes that are written, read and spilled between executors.
    ("ballista_core::execution_plans", LevelFilter::Off),
    // The plan of every task with the metrics of its operators.
    ("ballista_executor::execution_engine", LevelFilter::Off),
    // The sizes of the files that it serves, and errors of Arrow with their text.
    ("ballista_executor::flight_service", LevelFilter::Off),
    // Operators need messages about connections, certificates and object stores when something
    // fails. Below `warn`, these modules log the sizes of messages.
    ("h2", LevelFilter::Warn),
    ("hyper", LevelFilter::Warn),
    ("hyper_util", LevelFilter::Warn),
    ("object_store", LevelFilter::Warn),
    ("reqwest", LevelFilter::Warn),
    ("rustls", LevelFilter::Warn),
    ("tonic", LevelFilter::Warn),
];

/// Whether a message of this module and level is logged.
fn is_logged(module: &str, level: Level) -> bool {
    let is_of =
        |path: &str| module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '_']));
    let of_module = LOGGED_MODULES.iter().filter(|(path, _)| is_of(path)).max_by_key(|(path, _)| path.len());
    of_module.is_some_and(|(_, most)| level <= *most)
}

/// Returns the first line of a message. The following lines are a plan, with the sizes and ranges
/// of files: if all rows have equal length, a size reveals their number.
fn first_line(message: &str) -> &str {
    message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, message: &Metadata<'_>) -> bool {
        is_logged(message.target(), message.level())
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // A failure to write the log is ignored.
        let _ = writeln!(
            std::io::stderr().lock(),
            "{}.{:03} {} {}: {}",
            now.as_secs(),
            now.subsec_millis(),
            record.level(),
            record.target(),
            first_line(&record.args().to_string())
        );
    }

    fn flush(&self) {}
}

/// Writes the log of this process to standard error from now on.
pub fn log_to_stderr(level: LogLevel) {
    let level = match level {
        LogLevel::Warn => LevelFilter::Warn,
        LogLevel::Info => LevelFilter::Info,
        LogLevel::Debug => LevelFilter::Debug,
    };
    // A second call only changes the level.
    let _ = log::set_logger(&Stderr);
    log::set_max_level(level);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_that_are_not_listed_are_silent() {
        for (module, max_level) in [
            ("scumble_cluster::executor", Some(Level::Debug)),
            ("ballista_scheduler::state::task_manager", Some(Level::Debug)),
            ("ballista_executor::execution_loop", Some(Level::Debug)),
            ("ballista_executor::execution_engine", None),
            ("ballista_core::execution_plans::sort_shuffle::writer", None),
            ("ballista_core::client", Some(Level::Debug)),
            ("object_store::client::retry", Some(Level::Warn)),
            ("tonic::transport", Some(Level::Warn)),
            ("datafusion_physical_plan::sorts::sort", None),
            ("parquet::arrow::arrow_reader", None),
            ("arrow", None),
            ("scumblex", None),
            ("", None),
        ] {
            for level in [Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace] {
                assert_eq!(
                    is_logged(module, level),
                    max_level.is_some_and(|max_level| level <= max_level),
                    "{module} at {level}"
                );
            }
        }
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(first_line("\n=== [job/1] Stage finished ===\nScan: 737411 rows"), "=== [job/1] Stage finished ===");
        assert_eq!(first_line("Job queued: [a]"), "Job queued: [a]");
        assert_eq!(first_line("\n \n"), "");
    }
}
