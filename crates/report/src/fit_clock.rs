//! Progress of a fit: the share of its forecast that it has used.

use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use scumble_mechanisms::Method;
use scumble_mechanisms::forecast::{Forecast, Machine, processor_time};
use scumble_schema::{FieldType, Schema};
use scumble_vault::ApproxDp;

use crate::plan::seconds;

/// Maximum number of labels from which the mean width of a text column is computed.
const MAX_LABELS: u32 = 200;
/// Approximate compression ratio of a compressed text file.
const COMPRESSION: f64 = 5.0;

/// A fit in progress: its forecast processor time, and the time that it has used.
///
/// # Privacy
/// The forecast depends on the schema, the request and the size of the input in bytes, never on the
/// number of rows: a line of progress may be seen by others, and may be kept in a log or a
/// notebook.
#[derive(Debug, Clone, Copy)]
pub struct FitClock {
    began: Duration,
    forecast: Duration,
}

impl FitClock {
    /// Starts the clock of a fit to a file of `bytes` bytes; `None` if the fit would be refused or
    /// the file is empty.
    pub fn start(schema: &Schema, method: &Method, goal: ApproxDp, file: &Path, bytes: u64) -> Option<Self> {
        let began = processor_time();
        let rows = NonZeroU64::new(likely_rows(schema, file, bytes))?;
        let forecast = Forecast::new(schema, method, goal, rows).ok()?.on(Machine::this());
        Some(Self { began, forecast: Duration::try_from_secs_f64(forecast.cost.cpu_seconds).ok()? })
    }

    /// Returns the forecast processor time of the whole fit.
    pub fn forecast(&self) -> Duration {
        self.forecast
    }

    /// Returns the processor time used since the start.
    pub fn used(&self) -> Duration {
        processor_time().saturating_sub(self.began)
    }
}

impl fmt::Display for FitClock {
    /// Writes a line such as `25 % of about 40 s of processor time`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(formatter, self.used(), self.forecast)
    }
}

fn write(formatter: &mut impl fmt::Write, used: Duration, forecast: Duration) -> fmt::Result {
    let forecast_seconds = seconds(forecast.as_secs_f64());
    if used > forecast {
        return write!(
            formatter,
            "{} s of processor time, more than the forecast of {forecast_seconds}",
            used.as_secs()
        );
    }
    let share = 100.0 * used.as_secs_f64() / forecast.as_secs_f64();
    write!(formatter, "{share:.0} % of about {forecast_seconds} of processor time")
}

/// Estimates the number of rows of a file of `bytes` bytes from the expected width of its columns.
fn likely_rows(schema: &Schema, file: &Path, bytes: u64) -> u64 {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let text: f64 =
        schema.output_columns().iter().map(|column| text_width(schema, column.name(), column.field_type())).sum();
    let width = match extension.as_str() {
        "parquet" => schema.domain().sizes().iter().map(|&size| f64::from(size).log2() / 8.0).sum::<f64>().max(1.0),
        "gz" | "zst" | "zip" | "bz2" | "xz" => text / COMPRESSION,
        _ => text,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate of a number of rows")]
    let rows = (bytes as f64 / width.max(1.0)) as u64;
    rows
}

/// Returns the expected width of a value in a text file, with its separator.
fn text_width(schema: &Schema, name: &str, field_type: FieldType) -> f64 {
    let value = match field_type {
        FieldType::Boolean => 5.0,
        FieldType::Date => 10.0,
        FieldType::Datetime => 19.0,
        FieldType::Time => 8.0,
        FieldType::Year => 4.0,
        FieldType::Integer => 3.0,
        FieldType::Number => 7.0,
        FieldType::String => schema.find(name).map_or(10.0, |column| {
            let attribute = schema.attribute(column);
            let labels = attribute.declared_codes().clamp(1, MAX_LABELS);
            let letters = (0..labels).map(|code| attribute.label(code).len() as f64).sum::<f64>();
            letters / f64::from(labels)
        }),
    };
    value + 1.0
}

#[cfg(test)]
mod tests {
    use scumble_vault::{Delta, Epsilon};

    use super::*;

    const SCHEMA: &str = "\
fields:
  - {name: region, type: string, constraints: {enum: [north, south]}, dp: {source: public}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {source: public}}
";

    fn goal() -> ApproxDp {
        ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() }
    }

    #[test]
    fn rows_are_estimated_from_bytes_and_the_schema() {
        let schema = Schema::parse(SCHEMA).unwrap();
        // `north,` and `123\n`, which is six bytes and four.
        assert_eq!(likely_rows(&schema, Path::new("a.csv"), 10_000), 1_000);
        assert_eq!(likely_rows(&schema, Path::new("a.csv.gz"), 10_000), 5_000);
        assert!(likely_rows(&schema, Path::new("a.parquet"), 10_000) > 5_000);
        assert_eq!(likely_rows(&schema, Path::new("a.csv"), 0), 0);
    }

    #[test]
    fn a_clock_shows_the_forecast_and_what_was_used_of_it() {
        let text = |used: f64| {
            let mut text = String::new();
            write(&mut text, Duration::from_secs_f64(used), Duration::from_secs(40)).unwrap();
            text
        };
        assert_eq!(text(10.0), "25 % of about 40 s of processor time");
        assert_eq!(text(60.2), "60 s of processor time, more than the forecast of 40 s");
        let schema = Schema::parse(SCHEMA).unwrap();
        let method = Method::recommended(goal());
        let clock = FitClock::start(&schema, &method, goal(), Path::new("a.csv"), 100_000).unwrap();
        assert!(
            clock.forecast() > Duration::ZERO
                && clock.to_string().contains("forecast") | clock.to_string().contains("about")
        );
        assert!(FitClock::start(&schema, &method, goal(), Path::new("a.csv"), 0).is_none());
    }
}
