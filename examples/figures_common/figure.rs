//! Figures with their bars.

use serde_json::{Value, json};

/// All figures so far.
#[derive(Default)]
pub(crate) struct Figures(Vec<Value>);

impl Figures {
    /// A figure that may be at most `bar`.
    pub(crate) fn at_most(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.add(name, value, unit, bar, value <= bar);
    }

    /// A figure that must be exactly `bar`.
    pub(crate) fn exactly(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.add(name, value, unit, bar, (value - bar).abs() < f64::EPSILON);
    }

    /// A figure without a bar.
    #[allow(
        dead_code,
        reason = "every program has this file as a module of its own, and most have a bar for each figure"
    )]
    pub(crate) fn shown(&mut self, name: &str, value: f64, unit: &str) {
        println!("shown {name}: {value} {unit}");
        self.0.push(json!({ "name": name, "value": value, "unit": unit, "bar": null, "holds": null }));
    }

    fn add(&mut self, name: &str, value: f64, unit: &str, bar: f64, holds: bool) {
        println!("{} {name}: {value} {unit} (bar {bar})", if holds { "holds" } else { "FALLS SHORT" });
        self.0.push(json!({ "name": name, "value": value, "unit": unit, "bar": bar, "holds": holds }));
    }

    pub(crate) fn print(self) {
        println!("{}", json!({ "figures": self.0 }));
    }
}
