//! Algorithm 2: the sets of columns whose tables are worth their noise.

use std::collections::{BTreeMap, BTreeSet};

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use scumble_schema::{AttributeId, Clique, Domain};

/// Up to so many sets are listed; of more, some are drawn without a list.
const MOST_LISTED: u64 = 50_000;

/// Draws per set that is asked for, before it is taken that hardly any is left.
const MOST_DRAWS: usize = 200;

/// The paper's `U`: all sets of columns that are part of a clique and whose tables have few enough cells. A clique of 23 binary columns
/// has millions of them, so it is known by how many there are and drawn from without a list.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    domain: &'a Domain,
    cliques: &'a [Clique],
    most: Most,
    /// For every clique, how many sets it has; those of several cliques count in each.
    counts: Vec<u64>,
    /// All of them, if they are few.
    listed: Option<Vec<Clique>>,
    /// Those that were taken out.
    taken: BTreeSet<Clique>,
}

/// How large a set may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Most {
    /// Cells of its table: theta-usefulness says how many.
    pub(super) cells: u64,
    /// Columns.
    pub(super) columns: usize,
}

impl<'a> Candidates<'a> {
    /// The sets within these cliques.
    ///
    /// # Reference
    /// Algorithm 2, lines 2 to 7.
    pub(super) fn new(domain: &'a Domain, cliques: &'a [Clique], most: Most) -> Self {
        let count = |clique: &Clique| Subsets::new(domain, clique.attributes()).count(0, most).saturating_sub(1);
        let counts: Vec<u64> = cliques.iter().map(count).collect();
        let listed = (counts.iter().sum::<u64>() <= MOST_LISTED).then(|| {
            let mut all = BTreeSet::new();
            for clique in cliques {
                list(domain, clique.attributes(), most, &mut Vec::new(), &mut all);
            }
            all.into_iter().collect()
        });
        Self { domain, cliques, most, counts, listed, taken: BTreeSet::new() }
    }

    pub(super) fn domain(&self) -> &'a Domain {
        self.domain
    }

    pub(super) fn cliques(&self) -> &'a [Clique] {
        self.cliques
    }

    pub(super) fn most(&self) -> Most {
        self.most
    }

    /// Whether the set is one that was not taken out.
    pub(super) fn has(&self, set: &Clique) -> bool {
        let useful =
            !set.is_empty() && set.len() <= self.most.columns && self.domain.cells(set) <= u128::from(self.most.cells);
        useful && !self.taken.contains(set) && self.cliques.iter().any(|clique| clique.holds(set))
    }

    /// Takes a set out.
    pub(super) fn take(&mut self, set: Clique) {
        self.taken.insert(set);
    }

    /// How many are left, up to `most`.
    pub(super) fn left(&self, most: usize) -> usize {
        match &self.listed {
            Some(listed) => listed.iter().filter(|set| !self.taken.contains(*set)).take(most).count(),
            // Every set is in at most as many cliques as there are, and far fewer are taken than the rest.
            None => most,
        }
    }

    /// So many different sets that were not taken out and are `wanted`, drawn uniformly; fewer if there are not as many.
    ///
    /// # Reference
    /// Algorithm 4, line 5.
    pub(super) fn draw(&self, sets: usize, rng: &mut ChaCha8Rng, wanted: impl Fn(&Clique) -> bool) -> Vec<Clique> {
        let Some(listed) = &self.listed else { return self.draw_without_list(sets, rng, wanted) };
        let mut left: Vec<&Clique> = listed.iter().filter(|set| !self.taken.contains(*set)).collect();
        left.shuffle(rng);
        left.into_iter().filter(|set| wanted(set)).take(sets).cloned().collect()
    }

    /// A clique is drawn by how many sets it has, then one of its sets, uniformly. One that an earlier clique has too is refused, so
    /// that every set comes as often as any other.
    fn draw_without_list(&self, sets: usize, rng: &mut ChaCha8Rng, wanted: impl Fn(&Clique) -> bool) -> Vec<Clique> {
        let mut subsets: BTreeMap<usize, Subsets> = BTreeMap::new();
        let (mut drawn, mut seen) = (Vec::new(), BTreeSet::new());
        for _ in 0..sets.saturating_mul(MOST_DRAWS) {
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
            // The first is the empty one.
            let set = subsets.nth(place + 1, self.most);
            let is_new = self.cliques[..clique].iter().all(|earlier| !earlier.holds(&set))
                && !self.taken.contains(&set)
                && !seen.contains(&set);
            if is_new {
                seen.insert(set.clone());
                if wanted(&set) {
                    drawn.push(set);
                }
            }
        }
        drawn
    }
}

/// Adds all sets that go on from `set` with some of these columns.
fn list(domain: &Domain, columns: &[AttributeId], most: Most, set: &mut Vec<AttributeId>, all: &mut BTreeSet<Clique>) {
    for (place, &column) in columns.iter().enumerate() {
        let cells = most.cells / u64::from(domain.size(column));
        if cells > 0 && most.columns > 0 {
            set.push(column);
            all.insert(Clique::new(set.iter().copied()));
            list(domain, &columns[place + 1..], Most { cells, columns: most.columns - 1 }, set, all);
            set.pop();
        }
    }
}

/// The sets of some columns, in an order in which any of them can be found without those before it.
pub(super) struct Subsets<'a> {
    domain: &'a Domain,
    columns: &'a [AttributeId],
    /// How many sets there are of the columns from one place on, for every limit that was met.
    counted: BTreeMap<(usize, u64, usize), u64>,
}

impl<'a> Subsets<'a> {
    pub(super) fn new(domain: &'a Domain, columns: &'a [AttributeId]) -> Self {
        Self { domain, columns, counted: BTreeMap::new() }
    }

    /// How many sets of the columns from `place` on are within the limits, with the empty one.
    pub(super) fn count(&mut self, place: usize, most: Most) -> u64 {
        let columns = most.columns.min(self.columns.len() - place);
        if most.cells == 0 {
            return 0;
        }
        if columns == 0 {
            return 1;
        }
        let key = (place, most.cells, columns);
        if let Some(&counted) = self.counted.get(&key) {
            return counted;
        }
        let without = self.count(place + 1, Most { columns, ..most });
        let with = self.count(place + 1, self.after(place, Most { columns, ..most }));
        let both = without.saturating_add(with);
        self.counted.insert(key, both);
        both
    }

    /// What is left of the limits with the column at `place`.
    fn after(&self, place: usize, most: Most) -> Most {
        Most { cells: most.cells / u64::from(self.domain.size(self.columns[place])), columns: most.columns - 1 }
    }

    /// The set with this number, from zero; the empty one is the first.
    fn nth(&mut self, mut number: u64, mut most: Most) -> Clique {
        let mut set = Vec::new();
        for place in 0..self.columns.len() {
            let without = self.count(place + 1, most);
            if number >= without {
                number -= without;
                set.push(self.columns[place]);
                most = self.after(place, most);
            }
        }
        Clique::new(set)
    }
}

#[cfg(test)]
mod tests;
