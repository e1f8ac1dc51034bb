//! The greedy search for tables that hold many cliques each.

use std::cmp::Reverse;

use scumble_schema::{AttributeId, Clique, Domain};

use super::distinct::Distinct;
use super::{CoverTable, cells, cost};

/// Ceilings of cells to try for a table that covers several cliques. Lanes and all, 4,096 cells are 32 KiB; from 16,384
/// on, an increment costs more than what is gained by the pairs it adds.
const CEILINGS: [u64; 3] = [4_096, 8_192, 16_384];
/// Most cells of a table out of which others are summed. Summing costs time per cell and not per row; it should not be
/// felt beside the counting of a million rows.
pub(super) const MOST_CELLS_SUMMED: u64 = 1 << 18;
/// Searches per ceiling, as long as those before have looked at cliques fewer times than this, which takes milliseconds.
const TRIES: u64 = 8;
const LOOKS_FOR_MORE: usize = 1 << 17;
/// How often one search may look at a clique of a large question, on average. A search that looked at every open clique for
/// every table would take time quadratic in their number.
const LOOKS_PER_CLIQUE: usize = 64;
/// A search of a small question may take as long as one of this many cliques.
const SMALL_QUESTION: usize = 1 << 13;

/// The cheapest of several searches.
pub(super) fn search(domain: &Domain, wanted: &Distinct, bit: u64) -> Vec<CoverTable> {
    let search = Search::new(domain, wanted.cliques());
    let (mut looks, mut least, mut best) = (0, u64::MAX, vec![]);
    for seed in 0..TRIES {
        for ceiling in CEILINGS {
            if seed > 0 && looks > LOOKS_FOR_MORE {
                break;
            }
            let (tables, looked) = search.run(ceiling, seed, bit);
            looks += looked;
            let cost = tables.iter().map(|table| cost(domain, table.clique.attributes(), bit)).sum();
            if cost < least {
                (least, best) = (cost, tables);
            }
        }
    }
    for table in &mut best {
        table.serves = table.serves.iter().flat_map(|&clique| wanted.asked(clique)).copied().collect();
    }
    best
}

/// What all searches have in common.
struct Search<'a> {
    domain: &'a Domain,
    /// In lexicographic order, each once.
    wanted: &'a [Clique],
    /// How many cells each of them has.
    cells: Vec<u64>,
    /// Of each attribute, the wanted cliques that contain it.
    containing: Vec<Vec<usize>>,
    /// What each clique lacks before a table is begun: all its attributes.
    lacks: Vec<Lack>,
}

/// The attributes of a clique that are not inside the table in the making.
///
/// Their sum is enough to name the last one, and the loop over all cliques with an attribute stays within one list.
#[derive(Debug, Clone, Copy)]
struct Lack {
    attributes: usize,
    sum: usize,
}

impl Lack {
    /// Of a clique that a table holds already.
    const CLOSED: Self = Self { attributes: 0, sum: 0 };

    fn of(clique: &Clique) -> Self {
        let attributes = clique.attributes().iter();
        Self { attributes: clique.len(), sum: attributes.map(|attribute| attribute.index()).sum() }
    }

    fn is_open(self) -> bool {
        self.attributes > 0
    }
}

impl<'a> Search<'a> {
    fn new(domain: &'a Domain, wanted: &'a [Clique]) -> Self {
        let mut containing = vec![vec![]; domain.len()];
        for (position, clique) in wanted.iter().enumerate() {
            for attribute in clique.attributes() {
                containing[attribute.index()].push(position);
            }
        }
        let cells = wanted.iter().map(|clique| cells(domain, clique.attributes())).collect();
        Self { domain, wanted, cells, containing, lacks: wanted.iter().map(Lack::of).collect() }
    }

