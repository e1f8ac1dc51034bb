//! Figures with their bars, and the clocks they are measured with.

use std::fmt;
use std::fs;
use std::hint::black_box;

use serde_json::{Value, json};

/// What a figure has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bar {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
    /// One of these or between them.
    Between(f64, f64),
    /// Shown for comparison; nothing is asked of it.
    None,
}

/// A measured number beside what was asked of it.
#[derive(Debug)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    bar: Bar,
}

impl Figure {
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str, bar: Bar) -> Self {
        Self { name: name.into(), value, unit, bar }
    }

    /// A figure that could not be measured, and so does not hold.
    pub(crate) fn missing(name: impl Into<String>, unit: &'static str, bar: Bar) -> Self {
        Self::new(name, f64::NAN, unit, bar)
    }

    /// Whether the value is what the bar asks for. No bar asks for anything but a number.
    pub(crate) fn holds(&self) -> bool {
        match self.bar {
            Bar::AtMost(most) => self.value <= most,
            Bar::AtLeast(least) => self.value >= least,
            Bar::Between(least, most) => (least..=most).contains(&self.value),
            Bar::None => !self.value.is_nan(),
        }
    }

    /// As an object; what is not a number is `null`.
    pub(crate) fn to_json(&self) -> Value {
        let bar = match self.bar {
            Bar::AtMost(bar) | Bar::AtLeast(bar) => json!(bar),
            Bar::Between(least, most) => json!([least, most]),
            Bar::None => Value::Null,
        };
        json!({ "name": self.name, "value": self.value, "unit": self.unit, "bar": bar, "holds": self.holds() })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match (self.bar, self.value.is_nan()) {
            (_, true) => "NOT MEASURED",
            (Bar::None, false) => "measured",
            _ if self.holds() => "holds",
            _ => "FALLS SHORT",
        };
        let Self { name, value, unit, .. } = self;
        // Ratios and losses alike: what is far from one in either direction is shown with its exponent.
        let value = match value.abs() {
            0.0 => "0".into(),
            1e-3..1e9 => format!("{value:.4}"),
            _ => format!("{value:.3e}"),
        };
        write!(formatter, "{verdict:12} {name}: {value} {unit}")?;
        match self.bar {
            Bar::AtMost(most) => write!(formatter, " (at most {most})"),
            Bar::AtLeast(least) => write!(formatter, " (at least {least})"),
            Bar::Between(least, most) => write!(formatter, " (from {least} to {most})"),
            Bar::None => Ok(()),
        }
    }
}

/// Processor time of this process so far, user and system, over all its threads, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    // The kernel tells ticks of 1/100 s, on every Linux.
    let stat = fs::read_to_string("/proc/self/stat").expect("this program runs on Linux");
    let behind_name = &stat[stat.rfind(')').expect("the name is in brackets") + 2..];
    let mut fields = behind_name.split(' ').skip(11).map(|field| field.parse::<f64>().expect("a number of ticks"));
    let mut next = || fields.next().expect("user and system time are there");
    (next() + next()) / 100.0
}

/// The most memory this process has held, in MiB.
pub(crate) fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("this program runs on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells the peak");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().expect("a number of KiB") / 1024.0
}

/// Processor seconds of `work`, over as many runs as it takes to see them on a clock of 1/100 s, and its last result.
pub(crate) fn cpu_seconds_of<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    const LONG_ENOUGH: f64 = 1.0;
    let start = cpu_seconds();
    let mut runs = 0.0;
    loop {
        let result = black_box(work());
        runs += 1.0;
        let spent = cpu_seconds() - start;
        if spent >= LONG_ENOUGH {
            return (spent / runs, result);
        }
    }
}
