//! Figures of the samplers: are they right, and how fast are they beside `OpenDP`'s?
//!
//! ```text
//! cargo run --release -p scumble-vault --example sampler_figures
//! ```
//! Prints tables for people and, last, one JSON object for programs.
#![allow(clippy::print_stdout, reason = "a program that prints statistics of at most 10^7 draws")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::num::{NonZeroU32, NonZeroU128};
use std::time::{Duration, Instant};

use opendp::traits::CastInternalRational;
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::account::{LaplaceScale, SelectionEpsilon};
use scumble_vault::noise::{DiscreteLaplace, ExponentialMechanism, JobKey, RoundedGaussian, Substream};
use scumble_vault::{
    Accounting, AddRemove, ApproxDp, CountTable, Delta, Epsilon, Gdp, MarginalSource, Private, Pure, Sigma,
    SourceError, Vault,
};
use serde_json::{Value, json};
use support::{DRAWS, LEAST_P, Law, SCALES};

const THREADS: u32 = 2;
/// How long each sampler is timed at each scale.
const TIMED: Duration = Duration::from_secs(1);
const SPEED_SCALES: [f64; 4] = [1.0, 100.0, 1e4, 1e6];
/// Draws per second that we hold ourselves to.
const LEAST_SPEED: f64 = 5e6;
/// The largest table there may be, and the time in which we hold ourselves to noise it.
const TABLE: [u32; 2] = [4000, 2500];
const CELLS: u32 = TABLE[0] * TABLE[1];
const MAX_SECONDS: f64 = 10.0;
/// How many cells `OpenDP`'s samplers are timed on.
const THEIR_CELLS: u32 = 100_000;
/// The scale of the noise of these cells.
const TABLE_SCALE: f64 = 10.0;

fn main() {
    let mut figures = Figures(Vec::new());
    for law in [Law::RoundedGaussian, Law::DiscreteLaplace] {
        truth(law, &mut figures);
        speeds(law, &mut figures);
    }
    large_tables(&mut figures);
    selections(&mut figures);
    println!("{}", json!({ "figures": figures.0 }));
}

struct Figures(Vec<Value>);

impl Figures {
    fn push(&mut self, name: &str, value: f64, unit: &str, bar: Option<f64>, holds: bool) {
        self.0.push(json!({ "name": name, "value": value, "unit": unit, "bar": bar, "holds": holds }));
    }
}

fn name(law: Law) -> &'static str {
    match law {
        Law::RoundedGaussian => "Gaussian",
        Law::DiscreteLaplace => "Laplace",
    }
}

/// Chi-square of the scale, of one percent more and of one percent less.
fn truth(law: Law, figures: &mut Figures) {
    let law_name = name(law);
    println!("\n{law_name}\n{:>12} {:>12} {:>12} {:>12}", "scale", "p truth", "p +1 %", "p -1 %");
    for scale in SCALES {
        let [truth, more, less] = law.p_values(scale, DRAWS, THREADS);
        println!("{scale:>12} {truth:>12.3e} {more:>12.3e} {less:>12.3e}");
        for (what, p, holds) in
            [("truth", truth, truth > LEAST_P), ("+1 %", more, more < LEAST_P), ("-1 %", less, less < LEAST_P)]
        {
            let name = format!("{law_name} chi-square p, scale {scale}, {what}");
            figures.push(&name, p, "p", Some(LEAST_P), holds);
        }
    }
}

/// Draws per second of our noise and of `OpenDP`'s, one after the other on this thread.
fn speeds(law: Law, figures: &mut Figures) {
    let law_name = name(law);
    println!("\n{law_name}\n{:>12} {:>16} {:>16} {:>8}", "scale", "ours [draws/s]", "OpenDP [draws/s]", "ratio");
    for scale in SPEED_SCALES {
        let mut substream = substream(0);
        let (draw, their_draw) = (ours(law, scale), theirs(law, scale));
        let ours = speed(10_000, || {
            black_box(draw(&mut substream));
        });
        let theirs = speed(100, &their_draw);
        println!("{scale:>12} {ours:>16.0} {theirs:>16.0} {:>8.1}", ours / theirs);
        let name = |whose| format!("{whose} {law_name} draws per second and thread, scale {scale}");
        figures.push(&name("our"), ours, "1/s", Some(LEAST_SPEED), ours >= LEAST_SPEED);
        figures.push(&name("OpenDP"), theirs, "1/s", None, true);
        figures.push(&format!("{law_name} speed over OpenDP, scale {scale}"), ours / theirs, "times", None, true);
    }
}