    /// A cover, and how often a clique was looked at for it.
    fn run(&self, ceiling: u64, seed: u64, bit: u64) -> (Vec<CoverTable>, usize) {
        let mut order: Vec<usize> = (0..self.wanted.len()).collect();
        order.sort_by_cached_key(|&wanted| (Reverse(self.cells[wanted]), mix(seed, wanted)));
        let mut table = Growing::new(self, seed);
        // The empty clique is the first, and lacks nothing.
        let empty = self.wanted.first().filter(|clique| clique.is_empty());
        let mut tables: Vec<_> =
            empty.map(|clique| CoverTable { clique: clique.clone(), serves: vec![0] }).into_iter().collect();
        let most_looks = LOOKS_PER_CLIQUE * self.wanted.len().max(SMALL_QUESTION);
        for &first in &order {
            if table.looks > most_looks {
                break;
            }
            if table.lacks[first].is_open() {
                tables.push(table.grow(first, ceiling));
            }
        }
        let rest = (0..self.wanted.len()).filter(|&wanted| table.lacks[wanted].is_open());
        tables.extend(rest.map(|wanted| CoverTable { clique: self.wanted[wanted].clone(), serves: vec![wanted] }));
        (self.merge(tables, ceiling, bit), table.looks)
    }

    /// Puts tables together where one costs less than two. Those that begin with the same attributes stand side by side, so
    /// one comparison each finds most of what there is to gain.
    fn merge(&self, mut tables: Vec<CoverTable>, ceiling: u64, bit: u64) -> Vec<CoverTable> {
        tables.sort_by(|a, b| a.clique.cmp(&b.clique));
        let mut merged: Vec<CoverTable> = Vec::with_capacity(tables.len());
        let mut last_cost = 0;
        for table in tables {
            let own_cost = cost(self.domain, table.clique.attributes(), bit);
            if let Some(last) = merged.last_mut() {
                let both = last.clique.attributes().iter().chain(table.clique.attributes());
                let both = Clique::new(both.copied());
                let both_cost = cost(self.domain, both.attributes(), bit);
                // Every table knows the number of rows.
                let fits = last.clique.is_empty() || cells(self.domain, both.attributes()) <= ceiling;
                if fits && both_cost < last_cost + own_cost {
                    last.clique = both;
                    last.serves.extend(table.serves);
                    last_cost = both_cost;
                    continue;
                }
            }
            merged.push(table);
            last_cost = own_cost;
        }
        merged
    }

    /// What closing a clique is worth. Half of the searches find large cliques worth more: fewer tables have room for them.
    fn worth(&self, wanted: usize, seed: u64) -> u64 {
        if seed.is_multiple_of(2) { 1 } else { self.cells[wanted].max(2).ilog2().into() }
    }
}

/// A table in the making; its memory is used again for the next one.
struct Growing<'a> {
    search: &'a Search<'a>,
    seed: u64,
    /// What each clique lacks to be inside.
    lacks: Vec<Lack>,
    /// Of each attribute, the cliques that contain it and were open when it was last added.
    containing: Vec<Vec<usize>>,
    serves: Vec<usize>,
    /// The cliques of which some attribute is inside.
    touched: Vec<usize>,
    /// The worth of all that adding an attribute would close.
    gain: Vec<u64>,
    /// The attributes with a gain.
    candidates: Vec<AttributeId>,
    /// How often a clique was looked at.
    looks: usize,
}

impl<'a> Growing<'a> {
    fn new(search: &'a Search<'a>, seed: u64) -> Self {
        Self {
            search,
            seed,
            lacks: search.lacks.clone(),
            containing: search.containing.clone(),
            serves: vec![],
            touched: vec![],
            gain: vec![0; search.domain.len()],
            candidates: vec![],
            looks: 0,
        }
    }

