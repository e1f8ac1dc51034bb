//! Figures of the Gaussian sampler: is it right, and how fast is it beside `OpenDP`'s?
//!
//! ```text
//! cargo run --release -p scumble-vault --example sampler_figures
//! ```
//! Prints a table for people and, last, one JSON object for programs.
#![allow(
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a program that prints statistics of at most 10^7 draws"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use opendp::traits::CastInternalRational;
use opendp::traits::samplers::sample_discrete_gaussian;
use scumble_vault::Sigma;
use scumble_vault::noise::{JobKey, RoundedGaussian};
use serde_json::{Value, json};
use support::{Bins, DRAWS, LEAST_P, SCALES, histogram, p_value};

const THREADS: u32 = 2;
/// How long each sampler is timed at each scale.
const TIMED: Duration = Duration::from_secs(1);
const SPEED_SCALES: [f64; 4] = [1.0, 100.0, 1e4, 1e6];
/// Draws per second that we hold ourselves to.
const LEAST_SPEED: f64 = 5e6;

fn main() {
    let mut figures = Vec::new();
    println!("{:>12} {:>12} {:>12} {:>12}", "scale", "p truth", "p +1 %", "p -1 %");
    for scale in SCALES {
        let sigma = Sigma::at_least(scale).expect("the scales are within limits");
        let exact = sigma.to_f64();
        let bins = Bins::new(exact, DRAWS);
        let counts = histogram(sigma, &bins, DRAWS, THREADS);
        let [truth, more, less] = [1.0, 1.01, 0.99].map(|factor| p_value(&counts, &bins.probabilities(exact * factor)));
        println!("{scale:>12} {truth:>12.3e} {more:>12.3e} {less:>12.3e}");
        figures.push(figure(
            &format!("chi-square p, scale {scale}, truth"),
            truth,
            "p",
            Some(LEAST_P),
            truth > LEAST_P,
        ));
        for (name, p) in [("+1 %", more), ("-1 %", less)] {
            figures.push(figure(&format!("chi-square p, scale {scale}, {name}"), p, "p", Some(LEAST_P), p < LEAST_P));
        }
    }
    println!("\n{:>12} {:>16} {:>16} {:>8}", "scale", "ours [draws/s]", "OpenDP [draws/s]", "ratio");
    for scale in SPEED_SCALES {
        let (ours, theirs) = speeds(scale);
        println!("{scale:>12} {ours:>16.0} {theirs:>16.0} {:>8.1}", ours / theirs);
        let name = |whose| format!("{whose} draws per second and thread, scale {scale}");
        figures.push(figure(&name("our"), ours, "1/s", Some(LEAST_SPEED), ours >= LEAST_SPEED));
        figures.push(figure(&name("OpenDP"), theirs, "1/s", None, true));
        figures.push(figure(&format!("speed over OpenDP, scale {scale}"), ours / theirs, "times", None, true));
    }
    println!("{}", json!({ "figures": figures }));
}

fn figure(name: &str, value: f64, unit: &str, bar: Option<f64>, holds: bool) -> Value {
    json!({ "name": name, "value": value, "unit": unit, "bar": bar, "holds": holds })
}

/// Draws per second of our rounded Gaussian and of `OpenDP`'s discrete Gaussian, one after the other on this thread.
fn speeds(scale: f64) -> (f64, f64) {
    let noise = RoundedGaussian::new(Sigma::at_least(scale).expect("the scales are within limits"));
    let key = JobKey::from_os().expect("the operating system has randomness");
    let mut substream = key.substream(0, 0).expect("this process was not forked");
    let rational = scale.into_rational().expect("the scales are finite");
    let ours = speed(10_000, || {
        std::hint::black_box(noise.draw(&mut substream));
    });
    let theirs = speed(100, || {
        std::hint::black_box(sample_discrete_gaussian(rational.clone()).expect("the system has randomness"));
    });
    (ours, theirs)
}

/// Calls per second that this thread spends on a processor, looking at the clock once a `batch`.
fn speed(batch: u32, mut call: impl FnMut()) -> f64 {
    let started = (Instant::now(), processor_time());
    let mut calls = 0.0;
    while started.0.elapsed() < TIMED {
        (0..batch).for_each(|_| call());
        calls += f64::from(batch);
    }
    let on_processor = processor_time().zip(started.1).and_then(|(now, then)| now.checked_sub(then));
    calls / on_processor.unwrap_or(started.0.elapsed()).as_secs_f64()
}

/// What this thread has spent on a processor, where the system tells it; other programs then do not disturb the figure.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
