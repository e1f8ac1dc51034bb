//! How exact the checks of a fit will be, before anything is spent.

use std::fmt;

use scumble::mechanisms::quality::{CheckForecast, Criterion, forecast as forecast_noise};
use scumble::{ApproxDp, Method, Schema};
use serde::Serialize;

use crate::arguments::{CheckedRows, RowChecks};
use crate::failure::Failure;

/// How exact the checks of a fit will be.
#[derive(Debug, Serialize)]
pub(crate) struct ChecksForecast {
    #[serde(flatten)]
    forecast: CheckForecast,
    /// Criteria that noise alone makes impossible, as warnings.
    pub(crate) undecidable: Vec<String>,
}

/// Predicts how exact the checks of a fit will be, if there are some.
pub(crate) fn forecast(
    checks: &RowChecks,
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    rows: Option<u64>,
) -> Result<Option<ChecksForecast>, Failure> {
    let criteria = checks.criteria()?;
    let Some(check) = checks.check(criteria.as_ref(), CheckedRows::default()) else { return Ok(None) };
    let forecast = forecast_noise(schema, &check, method, goal, rows)?;
    let undecidable = criteria.iter().flat_map(|criteria| forecast.undecidable(criteria)).map(warning).collect();
    Ok(Some(ChecksForecast { forecast, undecidable }))
}

fn warning(criterion: &Criterion) -> String {
    format!("noise is too large for the criterion `{criterion}`: it cannot be met with this budget")
}

impl fmt::Display for ChecksForecast {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CheckForecast { figures, noise, half_width } = self.forecast;
        write!(formatter, "{figures} figures of quality will be released, each with noise of {noise:.0} rows; ")?;
        match half_width {
            Some(half_width) => write!(formatter, "95 % intervals of shares of all rows will be ± {half_width:.4}"),
            None => formatter.write_str("`--rows-hint NUMBER` shows their intervals"),
        }
    }
}
