//! Advice on a plan, in plain words.

use scumble_mechanisms::forecast::{Forecast, Signal};
use scumble_schema::Schema;

use super::middling;
use super::number::{shortest, two_digits};
use crate::words::{grouped, listed};

/// Maximum number of columns that are named.
const MAX_NAMED_COLUMNS: usize = 3;
/// Error in tables over two columns above which a table is of little use.
const LARGE_ERROR: f64 = 0.1;
/// Factor by which delta should be below one over the number of rows.
const DELTA_MARGIN: f64 = 10.0;

/// Returns sentences of advice, the most important ones first.
pub(super) fn advice(schema: &Schema, forecasts: &[Forecast]) -> Vec<String> {
    let winners = winners(forecasts);
    let sizes = winners.iter().filter_map(|forecast| {
        forecast.signal.as_ref().map(|signal| sizes(schema, forecast, signal, forecasts.len() > 1))
    });
    let mut advice: Vec<String> = forecasts.iter().flat_map(weak).collect();
    // Several methods may have the same terms.
    advice.dedup();
    advice.extend(sizes);
    advice.extend(best(forecasts, &winners));
    advice.extend(forecasts.first().and_then(delta));
    advice.extend(relations(forecasts));
    advice.extend(large_errors(forecasts));
    advice
}

/// Returns the forecast with the smallest error for each budget, the first of equals.
fn winners(forecasts: &[Forecast]) -> Vec<&Forecast> {
    let mut winners: Vec<&Forecast> = Vec::new();
    for forecast in forecasts {
        match winners.iter_mut().find(|winner| winner.goal == forecast.goal) {
            Some(winner) if error(forecast) < error(winner) => *winner = forecast,
            Some(_) => {}
            None => winners.push(forecast),
        }
    }
    winners
}

/// Returns the error in tables over three columns, or over all columns if there are fewer.
fn error(forecast: &Forecast) -> f64 {
    forecast.errors.get(2).or(forecast.errors.last()).map_or(f64::INFINITY, middling)
}

/// States which tables are mostly noise, and which columns to coarsen.
fn sizes(schema: &Schema, forecast: &Forecast, signal: &Signal, names_method: bool) -> String {
    let method = if names_method { format!(" with `{}`", forecast.method) } else { String::new() };
    let drowned = signal.mostly_noise_cells;
    let beginning = format!(
        "at epsilon {} and {} rows{method}, tables above {} cells are mostly noise",
        shortest(forecast.goal.epsilon.get()),
        grouped(forecast.rows.get()),
        grouped(drowned)
    );
    let mut columns: Vec<(u64, &str)> =
        schema.attributes().iter().map(|column| (column.size().into(), column.name())).collect();
    columns.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
    let middle = columns.get(columns.len() / 2).map_or(1, |&(size, _)| size.max(1));
    let large: Vec<&(u64, &str)> = columns.iter().filter(|(size, _)| size * middle > drowned).collect();
    if large.is_empty() {
        return format!("{beginning}; a pair of any column with a middling one is below that");
    }
    let named: Vec<String> = large
        .iter()
        .take(MAX_NAMED_COLUMNS)
        .map(|(size, name)| format!("`{name}` ({} codes)", grouped(*size)))
        .collect();
    let others = large.len().saturating_sub(MAX_NAMED_COLUMNS);
    let others = if others > 0 { format!(", and {others} more columns,") } else { String::new() };
    let most = (drowned / middle).max(2);
    format!("{beginning}; coarsen {}{others} to at most {} codes", listed(&named), grouped(most))
}

/// States which method is expected to be best, if there are several.
fn best(forecasts: &[Forecast], winners: &[&Forecast]) -> Option<String> {
    if forecasts.windows(2).all(|pair| pair[0].method == pair[1].method) {
        return None;
    }
    let mut methods: Vec<(&str, Vec<String>)> = Vec::new();
    for winner in winners {
        let epsilon = shortest(winner.goal.epsilon.get());
        match methods.iter_mut().find(|(method, _)| *method == winner.method) {
            Some((_, epsilons)) => epsilons.push(epsilon),
            None => methods.push((&winner.method, vec![epsilon])),
        }
    }
    let each = methods.iter().map(|(method, epsilons)| format!("`{method}` at epsilon {}", listed(epsilons)));
    let each: Vec<String> = each.collect();
    Some(format!("the smallest error in tables over three columns is expected of {}", each.join("; of ")))
}

/// States the terms that `fit` refuses unless they are accepted.
fn weak(forecast: &Forecast) -> impl Iterator<Item = String> {
    let weaknesses = forecast.goal.weaknesses(Some(forecast.rows.get()));
    weaknesses
        .into_iter()
        .map(|weakness| format!("WEAK TERMS, which `fit` refuses unless they are accepted: {weakness}"))
}

/// Warns of a delta that is near one over the number of rows. A larger one is a weak term.
fn delta(forecast: &Forecast) -> Option<String> {
    let share = 1.0 / forecast.rows.get() as f64;
    let delta = forecast.goal.delta.get();
    (delta < share && delta * DELTA_MARGIN > share).then(|| {
        format!(
            "delta {} is not far below one over the number of rows: a smaller one, such as 1e-9, costs little",
            shortest(delta)
        )
    })
}

fn relations(forecasts: &[Forecast]) -> Option<String> {
    let keeps_none = forecasts.iter().all(|forecast| forecast.method == "independent");
    keeps_none.then(|| "`independent` keeps no relation between columns: choose `auto` if relations matter".into())
}

fn large_errors(forecasts: &[Forecast]) -> Option<String> {
    let of_pairs = forecasts.iter().filter_map(|forecast| forecast.errors.get(1).map(middling));
    let least = of_pairs.fold(f64::INFINITY, f64::min);
    (least > LARGE_ERROR && least.is_finite()).then(|| {
        format!(
            "even the best of these puts a share of {} of the rows into wrong cells of a table over two columns: take fewer or coarser columns, \
             or a larger epsilon",
            two_digits(least)
        )
    })
}
