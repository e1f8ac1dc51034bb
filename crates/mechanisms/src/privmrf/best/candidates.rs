//! Sets of columns whose tables may be measured.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};
use scumble_schema::Clique;

use super::options::Options;
use super::versions::Versions;

/// Most cells of a candidate's table: noise makes larger ones useless, but for tables of very many rows.
const MOST_CELLS: u128 = 20_000;
/// Draws for each candidate that is wanted. Where few sets are small enough there will be fewer candidates.
const DRAWS_PER_CANDIDATE: usize = 20;

/// Sets of columns, each with one of its versions.
#[derive(Debug)]
pub(super) struct Candidates(Vec<Clique>);

impl Candidates {
    /// As many sets of two columns as of three, four and so on, drawn at random.
    pub(super) fn draw(versions: &Versions, options: &Options, rng: &mut impl Rng) -> Self {
        let largest = (options.most_columns as usize).min(versions.columns());
        let mut drawn = BTreeSet::new();
        for size in 2..=largest {
            // What is missing of smaller sets is made up for by larger ones.
            let wanted = (options.candidates as usize - drawn.len()).div_ceil(largest - size + 1);
            let enough = drawn.len() + wanted;
            for _ in 0..wanted * DRAWS_PER_CANDIDATE {
                if drawn.len() == enough {
                    break;
                }
                let set = random_set(versions, size, rng);
                if versions.domain().cells(&set) <= MOST_CELLS {
                    drawn.insert(set);
                }
            }
        }
        Self(drawn.into_iter().collect())
    }

    pub(super) fn sets(&self) -> &[Clique] {
        &self.0
    }
}

/// So many columns, each in one of its versions, all as likely as each other.
fn random_set(versions: &Versions, size: usize, rng: &mut impl Rng) -> Clique {
    let columns = rand::seq::index::sample(rng, versions.columns(), size);
    let mut set = Vec::with_capacity(size);
    for column in columns {
        let versions = versions.of(column);
        set.push(versions[rng.random_range(0..versions.len())]);
    }
    Clique::new(set)
}
