//! Sets of columns whose tables may be measured.

use std::collections::BTreeSet;

use rand::seq::index;
use rand::{Rng, RngExt};
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
    /// All pairs of columns, in all their versions, and larger sets that are drawn at random: as many of three columns as of four and so on.
    /// A column with declared levels is taken in any of them or as it is, but not in one that is another column by a rule; of another one
    /// that has a coarser version, only that is taken.
    pub(super) fn draw(
        versions: &Versions,
        options: &Options,
        has_levels: impl Fn(AttributeId) -> bool,
        rng: &mut impl Rng,
    ) -> Self {
        let domain = versions.domain();
        let usable = |column: usize| -> Vec<AttributeId> {
            let (finest, coarsest) = versions.ends_of(column);
            let taken = if has_levels(finest) { versions.of(column) } else { &[coarsest] };
            let is_of_use = |&version: &AttributeId| domain.size(version) > 1;
            let mut taken: Vec<AttributeId> = taken.iter().copied().filter(is_of_use).collect();
            if taken.len() > 1 {
                taken.retain(|&version| !versions.duplicates_a_column(version));
            }
            taken
        };
        let columns: Vec<Vec<AttributeId>> =
            (0..versions.columns()).map(usable).filter(|versions| !versions.is_empty()).collect();
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

fn pairs(domain: &Domain, columns: &[Vec<AttributeId>]) -> Vec<Clique> {
    let after = |place: usize| {
        let others = columns[place + 1..].iter().flatten();
        others.flat_map(move |&other| columns[place].iter().map(move |&one| Clique::new([one, other])))
    };
    (0..columns.len()).flat_map(after).filter(|pair| is_small(domain, pair)).collect()
}

fn larger_sets(
    domain: &Domain,
    columns: &[Vec<AttributeId>],
    options: &Options,
    rng: &mut impl Rng,
) -> BTreeSet<Clique> {
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
            let places = index::sample(rng, columns.len(), size);
            let set = places.into_iter().map(|place| columns[place][rng.random_range(0..columns[place].len())]);
            let set = Clique::new(set.collect::<Vec<_>>());
            if is_small(domain, &set) {
                drawn.insert(set);
            }
        }
    }
    drawn
}
