//! Algorithm 2: the sets of columns whose tables are useful.

use std::collections::{BTreeMap, BTreeSet};

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use scumble_schema::{AttributeId, Clique, Domain};

/// Maximum number of sets that are listed. If there are more, sets are drawn without a list.
const MAX_LISTED_SETS: u64 = 50_000;

/// Maximum number of draws per requested set. After them hardly any set is left.
const MAX_DRAWS_PER_SET: usize = 200;

/// The paper's `U`: all subsets of cliques whose tables have few enough cells. A clique of 23
/// binary columns has millions of them, so large sets of candidates are counted and drawn from
/// without a list.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    domain: &'a Domain,
    cliques: &'a [Clique],
    limits: SetLimits,
    /// Number of sets of every clique; a set of several cliques counts in each.
    counts: Vec<u64>,
    /// All sets, if they are few.
    listed: Option<Vec<Clique>>,
    /// Sets that were taken out.
    taken: BTreeSet<Clique>,
}

/// Maximum size of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SetLimits {
    /// Maximum number of cells of its table, by theta-usefulness.
    pub(super) cells: u64,
    /// Maximum number of columns.
    pub(super) columns: usize,
}

impl<'a> Candidates<'a> {
    /// Counts, and if they are few lists, the sets within these cliques.
    ///
    /// # Reference
    /// Algorithm 2, lines 2 to 7.
    pub(super) fn new(domain: &'a Domain, cliques: &'a [Clique], limits: SetLimits) -> Self {
        let count = |clique: &Clique| Subsets::new(domain, clique.attributes()).count(0, limits).saturating_sub(1);
        let counts: Vec<u64> = cliques.iter().map(count).collect();
        let listed = (counts.iter().sum::<u64>() <= MAX_LISTED_SETS).then(|| {
            let mut all = BTreeSet::new();
            for clique in cliques {
                list(domain, clique.attributes(), limits, &mut Vec::new(), &mut all);
            }
            all.into_iter().collect()
        });
        Self { domain, cliques, limits, counts, listed, taken: BTreeSet::new() }
    }

    pub(super) fn domain(&self) -> &'a Domain {
        self.domain
    }

    pub(super) fn cliques(&self) -> &'a [Clique] {
        self.cliques
    }

    pub(super) fn limits(&self) -> SetLimits {
        self.limits
    }

    /// Returns whether the set is a candidate that was not taken out.
    pub(super) fn has(&self, set: &Clique) -> bool {
        let useful = !set.is_empty()
            && set.len() <= self.limits.columns
            && self.domain.cells(set) <= u128::from(self.limits.cells);
        useful && !self.taken.contains(set) && self.cliques.iter().any(|clique| clique.holds(set))
    }

    /// Takes a set out.
    pub(super) fn take(&mut self, set: Clique) {
        self.taken.insert(set);
    }

    /// Number of sets that are left, up to `max`.
    pub(super) fn left(&self, max: usize) -> usize {
        match &self.listed {
            Some(listed) => listed.iter().filter(|set| !self.taken.contains(*set)).take(max).count(),
            // Far fewer sets are taken than there are, even if every set is counted in every
            // clique.
            None => max,
        }
    }

    /// Draws up to `sets` different sets that were not taken out and `fit`, uniformly.
    ///
    /// # Reference
    /// Algorithm 4, line 5.
    pub(super) fn draw(&self, sets: usize, rng: &mut ChaCha8Rng, fits: impl Fn(&Clique) -> bool) -> Vec<Clique> {
        let Some(listed) = &self.listed else { return self.draw_without_list(sets, rng, fits) };
        let mut left: Vec<&Clique> = listed.iter().filter(|set| !self.taken.contains(*set)).collect();
        left.shuffle(rng);
        left.into_iter().filter(|set| fits(set)).take(sets).cloned().collect()
    }

    /// Draws a clique by its number of sets, then one of its sets uniformly. A set of an earlier
    /// clique is rejected, so that all sets are equally likely.
    fn draw_without_list(&self, sets: usize, rng: &mut ChaCha8Rng, fits: impl Fn(&Clique) -> bool) -> Vec<Clique> {
        let mut subsets: BTreeMap<usize, Subsets> = BTreeMap::new();
        let (mut drawn, mut seen) = (Vec::new(), BTreeSet::new());
        for _ in 0..sets.saturating_mul(MAX_DRAWS_PER_SET) {
            if drawn.len() == sets {
                break;
            }
            let mut place = rng.random_range(0..self.counts.iter().sum());
            let mut clique = 0;
            while place >= self.counts[clique] {
                place -= self.counts[clique];
                clique += 1;
            }
            let subsets =
                subsets.entry(clique).or_insert_with(|| Subsets::new(self.domain, self.cliques[clique].attributes()));
            // Number 0 is the empty set.
            let set = subsets.nth(place + 1, self.limits);
            let is_new = self.cliques[..clique].iter().all(|earlier| !earlier.holds(&set))
                && !self.taken.contains(&set)
                && !seen.contains(&set);
            if is_new {
                seen.insert(set.clone());
                if fits(&set) {
                    drawn.push(set);
                }
            }
        }
        drawn
    }
}

