//! What a fit of adult costs: ours beside what was measured of others, once each.

use scumble::report::chart::{Bar, Bars};

use super::lines;
use scumble_benchmarks::Result;

/// What others took on adult at epsilon 0.8 and delta 1e-5, in processor seconds and megabytes: the
/// least of what was seen, one run each on a loaded machine of the same size.
const OTHERS: [(&str, f64, f64); 3] =
    [("PrivMRF, authors' code", 119.0, 1502.0), ("MST of mbi", 71.0, 2400.0), ("MST of dpsynth", 39.0, 1200.0)];

pub(crate) fn picture() -> Result<String> {
    let ours = lines("product-plan.csv")?;
    let mut bars = Vec::new();
    for method in ["auto", "aim", "mst"] {
        let is_it = |line: &&std::collections::HashMap<String, String>| {
            line["table"] == "adult" && line["method"] == method && line["epsilon"] == "0.8"
        };
        let line = ours.iter().find(is_it).ok_or(format!("{method} was not measured on adult"))?;
        bars.push(bar(&format!("Scumble, {method}"), line["cpu_seconds"].parse()?, line["peak_megabytes"].parse()?));
    }
    bars.extend(OTHERS.iter().map(|&(name, seconds, megabytes)| bar(name, seconds, megabytes)));
    Ok(Bars { title: "Processor seconds and memory of a fit of adult at epsilon 0.8".into(), bars }.to_svg())
}

fn bar(name: &str, seconds: f64, megabytes: f64) -> Bar {
    let digits = usize::from(seconds < 10.0);
    let text = format!("{seconds:.digits$} s, {megabytes} MB");
    Bar { label: name.into(), value: seconds, range: None, second: None, spoken: text.clone(), text }
}
