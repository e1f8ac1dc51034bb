//! The log of the servers.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use log::{LevelFilter, Log, Metadata, Record};

/// How much a server says about itself.
///
/// Ballista's messages name files, plans and machines, and no value of a row: those are codes before anything could speak of
/// them.
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

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // A log that cannot be written is no reason to end.
        let _ = writeln!(
            std::io::stderr().lock(),
            "{}.{:03} {} {}: {}",
            now.as_secs(),
            now.subsec_millis(),
            record.level(),
            record.target(),
            record.args()
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
