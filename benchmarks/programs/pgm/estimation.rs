//! Processor time and memory to reach the loss of `mbi` on the same tables, over those of `mbi`.

use std::path::Path;

use scumble_pgm::{Estimator, Measurement, Stop, Total, TreeModel};
use serde_json::{Value, json};

use super::child;
use super::context::Context;
use super::peer::{Peer, PeerEstimate, Precision};
use scumble_benchmarks::clock::{cpu_seconds_of, peak_mib};
use scumble_benchmarks::figure::{Bar, Figure};
use scumble_benchmarks::measured::Measured;

/// What the peer is given.
const ITERATIONS: u32 = 1000;
/// The peer takes minutes for this file, so it is asked only once, as users ask it.
const TAKES_MINUTES: &str = "adult-aim";
/// What we may take of its processor time and of its memory.
const CPU_SHARE: f64 = 0.1;
const MEMORY_SHARE: f64 = 0.25;
/// How far above the peer's loss ours may be and still count as the same: sums of floats, in
/// another order.
const SAME_LOSS: f64 = 1e-6;
/// Far more than we need: a fit that uses them all is shown by its loss.
const PASSES: usize = 100_000;

pub(crate) fn figures(context: &Context) -> Vec<Figure> {
    let mut figures = Vec::new();
    for file in Measured::KEPT {
        figures.extend(against_peer(context.peer(), file, file, Precision::Single));
        if file != TAKES_MINUTES {
            figures.extend(against_peer(context.peer(), file, &format!("{file}, mbi with 64 bits"), Precision::Double));
        }
    }
    figures
}

fn against_peer(peer: Option<&Peer>, file: &str, name: &str, precision: Precision) -> Vec<Figure> {
    let ratios = [("cpu", CPU_SHARE), ("memory", MEMORY_SHARE)];
    let ratio = |(what, most): (&str, f64)| (format!("estimation {what} ratio, {name}"), Bar::AtMost(most));
    let Some(peer) = peer else {
        let missing = |(name, bar)| Figure::missing(name, "of mbi's", bar);
        return ratios.into_iter().map(ratio).map(missing).collect();
    };
    let path = Measured::path(file);
    let theirs = peer.estimate(&path, ITERATIONS, precision);
    let ours = child::run(&["estimation", path.to_str().expect("a path of ours is text"), &theirs.loss.to_string()]);
    let our = |what| child::number(&ours, what);
    let PeerEstimate { loss, cpu_seconds, wall_seconds, peak_mib, import_mib, .. } = theirs;
    eprintln!("{name}: mbi {cpu_seconds:.3} CPU s ({wall_seconds:.3} s), {peak_mib:.0} MiB ({import_mib:.0} imported)");
    let [cpu, memory] = ratios.map(ratio);
    let shown = |what: &str, value, unit| Figure::new(format!("{what}, {name}"), value, unit, Bar::None);
    vec![
        shown("estimation: loss of mbi", loss, ""),
        shown("estimation: loss where it settles", our("settled"), ""),
        shown("estimation: passes", our("passes"), ""),
        shown("estimation: cpu", our("cpu_seconds"), "s"),
        shown("estimation: cpu of mbi", cpu_seconds, "s"),
        shown("estimation: memory", our("peak_mib"), "MiB"),
        shown("estimation: memory of mbi", peak_mib, "MiB"),
        Figure::new(
            format!("estimation: loss over that of mbi, {name}"),
            our("loss") / loss - 1.0,
            "of it",
            Bar::AtMost(SAME_LOSS),
        ),
        Figure::new(cpu.0, our("cpu_seconds") / cpu_seconds, "of mbi's", cpu.1),
        Figure::new(memory.0, our("peak_mib") / peak_mib, "of mbi's", memory.1),
    ]
}

/// The fit of a file of measured tables down to a loss, in this process.
pub(crate) fn child(file: &str, target: &str) -> Value {
    let measured = Measured::read(Path::new(file)).expect("the file was found by the parent");
    let target: f64 = target.parse().expect("a loss");
    let measurements = measured.measurements();
    let noise_level = 0.5 * measurements.iter().map(|table| table.values().len() as f64).sum::<f64>();
    let fit = |stop| {
        let estimator = Estimator::new(measured.domain()).total(Total::Fixed(measured.total)).stop(stop);
        estimator.estimate(&measurements).expect("kept tables are fitted")
    };
    let stop = Stop { at_noise: Some(target / noise_level), settled: 0.0, passes: PASSES };
    // The first fit is the one whose memory counts: what comes after it may find memory in
    // disorder.
    fit(stop);
    let peak = peak_mib();
    let (cpu, estimate) = cpu_seconds_of(|| fit(stop));
    let settled = fit(Stop { at_noise: None, ..Stop::default() });
    json!({
        "loss": loss(&estimate.model, &measurements),
        "settled": settled.loss,
        "passes": estimate.passes,
        "cpu_seconds": cpu,
        "peak_mib": peak,
    })
}

/// The loss of a model, from its marginals: half the sum of squared errors, each over its standard
/// deviation.
fn loss(model: &TreeModel, measurements: &[Measurement]) -> f64 {
    let cliques: Vec<_> = measurements.iter().map(|table| table.clique().clone()).collect();
    let marginals = model.marginals(&cliques).expect("a model answers what it was fitted to");
    let of_table = |(table, marginal): (&Measurement, &scumble_pgm::Factor)| {
        let errors = table.values().iter().zip(marginal.values());
        let errors = errors.map(|(value, share)| (model.total() * share - value) / table.standard_deviation());
        0.5 * errors.map(|error| error * error).sum::<f64>()
    };
    measurements.iter().zip(&marginals).map(of_table).sum()
}
