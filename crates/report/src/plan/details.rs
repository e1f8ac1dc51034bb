//! Full text of one forecast.

use std::fmt;

use scumble_mechanisms::forecast::{Asked, Forecast, Signal, Step};
use scumble_schema::AdjacencyKind;

use super::WIDTH;
use super::number::{bytes, extent, seconds, shortest, two_digits};
use crate::words::{grouped, wrapped};

pub(super) fn write(formatter: &mut fmt::Formatter<'_>, forecast: &Forecast) -> fmt::Result {
    writeln!(formatter, "method     {}, with {} accounting", forecast.method, forecast.accounting)?;
    writeln!(formatter, "rows       {} (as given; no data was read)", grouped(forecast.rows.get()))?;
    let (epsilon, delta) = (shortest(forecast.goal.epsilon.get()), shortest(forecast.goal.delta.get()));
    let rows = match forecast.max_contributions.get() {
        1 => "one row".into(),
        most => format!("up to {most} rows of one unit"),
    };
    let how = match forecast.adjacency {
        AdjacencyKind::AddRemove => "added or removed",
        AdjacencyKind::ReplaceOne => "replaced",
    };
    writeln!(formatter, "budget     epsilon {epsilon}, delta {delta}; neighbours differ by {rows}, {how}")?;
    let cost = forecast.cost;
    writeln!(
        formatter,
        "cost       about {} of memory and {} of processor time",
        bytes(cost.peak_bytes),
        seconds(cost.cpu_seconds)
    )?;
    write_steps(formatter, &forecast.steps)?;
    if let Some(signal) = &forecast.signal {
        write_signal(formatter, signal)?;
    }
    write_errors(formatter, forecast)
}

fn write_steps(formatter: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    writeln!(
        formatter,
        "\n{:27}  {:>7}  {:>7}  {:>16}  noise per cell or selection",
        "asks for", "events", "columns", "cells"
    )?;
    for step in steps {
        let noise = match (&step.noise, &step.preference) {
            (Some(noise), _) => format!("{} rows", extent(noise, |noise| two_digits(*noise))),
            (None, Some(preference)) => format!("epsilon {}", extent(preference, |epsilon| two_digits(*epsilon))),
            (None, None) => "-".into(),
        };
        let columns = match step.what {
            Asked::Choices => "-".into(),
            _ => extent(&step.columns, ToString::to_string),
        };
        let about = if step.events.are_certain() { "" } else { "~" };
        let events = format!("{about}{}", grouped(step.events.expected));
        let cells = extent(&step.cells, |cells| grouped(*cells));
        writeln!(formatter, "{:27}  {events:>7}  {columns:>7}  {cells:>16}  {noise}", name(step))?;
    }
    let unsure: Vec<&Step> = steps.iter().filter(|step| !step.events.are_certain()).collect();
    if let Some(most) = unsure.iter().map(|step| step.events.at_most).max() {
        let most = grouped(most);
        writeln!(
            formatter,
            "~ an estimate, because the rows decide what is selected; never more than {most} of a kind"
        )?;
    }
    Ok(())
}

fn name(step: &Step) -> &'static str {
    match (step.what, step.columns.most) {
        (Asked::Rows, _) => "the number of rows",
        (Asked::Tables, 1) => "tables of one column",
        (Asked::Tables, _) => "tables of several columns",
        (Asked::Scores, 2) => "noisy scores of pairs",
        (Asked::Scores, _) => "noisy scores of candidates",
        (Asked::Parities, 1) => "parities of one column",
        (Asked::Parities, 2) => "parities of pairs",
        (Asked::Parities, _) => "parities of three columns",
        (Asked::Choices, _) => "selections among candidates",
        (Asked::Draws, _) => "rows drawn from one table",
    }
}

fn write_signal(formatter: &mut fmt::Formatter<'_>, signal: &Signal) -> fmt::Result {
    writeln!(formatter, "\nwhich tables carry signal, with noise of {} rows on each count", two_digits(signal.noise))?;
    let (reliable, drowned) = (grouped(signal.reliable_cells), grouped(signal.mostly_noise_cells));
    let width = reliable.len().max(drowned.len()).max(3);
    writeln!(formatter, "  up to {reliable:>width$} cells  reliable: noise alone moves at most one row in ten")?;
    writeln!(formatter, "  above {drowned:>width$} cells  mostly noise: it moves more than every second row")?;
    let smallest = grouped(signal.smallest_count);
    writeln!(formatter, "  counts below {smallest} cannot be distinguished from zero")
}

fn write_errors(formatter: &mut fmt::Formatter<'_>, forecast: &Forecast) -> fmt::Result {
    writeln!(formatter, "\nexpected error: the share of rows in wrong cells (total variation), mean over tables")?;
    writeln!(formatter, "{:>7}  {:>11}  {:>17}  {:>11}", "columns", "from noise", "in all", "lower bound")?;
    for error in &forecast.errors {
        writeln!(
            formatter,
            "{:>7}  {:>11}  {:>17}  {:>11}",
            error.columns,
            two_digits(error.noise),
            extent(&error.expected, |error| two_digits(*error)),
            two_digits(error.lower_bound)
        )?;
    }
    writeln!(
        formatter,
        "{}",
        wrapped(
            &format!(
                "in all: with what the method leaves out, from the best to the worst of four benchmark tables; the relations of your \
                 table are not known here. Lower bound: some table has it with any private method; for all columns together it is {}.",
                two_digits(forecast.lower_bound_of_all)
            ),
            WIDTH,
            0
        )
    )
}
