//! Figures with their bars, and the clocks they are measured with.

use std::fs;

/// All figures so far, each as a JSON object.
#[derive(Default)]
pub(crate) struct Figures(Vec<String>);

impl Figures {
    /// A figure that may be at most `bar`.
    pub(crate) fn at_most(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.add(name, value, unit, Some(bar), value <= bar);
    }

    /// A figure that must be at least `bar`.
    pub(crate) fn at_least(&mut self, name: &str, value: f64, unit: &str, bar: f64) {
        self.add(name, value, unit, Some(bar), value >= bar);
    }

    /// A figure without a bar.
    pub(crate) fn shown(&mut self, name: &str, value: f64, unit: &str) {
        self.add(name, value, unit, None, true);
    }

    /// A figure that could not be measured, and so does not hold.
    pub(crate) fn missing(&mut self, name: &str, unit: &str, bar: f64) {
        println!("NOT MEASURED {name}");
        self.0.push(format!(r#"{{"name":"{name}","value":null,"unit":"{unit}","bar":{bar},"holds":false}}"#));
    }

    fn add(&mut self, name: &str, value: f64, unit: &str, bar: Option<f64>, holds: bool) {
        let value = (value * 1e4).round() / 1e4;
        let (says, shown, bar) = match bar {
            None => ("     ", String::new(), "null".into()),
            Some(bar) => (if holds { "holds" } else { "FALLS SHORT" }, format!(" (bar {bar})"), bar.to_string()),
        };
        println!("{says} {name}: {value} {unit}{shown}");
        self.0.push(format!(r#"{{"name":"{name}","value":{value},"unit":"{unit}","bar":{bar},"holds":{holds}}}"#));
    }

    pub(crate) fn print(self) {
        println!(r#"{{"figures":[{}]}}"#, self.0.join(","));
    }
}

/// Processor time of this process so far, over all its threads, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    // The kernel tells ticks of 1/100 s, on every Linux.
    let stat = fs::read_to_string("/proc/self/stat").expect("this program runs on Linux");
    let behind_name = &stat[stat.rfind(')').expect("the name is in brackets") + 2..];
    let fields: Vec<&str> = behind_name.split(' ').collect();
    let ticks = |field: &str| field.parse::<f64>().expect("a number of ticks");
    (ticks(fields[11]) + ticks(fields[12])) / 100.0
}

/// The most memory this process has held, in MiB.
pub(crate) fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("this program runs on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells the peak");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().expect("a number of KiB") / 1024.0
}

/// Processor time of `work`: the least of several runs, because what disturbs a run only adds to it.
pub(crate) fn cheapest<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut best: Option<(f64, T)> = None;
    for _ in 0..runs.max(1) {
        let start = cpu_seconds();
        let result = work();
        let seconds = cpu_seconds() - start;
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, result));
        }
    }
    best.expect("at least one run")
}
