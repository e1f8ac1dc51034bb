//! The tables that matter, and those that may be measured for them.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use rand::Rng;
use rand::seq::SliceRandom;
use scumble_schema::{AttributeId, Clique, Domain};

use super::options::Options;
use crate::error::MechanismError;
use crate::merging::non_constant_columns;

/// Most cells of a candidate's table: noise makes larger ones useless, but for tables of very many rows.
const MAX_TABLE_CELLS: u128 = 20_000;
/// Sets that are listed to draw some of them, for each that is wanted. Where there are more, sets are drawn one by one.
const LISTED_PER_CANDIDATE: u128 = 100;
/// Draws for each candidate that is wanted, where sets are drawn one by one.
const DRAWS_PER_CANDIDATE: usize = 20;
/// The weight of the column that matters most, where tables have weights of their own.
const HEAVIEST_COLUMN: f64 = 1_000.0;

/// Tables that matter, by how much.
#[derive(Debug)]
pub(super) struct Workload<'a> {
    domain: &'a Domain,
    tables: Tables,
    /// For every column how much the tables that have it matter, in all.
    weights: Vec<u32>,
}

#[derive(Debug)]
enum Tables {
    /// All over so many of these columns, and smaller ones.
    All { columns: Vec<AttributeId>, most: usize },
    /// These, and what is part of one.
    Named(Vec<Clique>),
}

impl<'a> Workload<'a> {
    /// # Errors
    /// If a table names a column that there is not.
    pub(super) fn new(domain: &'a Domain, options: &Options) -> Result<Self, MechanismError> {
        let columns = non_constant_columns(domain);
        let named = options.named_tables(domain)?;
        if named.is_empty() {
            let most = (options.workload_columns as usize).min(columns.len());
            // Every column is in as many tables as any other.
            return Ok(Self { domain, tables: Tables::All { columns, most }, weights: vec![1; domain.len()] });
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

    /// How much of the workload a table overlaps with: the sum over its tables of their weight times the number of columns that they share
    /// with this one. Up to a factor that is the same for all, and whole.
    pub(super) fn weight(&self, table: &Clique) -> NonZeroU32 {
        let weight = table.attributes().iter().map(|column| self.weights[column.index()]).sum();
        NonZeroU32::new(weight).unwrap_or(NonZeroU32::MIN)
    }

    /// Tables that matter or are part of one that does, as far as they are small enough to be measured: all of them, or some that are drawn
    /// at random, as many over one column as over two and so on, as far as there are.
    pub(super) fn candidates(&self, most: usize, rng: &mut impl Rng) -> Vec<Clique> {
        let mut candidates = Vec::new();
        let largest = self.largest();
        for size in 1..=largest {
            // What is missing of smaller sets is made up for by larger ones.
            let wanted = (most - candidates.len()).div_ceil(largest - size + 1);
            candidates.extend(self.draw(size, wanted, rng));
        }
        candidates
    }

    /// The number of columns of the largest tables that matter.
    fn largest(&self) -> usize {
        match &self.tables {
            Tables::All { most, .. } => *most,
            Tables::Named(tables) => tables.iter().map(Clique::len).max().unwrap_or(0),
        }
    }

    /// Up to so many candidates over so many columns, in order.
    fn draw(&self, size: usize, wanted: usize, rng: &mut impl Rng) -> BTreeSet<Clique> {
        let is_small = |set: &Clique| self.domain.cells(set) <= MAX_TABLE_CELLS;
        let listed = match &self.tables {
            Tables::Named(tables) => {
                let parts = tables.iter().flat_map(|table| subsets(table.attributes(), size));
                parts.filter(is_small).collect::<BTreeSet<_>>()
            }
            Tables::All { columns, .. } if ways(columns.len(), size) <= wanted as u128 * LISTED_PER_CANDIDATE => {
                subsets(columns, size).into_iter().filter(is_small).collect()
            }
            Tables::All { columns, .. } => {
                let mut drawn = BTreeSet::new();
                for _ in 0..wanted * DRAWS_PER_CANDIDATE {
                    if drawn.len() == wanted {
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
        if listed.len() <= wanted {
            return listed;
        }
        let mut listed: Vec<Clique> = listed.into_iter().collect();
        listed.partial_shuffle(rng, wanted).0.iter().cloned().collect()
    }
}

/// How many sets of so many there are.
fn ways(of: usize, size: usize) -> u128 {
    (0..size).fold(1, |ways: u128, place| ways.saturating_mul((of - place) as u128) / (place as u128 + 1))
}

/// All sets of so many of these columns.
fn subsets(columns: &[AttributeId], size: usize) -> Vec<Clique> {
    let mut partial: Vec<(Vec<AttributeId>, usize)> = vec![(Vec::new(), 0)];
    for _ in 0..size {
        let longer = |(set, from): (Vec<AttributeId>, usize)| {
            let with = move |place: usize| ([&set[..], &[columns[place]]].concat(), place + 1);
            (from..columns.len()).map(with).collect::<Vec<_>>()
        };
        partial = partial.into_iter().flat_map(longer).collect();
    }
    partial.into_iter().map(|(set, _)| Clique::new(set)).collect()
}