/// Our noise of this law and scale.
fn ours(law: Law, scale: f64) -> Box<dyn Fn(&mut Substream) -> i64 + Sync> {
    let within = "the scales are within limits";
    match law {
        Law::RoundedGaussian => {
            let noise = RoundedGaussian::new(Sigma::at_least(scale).expect(within));
            Box::new(move |substream| noise.draw(substream))
        }
        Law::DiscreteLaplace => {
            let noise = DiscreteLaplace::new(LaplaceScale::at_least(scale).expect(within));
            Box::new(move |substream| noise.draw(substream))
        }
    }
}

/// One draw of `OpenDP`'s discrete noise of this law and scale.
fn theirs(law: Law, scale: f64) -> impl Fn() {
    let rational = scale.into_rational().expect("the scales are finite");
    move || {
        let drawn = match law {
            Law::RoundedGaussian => sample_discrete_gaussian(rational.clone()),
            Law::DiscreteLaplace => sample_discrete_laplace(rational.clone()),
        };
        black_box(drawn.expect("the system has randomness"));
    }
}

/// One table of 10^7 cells, noised by a vault. `OpenDP`'s time for 10^5 cells beside it.
fn large_tables(figures: &mut Figures) {
    let gaussian = seconds(|| measure_large_table::<Gdp>(1e-9));
    let laplace = seconds(|| measure_large_table::<Pure>(0.0));
    println!("\n{:>12} {:>20} {:>20}", "", "ours, 10^7 cells [s]", "OpenDP, 10^5 [s]");
    for (law, ours) in [(Law::RoundedGaussian, gaussian), (Law::DiscreteLaplace, laplace)] {
        let their_draw = theirs(law, TABLE_SCALE);
        let theirs = seconds(|| (0..THEIR_CELLS).for_each(|_| their_draw()));
        let law_name = name(law);
        println!("{law_name:>12} {ours:>20.3} {theirs:>20.3}");
        let holds = ours < MAX_SECONDS;
        figures.push(&format!("{law_name} noise for 10^7 cells"), ours, "s", Some(MAX_SECONDS), holds);
        figures.push(&format!("OpenDP {law_name} noise for 10^5 cells"), theirs, "s", None, true);
    }
}

/// Opens a vault on a table of 10^7 cells and measures it, all of which is timed.
fn measure_large_table<M: Accounting>(delta: f64) {
    struct Constant(Domain);

    impl MarginalSource for Constant {
        fn domain(&self) -> &Domain {
            &self.0
        }

        fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
            let table = |clique: &Clique| CountTable::new(clique.clone(), vec![3; CELLS as usize]);
            Ok(Private::new(cliques.iter().map(table).collect()))
        }
    }

    let goal = ApproxDp {
        epsilon: Epsilon::new(1.0).expect("one is an epsilon"),
        delta: Delta::new(delta).expect("zero and 10^-9 are deltas"),
    };
    let source = Box::new(Constant(Domain::new(TABLE.to_vec()).expect("two attributes are a domain")));
    let (mut vault, budget) =
        Vault::<AddRemove, M>::open(source, goal, NonZeroU32::MIN).expect("the goal allows a release");
    let both = Clique::new([0, 1].map(AttributeId::new));
    black_box(vault.measure(&[both], budget).expect("the table is not too large"));
}

/// Selections per second, from scores that are spread over forty sensitivities and from one that is
/// far above all others.
fn selections(figures: &mut Figures) {
    println!("\n{:>12} {:>16} {:>16}", "candidates", "spread [1/s]", "one far above [1/s]");
    let mechanism = ExponentialMechanism::new(
        NonZeroU128::new(1 << 20).expect("not zero"),
        SelectionEpsilon::at_most(0.75).expect("three quarters are a tilt"),
    );
    let mut substream = substream(0);
    for candidates in [1000_u32, 1_000_000] {
        // Multiples of a large odd number, modulo forty sensitivities, are all over the place.
        let spread: Vec<i128> = (0..i128::from(candidates)).map(|i| i * 0x9e37_79b9 % (40 << 20)).collect();
        let mut far: Vec<i128> = vec![0; candidates as usize];
        far[candidates as usize / 3] = 1 << 60;
        let [spread, far] = [spread, far].map(|scores| {
            speed(1, || {
                black_box(mechanism.select(&scores, &mut substream));
            })
        });
        println!("{candidates:>12} {spread:>16.1} {far:>16.1}");
        for (how, value) in [("spread", spread), ("one far above", far)] {
            figures.push(&format!("selections from {candidates} candidates, {how}"), value, "1/s", None, true);
        }
    }
}

fn substream(block: u32) -> Substream {
    let key = JobKey::from_os().expect("the operating system has randomness");
    key.substream(0, block).expect("this process was not forked")
}

fn seconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
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

/// What this thread has spent on a processor, where the system tells it; other programs then do not
/// disturb the figure.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
