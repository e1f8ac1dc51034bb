//! Measured numbers with their bars.

use std::fmt;

use serde_json::{Value, json};

/// What a figure has to be.
#[derive(Debug, Clone, Copy)]
pub enum Bar {
    /// This or less.
    AtMost(f64),
    /// Less than this.
    Below(f64),
    /// This or more.
    AtLeast(f64),
    /// More than this.
    Above(f64),
    /// Above zero, which is printed without a bar.
    Positive,
    /// This number.
    Exactly(f64),
    /// One of these or between them.
    Between(f64, f64),
    /// Shown for comparison, with no requirement.
    None,
}

/// A measured number beside its bar.
#[derive(Debug)]
pub struct Figure {
    name: String,
    value: f64,
    unit: String,
    bar: Bar,
}

impl Figure {
    /// A number and its bar; one that is not a number was not measured.
    pub fn new(name: impl Into<String>, value: f64, unit: impl Into<String>, bar: Bar) -> Self {
        Self { name: name.into(), value, unit: unit.into(), bar }
    }

    /// A figure that could not be measured, and so does not hold.
    pub fn missing(name: impl Into<String>, unit: impl Into<String>, bar: Bar) -> Self {
        Self::new(name, f64::NAN, unit, bar)
    }

    /// Whether the value meets the bar; none if it was measured and has no bar.
    pub fn holds(&self) -> Option<bool> {
        let value = self.value;
        match self.bar {
            Bar::AtMost(most) => Some(value <= most),
            Bar::Below(limit) => Some(value < limit),
            Bar::AtLeast(least) => Some(value >= least),
            Bar::Above(limit) => Some(value > limit),
            Bar::Positive => Some(value > 0.0),
            Bar::Exactly(bar) => Some((value - bar).abs() < f64::EPSILON),
            Bar::Between(least, most) => Some((least..=most).contains(&value)),
            Bar::None => value.is_nan().then_some(false),
        }
    }

    /// The figure as a JSON object; what is not a number is `null`.
    fn to_json(&self) -> Value {
        let bar = match self.bar {
            Bar::AtMost(bar) | Bar::Below(bar) | Bar::AtLeast(bar) | Bar::Above(bar) | Bar::Exactly(bar) => json!(bar),
            Bar::Between(least, most) => json!([least, most]),
            Bar::Positive | Bar::None => Value::Null,
        };
        json!({ "name": self.name, "value": self.value, "unit": self.unit, "bar": bar, "holds": self.holds() })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, bar } = self;
        let verdict = match self.holds() {
            _ if value.is_nan() => "NOT MEASURED",
            None => "measured",
            Some(true) => "holds",
            Some(false) => "FALLS SHORT",
        };
        // Numbers far from one in either direction are shown with their exponent.
        let value = match value.abs() {
            0.0 => "0".into(),
            1e-3..1e9 => format!("{value:.4}"),
            _ => format!("{value:.3e}"),
        };
        write!(formatter, "{verdict:12} {name}: {value} {unit}")?;
        match bar {
            Bar::AtMost(most) => write!(formatter, " (at most {most})"),
            Bar::Below(limit) => write!(formatter, " (below {limit})"),
            Bar::AtLeast(least) => write!(formatter, " (at least {least})"),
            Bar::Above(limit) => write!(formatter, " (above {limit})"),
            Bar::Exactly(bar) => write!(formatter, " (exactly {bar})"),
            Bar::Between(least, most) => write!(formatter, " (from {least} to {most})"),
            Bar::Positive | Bar::None => Ok(()),
        }
    }
}

/// All figures of a program so far. Each is printed for people when it is added.
#[derive(Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// Prints and adds a figure.
    pub fn push(&mut self, figure: Figure) {
        println!("{figure}");
        self.0.push(figure);
    }

    /// Adds a figure that may be at most `bar`.
    pub fn at_most(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.push(Figure::new(name, value, unit, Bar::AtMost(bar)));
    }

    /// Adds a figure that must be at least `bar`.
    pub fn at_least(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.push(Figure::new(name, value, unit, Bar::AtLeast(bar)));
    }

    /// Adds a figure that must be exactly `bar`.
    pub fn exactly(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.push(Figure::new(name, value, unit, Bar::Exactly(bar)));
    }

    /// Adds a figure without a bar.
    pub fn shown(&mut self, name: &str, value: f64, unit: &str) {
        self.push(Figure::new(name, value, unit, Bar::None));
    }

    /// Adds the figures of another list, which printed them.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Prints all figures as one JSON object, which is the last line that a program prints.
    pub fn print(self) {
        println!("{}", json!({ "figures": self.0.iter().map(Figure::to_json).collect::<Vec<_>>() }));
    }
}
