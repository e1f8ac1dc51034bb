//! Progress of a fit on a terminal: bytes read, then processor time used of the forecast.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use scumble::report::FitClock;
use scumble::{ApproxDp, Method, ProgressSink, Schema};

use crate::terminal::show_spinner;

/// Returns a sink that shows the progress of a fit on `bar`.
pub(crate) fn sink(
    bar: &ProgressBar,
    schema: Option<&Schema>,
    method: &Method,
    goal: ApproxDp,
    data: &[PathBuf],
) -> ProgressSink {
    let (bar, schema, method) = (bar.clone(), schema.cloned(), method.clone());
    let file = data.first().cloned().unwrap_or_default();
    let clock = OnceLock::new();
    ProgressSink::new(move |progress| {
        // The bar is hidden, or the total is unknown.
        if bar.is_hidden() || progress.bytes_total == 0 {
            return;
        }
        let start = |schema: &Schema| FitClock::start(schema, &method, goal, &file, progress.bytes_total);
        let clock = clock.get_or_init(|| schema.as_ref().and_then(start));
        bar.set_length(progress.bytes_total);
        bar.set_position(progress.bytes_read);
        if progress.bytes_read == progress.bytes_total {
            match *clock {
                Some(clock) => show(&bar, clock),
                None => show_spinner(&bar, "fitting"),
            }
        }
    })
}

/// Replaces a full bar by the time used of the forecast.
fn show(bar: &ProgressBar, clock: FitClock) {
    let style = ProgressStyle::with_template("fitting {spinner} {clock}").expect("a template of ours");
    bar.set_style(style.with_key("clock", move |_: &ProgressState, text: &mut dyn fmt::Write| {
        // A terminal that cannot be written to shows no progress, and the command goes on.
        let _ = write!(text, "{clock}");
    }));
    bar.enable_steady_tick(Duration::from_millis(200));
}