    /// A table that holds the clique `first`, and as many open ones as fit below the ceiling.
    fn grow(&mut self, first: usize, ceiling: u64) -> CoverTable {
        let Search { domain, wanted, .. } = *self.search;
        let mut size = self.search.cells[first];
        if size > MOST_CELLS_SUMMED {
            // What else a large table holds is better counted by itself.
            self.lacks[first] = Lack::CLOSED;
            return CoverTable { clique: wanted[first].clone(), serves: vec![first] };
        }
        for &attribute in wanted[first].attributes() {
            self.add(attribute);
        }
        while let Some(best) = self.best(|attribute| size.saturating_mul(domain.size(attribute).into()) <= ceiling) {
            size *= u64::from(domain.size(best));
            self.add(best);
        }
        self.finish()
    }

    /// The attribute that gains most of those that fit; the largest of equals, because it is hardest to place later.
    fn best(&self, fits: impl Fn(AttributeId) -> bool) -> Option<AttributeId> {
        self.candidates.iter().copied().filter(|&attribute| fits(attribute)).max_by_key(|&attribute| {
            let index = attribute.index();
            (self.gain[index], self.search.domain.size(attribute), mix(self.seed, index))
        })
    }

    /// Adds an attribute, closes what that completes, and updates what others would gain.
    fn add(&mut self, attribute: AttributeId) {
        self.gain[attribute.index()] = 0;
        self.candidates.retain(|&candidate| candidate != attribute);
        let mut containing = std::mem::take(&mut self.containing[attribute.index()]);
        self.looks += containing.len();
        containing.retain(|&wanted| self.lacks[wanted].is_open());
        self.touched.extend(&containing);
        for &wanted in &containing {
            let lack = &mut self.lacks[wanted];
            lack.attributes -= 1;
            lack.sum -= attribute.index();
            match lack.attributes {
                0 => {
                    *lack = Lack::CLOSED;
                    self.serves.push(wanted);
                }
                1 => {
                    let missing = lack.sum;
                    if self.gain[missing] == 0 {
                        self.candidates.push(AttributeId::new(missing));
                    }
                    self.gain[missing] += self.search.worth(wanted, self.seed);
                }
                _ => {}
            }
        }
        self.containing[attribute.index()] = containing;
    }

    /// The finished table, without attributes that serve nothing.
    fn finish(&mut self) -> CoverTable {
        for wanted in self.touched.drain(..) {
            if self.lacks[wanted].is_open() {
                self.lacks[wanted] = self.search.lacks[wanted];
            }
        }
        for attribute in self.candidates.drain(..) {
            self.gain[attribute.index()] = 0;
        }
        let serves = std::mem::take(&mut self.serves);
        let used = serves.iter().flat_map(|&served| self.search.wanted[served].attributes().iter().copied());
        CoverTable { clique: Clique::new(used), serves }
    }
}

/// A fixed sequence without a pattern (`SplitMix64`), to break ties.
fn mix(seed: u64, position: usize) -> u64 {
    let mut bits = (seed << 32 | position as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_looks_at_the_cliques_in_proportion_to_their_number() {
        // Sets that have little in common: every table holds few, so there are many to search for.
        let domain = Domain::new(vec![2; 50]).unwrap();
        let sets = |count: usize| {
            let set =
                |set| Clique::new((0..7).map(|place| AttributeId::new(usize::try_from(mix(place, set) % 50).unwrap())));
            Distinct::of(&(0..count).map(set).collect::<Vec<_>>())
        };
        for count in [1_000, 20_000] {
            let wanted = sets(count);
            let (tables, looks) = Search::new(&domain, wanted.cliques()).run(4_096, 0, 20);
            // The table at which the limit was reached is finished: twelve attributes, each in less than all cliques.
            assert!(looks <= LOOKS_PER_CLIQUE * count.max(SMALL_QUESTION) + 12 * count, "{looks} looks");
            let mut served: Vec<usize> = tables.into_iter().flat_map(|table| table.serves).collect();
            served.sort_unstable();
            assert!(served.into_iter().eq(0..wanted.cliques().len()));
        }
    }
}
