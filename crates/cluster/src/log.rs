//! The log of the servers.
//!
//! A log is read by more people than the data, and kept for longer, so it follows the rule of all messages: no value, no count
//! and no row number. Libraries do not know that rule. What they may say is therefore listed here, and all else is silent.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// How much a server says about itself.
///
/// At every level the log names jobs, stages, tasks, files and machines, and holds nothing that depends on rows. `Debug` is the most
/// there is: no option and no variable, `RUST_LOG` neither, brings more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogLevel {
    /// What went wrong.
    #[default]
    Warn,
    /// Also what was done.
    Info,
    /// Everything.
    Debug,
}

/// Who may write to the log, and up to which level: the longest path that begins the name of a module decides. Modules of
/// Ballista that are silent print rows, batches or bytes, even at `warn`, and cannot be asked not to.
const SPEAKERS: [(&str, LevelFilter); 14] = [
    ("scumble", LevelFilter::Debug),
    ("ballista_core", LevelFilter::Debug),
    ("ballista_scheduler", LevelFilter::Debug),
    ("ballista_executor", LevelFilter::Debug),
    // Rows, batches and bytes of what is written, read and spilled between executors.
    ("ballista_core::execution_plans", LevelFilter::Off),
    // The plan of every task with the metrics of its operators.
    ("ballista_executor::execution_engine", LevelFilter::Off),
    // The sizes of the files that it serves, and errors in the words of Arrow.
    ("ballista_executor::flight_service", LevelFilter::Off),
    // Connections, certificates and object stores are what an operator looks for when something does not work. Below `warn` these
    // log the sizes of messages.
    ("h2", LevelFilter::Warn),
    ("hyper", LevelFilter::Warn),
    ("hyper_util", LevelFilter::Warn),
    ("object_store", LevelFilter::Warn),
    ("reqwest", LevelFilter::Warn),
    ("rustls", LevelFilter::Warn),
    ("tonic", LevelFilter::Warn),
];

/// Whether the module of a message may say something of that level.
fn may_speak(module: &str, level: Level) -> bool {
    let is_of =
        |path: &str| module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '_']));
    let of_module = SPEAKERS.iter().filter(|(path, _)| is_of(path)).max_by_key(|(path, _)| path.len());
    of_module.is_some_and(|(_, most)| level <= *most)
}

/// The first line of a message. What Ballista writes below it is a plan, in which files stand with their sizes and ranges: a
/// table with rows of one length has as many as its size says.
fn first_line(message: &str) -> &str {
    message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, message: &Metadata<'_>) -> bool {
        may_speak(message.target(), message.level())
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // A log that cannot be written is no reason to end.
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

/// Writes the log of this process to its error output, from now on.
pub fn log_to_stderr(level: LogLevel) {
    let level = match level {
        LogLevel::Warn => LevelFilter::Warn,
        LogLevel::Info => LevelFilter::Info,
        LogLevel::Debug => LevelFilter::Debug,
    };
    // A second call changes the level alone.
    let _ = log::set_logger(&Stderr);
    log::set_max_level(level);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_listed_is_silent() {
        for (module, most) in [
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
                assert_eq!(may_speak(module, level), most.is_some_and(|most| level <= most), "{module} at {level}");
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
