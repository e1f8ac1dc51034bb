//! Picture of the expected errors.

use scumble_mechanisms::forecast::Forecast;

use super::middling;
use crate::chart::{Axis, Chart, Line, Panel, Scale};
use crate::words::grouped;

/// Orders that have a panel.
const ORDERS: [usize; 3] = [1, 2, 3];

/// Builds a chart with a panel for each order and a line for each method.
pub(super) fn chart(forecasts: &[Forecast]) -> Chart {
    let panels: Vec<Panel> = ORDERS.into_iter().filter_map(|order| panel(forecasts, order)).collect();
    let rows = forecasts.first().map_or(0, |forecast| forecast.rows.get());
    Chart {
        title: format!("Expected error by epsilon, {} rows", grouped(rows)),
        description: "The expected share of rows in wrong cells, for tables over one, two and three columns, against epsilon. A line for \
                      each method: it falls as epsilon grows."
            .into(),
        columns: panels.len(),
        panels,
    }
}

fn panel(forecasts: &[Forecast], order: usize) -> Option<Panel> {
    let mut lines: Vec<Line> = Vec::new();
    for forecast in forecasts {
        let error = forecast.errors.get(order - 1)?;
        let epsilon = forecast.goal.epsilon.get();
        add(&mut lines, &forecast.method, (epsilon, 100.0 * middling(error)));
    }
    let columns = ["one column", "two columns", "three columns"][order - 1];
    Some(Panel {
        title: format!("Tables over {columns}"),
        x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
        y: Axis { label: "% of rows in wrong cells".into(), scale: Scale::Logarithmic },
        lines,
    })
}

/// Adds a point to the line of a name, in the order of epsilons. A logarithmic axis has no place
/// for values that are not positive, so these are skipped.
fn add(lines: &mut Vec<Line>, name: &str, point: (f64, f64)) {
    if point.1 <= 0.0 {
        return;
    }
    let place = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
        lines.push(Line { name: name.into(), points: Vec::new() });
        lines.len() - 1
    });
    let points = &mut lines[place].points;
    if !points.iter().any(|known| known.0.total_cmp(&point.0).is_eq()) {
        points.push(point);
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
    }
}
