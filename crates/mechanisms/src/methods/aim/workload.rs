//! The workload, and the candidates for it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use rand::Rng;
use rand::seq::SliceRandom;
use scumble_schema::{AttributeId, Clique, Domain};

use super::options::Options;
use crate::error::MechanismError;
use crate::learning::merging::non_constant_columns;
use crate::mechanism::workload::subsets;

/// Maximum number of cells of a candidate's table. Noise makes larger ones useless, except for very
/// large numbers of rows.
const MAX_CANDIDATE_CELLS: u128 = 20_000;
/// Maximum number of sets that are listed to draw one candidate. Where there are more, sets are
/// drawn one by one.
const LISTED_PER_CANDIDATE: u128 = 100;
/// Number of draws per requested candidate, where sets are drawn one by one.
const DRAWS_PER_CANDIDATE: usize = 20;
/// Weight of the heaviest column, where tables have weights of their own.
const HEAVIEST_COLUMN: f64 = 1_000.0;

/// The tables of a workload, with weights.
#[derive(Debug)]
pub(super) struct WeightedTables<'a> {
    domain: &'a Domain,
    tables: Tables,
    /// For every column, the sum of the weights of its tables.
    weights: Vec<u32>,
}

#[derive(Debug)]
enum Tables {
    /// All tables over up to `max` of these columns.
    All { columns: Vec<AttributeId>, max: usize },
    /// These tables, and their subsets.
    Named(Vec<Clique>),
}

impl<'a> WeightedTables<'a> {
    /// Creates the workload of the options.
    ///
    /// # Errors
    /// If a table names an unknown column.
    pub(super) fn new(domain: &'a Domain, options: &Options) -> Result<Self, MechanismError> {
        let columns = non_constant_columns(domain);
        let named = options.workload.cliques(domain)?;
        if options.workload.is_empty() {
            let max = (options.workload_columns as usize).min(columns.len());
            // All columns are in equally many tables.
            return Ok(Self { domain, tables: Tables::All { columns, max }, weights: vec![1; domain.len()] });
        }
        let mut weights = vec![0.0_f64; domain.len()];
        for (table, weight) in &named {
            for column in table.attributes() {
                weights[column.index()] += weight;
            }
        }
        let heaviest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let weights = weights.into_iter().map(|weight| (weight / heaviest * HEAVIEST_COLUMN).ceil() as u32).collect();
        Ok(Self { domain, tables: Tables::Named(named.into_iter().map(|(table, _)| table).collect()), weights })
    }

    /// Returns the weight of a candidate: the sum over the workload's tables of their weight times
    /// the number of columns that they share with it. Whole, up to a common factor.
    pub(super) fn weight(&self, table: &Clique) -> NonZeroU32 {
        let weight = table.attributes().iter().map(|column| self.weights[column.index()]).sum();
        NonZeroU32::new(weight).unwrap_or(NonZeroU32::MIN)
    }

    /// Returns the tables of the workload and their subsets that are small enough to be measured:
    /// all of them, or `max` random ones, equally many over one column, two, and so on where
    /// possible.
    pub(super) fn candidates(&self, max: usize, rng: &mut impl Rng) -> Vec<Clique> {
        let mut candidates = Vec::new();
        let largest = self.largest();
        for size in 1..=largest {
            // Larger sets make up for missing smaller ones.
            let requested = (max - candidates.len()).div_ceil(largest - size + 1);
            candidates.extend(self.draw(size, requested, rng));
        }
        candidates
    }

    /// Number of columns of the largest table of the workload.
    fn largest(&self) -> usize {
        match &self.tables {
            Tables::All { max, .. } => *max,
            Tables::Named(tables) => tables.iter().map(Clique::len).max().unwrap_or(0),
        }
    }

    /// Draws up to `requested` candidates over `size` columns.
    fn draw(&self, size: usize, requested: usize, rng: &mut impl Rng) -> BTreeSet<Clique> {
        let is_small = |set: &Clique| self.domain.cells(set) <= MAX_CANDIDATE_CELLS;
        let listed = match &self.tables {
            Tables::Named(tables) => {
                let sets = tables.iter().flat_map(|table| subsets(table.attributes(), size));
                sets.filter(is_small).collect::<BTreeSet<_>>()
            }
            Tables::All { columns, .. }
                if binomial(columns.len(), size) <= requested as u128 * LISTED_PER_CANDIDATE =>
            {
                subsets(columns, size).into_iter().filter(is_small).collect()
            }
            Tables::All { columns, .. } => {
                let mut drawn = BTreeSet::new();
                for _ in 0..requested * DRAWS_PER_CANDIDATE {
                    if drawn.len() == requested {
                        break;
                    }
                    let places = rand::seq::index::sample(rng, columns.len(), size);
                    let set = Clique::new(places.into_iter().map(|place| columns[place]));
                    if is_small(&set) {
                        drawn.insert(set);
                    }
                }
                drawn
            }
        };
        if listed.len() <= requested {
            return listed;
        }
        let mut listed: Vec<Clique> = listed.into_iter().collect();
        listed.partial_shuffle(rng, requested).0.iter().cloned().collect()
    }
}

/// Number of subsets of `size` out of `of` columns.
fn binomial(of: usize, size: usize) -> u128 {
    (0..size).fold(1, |ways: u128, place| ways.saturating_mul((of - place) as u128) / (place as u128 + 1))
}
