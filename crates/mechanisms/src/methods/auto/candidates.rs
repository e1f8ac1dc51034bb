//! Candidates of `auto`: sets of columns whose tables may be measured.

use std::collections::BTreeSet;

use rand::seq::index;
use rand::{Rng, RngExt};
use scumble_schema::{AttributeId, Clique, Domain};

use super::options::Options;
use crate::learning::column_levels::ColumnLevels;

/// Maximum number of cells of a candidate's table. Noise makes larger ones useless, except for very
/// large numbers of rows.
const MAX_CANDIDATE_CELLS: u128 = 20_000;
/// Number of draws per requested candidate. Where few sets are small enough, fewer are found.
const DRAWS_PER_CANDIDATE: usize = 20;
/// Maximum number of pairs. If there are more, this number is drawn at random.
const MAX_PAIRS: usize = 20_000;

/// Sets of columns, with merged values.
#[derive(Debug)]
pub(super) struct Candidates {
    sets: Vec<Clique>,
    /// Maximum number that a round considers.
    max_considered: usize,
}

impl Candidates {
    /// Draws the candidates: all pairs of columns, in all their versions, and random larger sets,
    /// equally many of three columns, four, and so on where possible.
    ///
    /// A column with declared levels is used at any of them or as it is, except at one that a rule
    /// makes equivalent to another column. Any other column is used in its coarsest version.
    pub(super) fn draw(
        versions: &ColumnLevels,
        options: &Options,
        has_levels: impl Fn(AttributeId) -> bool,
        rng: &mut impl Rng,
    ) -> Self {
        let domain = versions.domain();
        let usable = |column: usize| -> Vec<AttributeId> {
            let (finest, coarsest) = versions.ends_of(column);
            let used = if has_levels(finest) { versions.of(column) } else { &[coarsest] };
            let is_non_constant = |&version: &AttributeId| domain.size(version) > 1;
            let mut used: Vec<AttributeId> = used.iter().copied().filter(is_non_constant).collect();
            if used.len() > 1 {
                used.retain(|&version| !versions.duplicates_a_column(version));
            }
            used
        };
        let columns: Vec<Vec<AttributeId>> =
            (0..versions.columns()).map(usable).filter(|versions| !versions.is_empty()).collect();
        let mut sets = pairs(domain, &columns);
        if sets.len() > MAX_PAIRS {
            sets = index::sample(rng, sets.len(), MAX_PAIRS).into_iter().map(|pair| sets[pair].clone()).collect();
        }
        sets.extend(larger_sets(domain, &columns, options, rng));
        Self { sets, max_considered: options.candidates as usize }
    }

    /// Returns these sets as candidates, without those that are too large.
    pub(super) fn of_workload<'a>(
        domain: &Domain,
        sets: impl IntoIterator<Item = &'a Clique>,
        options: &Options,
    ) -> Self {
        let sets = sets.into_iter().filter(|set| is_small(domain, set)).cloned().collect();
        Self { sets, max_considered: options.candidates as usize }
    }

    /// The sets that may become candidates of a round.
    pub(super) fn sets(&self) -> &[Clique] {
        &self.sets
    }

    /// Draws the candidates of a round at random from those that pass, up to the maximum.
    pub(super) fn considered(&self, rng: &mut impl Rng, passes: impl FnMut(&&Clique) -> bool) -> Vec<Clique> {
        let order = index::sample(rng, self.sets.len(), self.sets.len());
        order.into_iter().map(|place| &self.sets[place]).filter(passes).take(self.max_considered).cloned().collect()
    }
}

fn is_small(domain: &Domain, set: &Clique) -> bool {
    domain.cells(set) <= MAX_CANDIDATE_CELLS
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
        // Larger sets make up for missing smaller ones.
        let requested = (options.candidates as usize - drawn.len()).div_ceil(largest - size + 1);
        let enough = drawn.len() + requested;
        for _ in 0..requested * DRAWS_PER_CANDIDATE {
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
