//! Numbers with their bars.

use std::fmt;

use serde_json::{Value, json};

/// A measured number and the range that it has to be in; none if nothing is asked of it.
#[derive(Debug)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    bar: Option<(f64, f64)>,
}

impl Figure {
    /// A number that is shown.
    pub(crate) fn shown(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, bar: None }
    }

    /// A number that has to be in a range.
    pub(crate) fn within(name: impl Into<String>, value: f64, unit: &'static str, bar: (f64, f64)) -> Self {
        Self { name: name.into(), value, unit, bar: Some(bar) }
    }

    fn holds(&self) -> bool {
        self.bar.map_or(!self.value.is_nan(), |(least, most)| (least..=most).contains(&self.value))
    }

    pub(crate) fn to_json(&self) -> Value {
        let bar = self.bar.map(|(least, most)| [least, most]);
        json!({ "name": self.name, "value": self.value, "unit": self.unit, "bar": bar, "holds": self.holds() })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, .. } = self;
        match self.bar {
            None => write!(formatter, "measured     {name}: {value:.4} {unit}"),
            Some((least, most)) => {
                let verdict = if self.holds() { "holds      " } else { "FALLS SHORT" };
                write!(formatter, "{verdict}  {name}: {value:.4} {unit} (from {least:.4} to {most:.4})")
            }
        }
    }
}
