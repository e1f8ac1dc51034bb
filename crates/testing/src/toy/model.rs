//! The model of the toy mechanism: released tables, and rows drawn from them.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{Clique, Domain, cells};
use scumble_vault::{Certificate, NoisyTable};
use serde_json::json;

use super::to_f64;

/// A released table.
pub(super) struct Table {
    pub(super) clique: Clique,
    pub(super) values: Vec<i64>,
}

/// Released tables and their certificate.
pub(super) struct Model {
    pub(super) domain: Domain,
    pub(super) rows: u64,
    pub(super) columns: Vec<Table>,
    pub(super) tables: Vec<Table>,
    pub(super) certificate: Certificate,
}

impl Table {
    pub(super) fn of(table: &NoisyTable) -> Self {
        Self { clique: table.clique().clone(), values: table.values().to_vec() }
    }

    /// Returns the counts with negative ones as zero, or equal weights if none is positive.
    fn weights(&self) -> Vec<u64> {
        let clipped: Vec<u64> = self.values.iter().map(|&value| u64::try_from(value).unwrap_or(0)).collect();
        if clipped.iter().all(|&weight| weight == 0) { vec![1; clipped.len()] } else { clipped }
    }

    pub(super) fn probabilities(&self) -> Vec<f64> {
        let weights = self.weights();
        let total = to_f64(weights.iter().sum::<u64>().cast_signed());
        weights.into_iter().map(|weight| to_f64(weight.cast_signed()) / total).collect()
    }
}

impl Model {
    pub(super) fn to_json(&self) -> Vec<u8> {
        let values = |tables: &[Table]| -> Vec<_> {
            tables.iter().map(|table| json!({ "over": table.clique, "values": table.values })).collect()
        };
        let (columns, tables) = (values(&self.columns), values(&self.tables));
        let model = json!({ "rows": self.rows, "columns": columns, "tables": tables, "certificate": self.certificate });
        serde_json::to_vec(&model).expect("a model is made of numbers and names")
    }

    /// Returns `rows` rows as lines of codes. Pairs are drawn from their tables unless they share a
    /// column; all other columns are independent.
    pub(super) fn sample(&self, rows: u64) -> String {
        // The weights are released values, so the seed may be public.
        let mut rng = SmallRng::seed_from_u64(7);
        let mut drawn: Vec<&Table> = Vec::new();
        for table in self.tables.iter().chain(&self.columns) {
            let taken = |attribute| drawn.iter().any(|other| other.clique.attributes().contains(attribute));
            if !table.clique.attributes().iter().any(taken) {
                drawn.push(table);
            }
        }
        let drawn: Vec<(&Clique, Vec<u64>)> = drawn.into_iter().map(|table| (&table.clique, table.weights())).collect();
        let mut lines = String::new();
        for _ in 0..rows {
            let mut row = vec![0; self.domain.len()];
            for (clique, weights) in &drawn {
                let cell = draw(weights, &mut rng);
                for (attribute, stride) in clique.attributes().iter().zip(cells::strides(&self.domain, clique)) {
                    row[attribute.index()] = cell / stride % self.domain.size(*attribute) as usize;
                }
            }
            writeln!(lines, "{row:?}").expect("a string takes any text");
        }
        lines
    }
}

/// Draws a cell with probability proportional to its weight.
fn draw(weights: &[u64], rng: &mut SmallRng) -> usize {
    let mut left = rng.random_range(0..weights.iter().sum::<u64>());
    let found = weights.iter().position(|&weight| match left.checked_sub(weight) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    found.expect("the drawn number is below the sum")
}
