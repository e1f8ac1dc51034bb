//! Comparison of several forecasts, one line each.

use std::fmt;
use std::num::NonZeroU64;

use scumble_mechanisms::forecast::{Forecast, Signal};

use super::number::{bytes, seconds, shortest, two_digits};
use super::{WIDTH, middling};
use crate::words::{grouped, wrapped};

/// Maximum order of the tables whose error is shown.
const ORDERS: usize = 3;

pub(super) fn write(formatter: &mut fmt::Formatter<'_>, forecasts: &[Forecast], rows: NonZeroU64) -> fmt::Result {
    writeln!(formatter, "{} rows (as given; no data was read)\n", grouped(rows.get()))?;
    let mut lines = vec![header()];
    lines.extend(forecasts.iter().map(line));
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(place, (cell, &width))| {
            if place == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(formatter, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    let explained = "noise: standard deviation on each count of the middling table, in rows. Reliable up to, mostly noise above: cells of a \
                     table. Error: the expected share of rows in wrong cells of tables over 1, 2 and 3 columns, the middle of what came \
                     of such plans on four benchmark tables; a plan of one method and one epsilon shows the range.";
    writeln!(formatter, "\n{}", wrapped(explained, WIDTH, 0))
}

fn header() -> Vec<String> {
    let names = ["method", "epsilon", "events", "noise", "reliable up to", "mostly noise above"];
    let errors = (1..=ORDERS).map(|order| format!("error {order}"));
    names.into_iter().map(Into::into).chain(errors).chain(["memory".into(), "time".into()]).collect()
}

fn line(forecast: &Forecast) -> Vec<String> {
    let events: u64 = forecast.steps.iter().map(|step| step.events.expected).sum();
    let is_certain = forecast.steps.iter().all(|step| step.events.are_certain());
    let about = if is_certain { "" } else { "~" };
    let signal = forecast.signal.as_ref();
    let of_signal = |text: &dyn Fn(&Signal) -> String| signal.map_or_else(|| "-".into(), text);
    let mut line = vec![
        forecast.method.clone(),
        shortest(forecast.goal.epsilon.get()),
        format!("{about}{}", grouped(events)),
        of_signal(&|signal| two_digits(signal.noise)),
        of_signal(&|signal| grouped(signal.reliable_cells)),
        of_signal(&|signal| grouped(signal.mostly_noise_cells)),
    ];
    let errors =
        (0..ORDERS).map(|order| forecast.errors.get(order).map_or("-".into(), |error| two_digits(middling(error))));
    line.extend(errors);
    line.extend([bytes(forecast.cost.peak_bytes), seconds(forecast.cost.cpu_seconds)]);
    line
}
