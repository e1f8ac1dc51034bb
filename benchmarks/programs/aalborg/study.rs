//! Who is run where, and how often independence was rejected.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_vault::account::Share;

use super::pearson::{PAIRS, constant, rejected, rejected_at_level, statistics};
use super::private::{self, Run};
use super::published::{self, Scale};
use super::rows::{Counts, DEPENDENT, INDEPENDENT, ROWS, copula};
use scumble_benchmarks::{Failure, Result};

/// For rows that are made up and for rows drawn from finished models. Noise of the vault has no
/// seed.
const SEED: u64 = 20_241_218;

/// What makes synthetic rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    PrivBayes,
    PublishedPrivBayes(Scale),
    /// As many rows as the method chooses.
    Smoothed,
    /// As many rows as there are.
    SmoothedAll,
    PublishedSmoothed,
}

impl Method {
    pub(crate) fn is_private(self) -> bool {
        matches!(self, Self::PrivBayes | Self::Smoothed | Self::SmoothedAll)
    }

    fn name(self) -> &'static str {
        match self {
            Self::PrivBayes => "privbayes",
            Self::PublishedPrivBayes(Scale::Text) => "privbayes, noise of the report's text",
            Self::PublishedPrivBayes(Scale::Listing) => "privbayes, noise of the report's listing",
            Self::Smoothed => "smoothed histogram, rows by default",
            Self::SmoothedAll => "smoothed histogram, 1000 rows",
            Self::PublishedSmoothed => "smoothed histogram, smoothing of the report",
        }
    }
}

/// How often independence was rejected in one setting, for each pair.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) method: Method,
    pub(crate) epsilon: f64,
    /// The share of the budget that chooses the network, in percent; none for the smoothed
    /// histogram.
    pub(crate) beta: Option<u32>,
    /// How many synthetic rows there are.
    rows: u64,
    /// On attributes that depend on each other.
    pub(crate) power: [f64; PAIRS],
    /// On attributes that do not.
    pub(crate) size: [f64; PAIRS],
    /// On attributes that depend on each other, with the critical value that makes the size five
    /// percent.
    pub(crate) power_at_level: [f64; PAIRS],
    /// How often one of two dependent attributes is constant in synthetic rows, which is not a
    /// rejection.
    pub(crate) constant: [f64; PAIRS],
}

impl Point {
    pub(crate) fn mean_size(&self) -> f64 {
        mean(&self.size)
    }
}

pub(crate) fn mean(rates: &[f64; PAIRS]) -> f64 {
    rates.iter().sum::<f64>() / PAIRS as f64
}

/// Made-up tables, the same ones in every setting, and the results so far.
pub(crate) struct Study {
    dependent: Vec<Counts>,
    independent: Vec<Counts>,
    rng: ChaCha8Rng,
    points: Vec<Point>,
    /// The largest epsilon of a certificate over the goal of its run.
    pub(crate) spent: f64,
}

impl Study {
    pub(crate) fn new(repetitions: NonZeroUsize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut tables = |correlation| (0..repetitions.get()).map(|_| copula(correlation, &mut rng)).collect();
        let (dependent, independent) = (tables(&DEPENDENT), tables(&INDEPENDENT));
        Self { dependent, independent, rng, points: Vec::new(), spent: 0.0 }
    }

    /// The standard error of a rate.
    pub(crate) fn standard_error(&self, rate: f64) -> f64 {
        (rate * (1.0 - rate) / self.dependent.len() as f64).sqrt()
    }

    /// What a rate that should be so high may be: a false alarm is one in 16,000. Means over pairs
    /// are surer than that.
    pub(crate) fn around(&self, rate: f64) -> (f64, f64) {
        let error = 4.0 * self.standard_error(rate);
        (rate - error, rate + error)
    }

    /// How often the real rows reject, where attributes depend on each other and where not.
    pub(crate) fn on_real_rows(&self) -> [[f64; PAIRS]; 2] {
        [&self.dependent, &self.independent].map(|tables| {
            let statistics: Vec<_> = tables.iter().map(statistics).collect();
            rejected(&statistics)
        })
    }

    /// The results of one setting, run if it was not run yet.
    pub(crate) fn point(&mut self, method: Method, epsilon: f64, beta: Option<u32>) -> Result<Point> {
        // The same setting has the same bits.
        let setting = (method, epsilon.to_bits(), beta);
        let same = |point: &&Point| (point.method, point.epsilon.to_bits(), point.beta) == setting;
        if let Some(known) = self.points.iter().find(same) {
            return Ok(known.clone());
        }
        let mut rows = 0;
        let mut run = |tables: &[Counts], rng: &mut ChaCha8Rng, spent: &mut f64| {
            let mut found = Vec::with_capacity(tables.len());
            for counts in tables {
                let synthetic = synthesize(method, counts, epsilon, beta, rng, spent)?;
                rows = synthetic.iter().sum();
                found.push(statistics(&synthetic));
            }
            Ok::<_, Failure>(found)
        };
        let dependent = run(&self.dependent, &mut self.rng, &mut self.spent)?;
        let independent = run(&self.independent, &mut self.rng, &mut self.spent)?;
        let (power, size) = (rejected(&dependent), rejected(&independent));
        let power_at_level = rejected_at_level(&dependent, &independent);
        let point = Point { method, epsilon, beta, rows, power, size, power_at_level, constant: constant(&dependent) };
        self.points.push(point.clone());
        Ok(point)
    }

    /// All results, a line for every pair.
    pub(crate) fn csv(&self) -> String {
        let mut csv = String::from("method,private,epsilon,beta,rows,pair");
        for rate in ["power", "size", "power_at_level", "constant"] {
            write!(csv, ",{rate},{rate}_standard_error").expect("text can be appended to");
        }
        csv.push('\n');
        for point in &self.points {
            let Point { method, epsilon, rows, .. } = point;
            let beta = point.beta.map_or(String::new(), |beta| (f64::from(beta) / 100.0).to_string());
            for pair in 0..PAIRS {
                let setting = format!("\"{}\",{},{epsilon:.4},{beta},{rows}", method.name(), method.is_private());
                write!(csv, "{setting},1-{}", pair + 2).expect("text can be appended to");
                for rate in [point.power[pair], point.size[pair], point.power_at_level[pair], point.constant[pair]] {
                    let error = self.standard_error(rate);
                    write!(csv, ",{rate:.4},{error:.4}").expect("text can be appended to");
                }
                csv.push('\n');
            }
        }
        csv
    }
}

fn synthesize(
    method: Method,
    counts: &Counts,
    epsilon: f64,
    beta: Option<u32>,
    rng: &mut ChaCha8Rng,
    spent: &mut f64,
) -> Result<Counts> {
    let beta = beta.unwrap_or(0);
    let mut certified = |run: Run| {
        *spent = spent.max(run.certificate.epsilon().get() / epsilon);
        run.synthetic
    };
    Ok(match method {
        Method::PrivBayes => {
            let share = Share::of(beta, 100).ok_or("beta is between zero and one")?;
            certified(private::privbayes(counts, epsilon, share, rng)?)
        }
        Method::PublishedPrivBayes(scale) => published::privbayes(counts, epsilon, f64::from(beta) / 100.0, scale, rng),
        Method::Smoothed => certified(private::smoothed(counts, epsilon, None)?),
        Method::SmoothedAll => certified(private::smoothed(counts, epsilon, Some(ROWS as u64))?),
        Method::PublishedSmoothed => published::smoothed(counts, epsilon, rng),
    })
}
