//! Sets of columns whose tables may be measured.

use std::collections::BTreeSet;

use rand::Rng;
use rand::seq::index;
use scumble_schema::{AttributeId, Clique, Domain};

use super::options::Options;
use crate::versions::Versions;

/// Most cells of a candidate's table: noise makes larger ones useless, but for tables of very many rows.
const MOST_CELLS: u128 = 20_000;
/// Draws for each candidate that is wanted. Where few sets are small enough there will be fewer candidates.
const DRAWS_PER_CANDIDATE: usize = 20;
/// Most pairs: of more, so many are drawn.
const MOST_PAIRS: usize = 20_000;

/// Sets of columns, with rare values merged.
#[derive(Debug)]
pub(super) struct Candidates {
    sets: Vec<Clique>,
    /// Most that a round considers.
    most: usize,
}

impl Candidates {
    /// All pairs of columns, and larger sets that are drawn at random: as many of three columns as of four and so on.
    pub(super) fn draw(versions: &Versions, options: &Options, rng: &mut impl Rng) -> Self {
        let domain = versions.domain();
        let ends = (0..versions.columns()).map(|column| versions.ends_of(column).1);
        let columns: Vec<AttributeId> = ends.filter(|&column| domain.size(column) > 1).collect();
        let mut sets = pairs(domain, &columns);
        if sets.len() > MOST_PAIRS {
            sets = index::sample(rng, sets.len(), MOST_PAIRS).into_iter().map(|pair| sets[pair].clone()).collect();
        }
        sets.extend(larger_sets(domain, &columns, options, rng));
        Self { sets, most: options.candidates as usize }
    }

    /// As many candidates as a round considers, of those that pass: all of them, or some that are drawn afresh.
    pub(super) fn considered(&self, rng: &mut impl Rng, passes: impl FnMut(&&Clique) -> bool) -> Vec<Clique> {
        let order = index::sample(rng, self.sets.len(), self.sets.len());
        order.into_iter().map(|place| &self.sets[place]).filter(passes).take(self.most).cloned().collect()
    }
}

fn is_small(domain: &Domain, set: &Clique) -> bool {
    domain.cells(set) <= MOST_CELLS
}

fn pairs(domain: &Domain, columns: &[AttributeId]) -> Vec<Clique> {
    let after = |place: usize| columns[place + 1..].iter().map(move |&other| Clique::new([columns[place], other]));
    (0..columns.len()).flat_map(after).filter(|pair| is_small(domain, pair)).collect()
}

fn larger_sets(domain: &Domain, columns: &[AttributeId], options: &Options, rng: &mut impl Rng) -> BTreeSet<Clique> {
    let largest = (options.most_columns as usize).min(columns.len());
    let mut drawn = BTreeSet::new();
    for size in 3..=largest {
        // What is missing of smaller sets is made up for by larger ones.
        let wanted = (options.candidates as usize - drawn.len()).div_ceil(largest - size + 1);
        let enough = drawn.len() + wanted;
        for _ in 0..wanted * DRAWS_PER_CANDIDATE {
            if drawn.len() == enough {
                break;
            }
            let set = Clique::new(index::sample(rng, columns.len(), size).into_iter().map(|place| columns[place]));
            if is_small(domain, &set) {
                drawn.insert(set);
            }
        }
    }
    drawn
}
