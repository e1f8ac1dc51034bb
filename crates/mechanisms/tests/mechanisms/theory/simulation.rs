//! Noise as the vault draws it, and means over many runs.

use scumble_mechanisms::theory::Noise;
use scumble_vault::noise::{DiscreteLaplace, JobKey, RoundedGaussian, Substream};

/// Six standard errors: a false alarm about once in 10^9.
pub(crate) const BAND: f64 = 6.0;

/// The vault's samplers.
pub(crate) struct Draws {
    noise: Noise,
    substream: Substream,
}

impl Draws {
    pub(crate) fn new(noise: Noise) -> Self {
        Self { noise, substream: JobKey::from_os().unwrap().substream(0, 0).unwrap() }
    }

    pub(crate) fn draw(&mut self) -> f64 {
        match self.noise {
            Noise::Laplace(scale) => DiscreteLaplace::new(scale).draw(&mut self.substream) as f64,
            Noise::Gaussian(sigma) => RoundedGaussian::new(sigma).draw(&mut self.substream) as f64,
        }
    }

    pub(crate) fn on(&mut self, counts: &[f64]) -> Vec<f64> {
        counts.iter().map(|count| count + self.draw()).collect()
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    error: f64,
}

impl Mean {
    pub(crate) fn of(runs: u32, run: impl FnMut(u32) -> f64) -> Self {
        let values: Vec<f64> = (0..runs).map(run).collect();
        let mean = values.iter().sum::<f64>() / f64::from(runs);
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / f64::from(runs - 1);
        Self { mean, error: (variance / f64::from(runs)).sqrt() }
    }

    pub(crate) fn is_above(self, bound: f64) -> bool {
        self.mean - BAND * self.error > bound + 1e-12
    }
}