/// Adds all sets that extend `set` by some of these columns.
fn list(
    domain: &Domain,
    columns: &[AttributeId],
    limits: SetLimits,
    set: &mut Vec<AttributeId>,
    all: &mut BTreeSet<Clique>,
) {
    for (place, &column) in columns.iter().enumerate() {
        let cells = limits.cells / u64::from(domain.size(column));
        if cells > 0 && limits.columns > 0 {
            set.push(column);
            all.insert(Clique::new(set.iter().copied()));
            list(domain, &columns[place + 1..], SetLimits { cells, columns: limits.columns - 1 }, set, all);
            set.pop();
        }
    }
}

/// The subsets of some columns, in an order with random access.
pub(super) struct Subsets<'a> {
    domain: &'a Domain,
    columns: &'a [AttributeId],
    /// Number of subsets of the columns from a position on, for every limit that occurred.
    counted: BTreeMap<(usize, u64, usize), u64>,
}

impl<'a> Subsets<'a> {
    pub(super) fn new(domain: &'a Domain, columns: &'a [AttributeId]) -> Self {
        Self { domain, columns, counted: BTreeMap::new() }
    }

    /// Counts the subsets of the columns from `place` on within the limits, including the empty
    /// one.
    pub(super) fn count(&mut self, place: usize, limits: SetLimits) -> u64 {
        let columns = limits.columns.min(self.columns.len() - place);
        if limits.cells == 0 {
            return 0;
        }
        if columns == 0 {
            return 1;
        }
        let key = (place, limits.cells, columns);
        if let Some(&counted) = self.counted.get(&key) {
            return counted;
        }
        let without = self.count(place + 1, SetLimits { columns, ..limits });
        let with = self.count(place + 1, self.after(place, SetLimits { columns, ..limits }));
        let both = without.saturating_add(with);
        self.counted.insert(key, both);
        both
    }

    /// Returns the limits that are left with the column at `place`.
    fn after(&self, place: usize, limits: SetLimits) -> SetLimits {
        SetLimits {
            cells: limits.cells / u64::from(self.domain.size(self.columns[place])),
            columns: limits.columns - 1,
        }
    }

    /// Returns the subset of a number; the empty one has number 0.
    fn nth(&mut self, mut number: u64, mut limits: SetLimits) -> Clique {
        let mut set = Vec::new();
        for place in 0..self.columns.len() {
            let without = self.count(place + 1, limits);
            if number >= without {
                number -= without;
                set.push(self.columns[place]);
                limits = self.after(place, limits);
            }
        }
        Clique::new(set)
    }
}

#[cfg(test)]
mod tests;
