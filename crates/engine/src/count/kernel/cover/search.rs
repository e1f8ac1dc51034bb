//! Greedy search for tables that contain many cliques each.

use std::cmp::Reverse;

use scumble_schema::{AttributeId, Clique, Domain};

use super::distinct::Distinct;
use super::{CoverTable, cells, cost};

/// Ceilings of cells to try for a table that covers several cliques. With all lanes, 4,096 cells
/// are 32 KiB; above 16,384, an increment costs more than the additional pairs save.
const CEILINGS: [u64; 3] = [4_096, 8_192, 16_384];
/// Maximum cells of a table from which others are summed. Summing costs time per cell, not per row;
/// it should be negligible against counting a million rows.
pub(super) const MAX_SUMMED_CELLS: u64 = 1 << 18;
/// Searches per ceiling. Further searches start only while fewer than `VISITS_FOR_MORE` cliques
/// were visited, a few milliseconds.
const TRIES: u64 = 8;
const VISITS_FOR_MORE: usize = 1 << 17;
/// Ceilings to try where every counted cell is sent; by the last, no table covers several cliques
/// that it does not contain.
const SENT_CEILINGS: [u64; 6] = [16_384, 4_096, 2_048, 1_024, 256, 0];
/// Cells that may be sent for each cell of the requested tables.
const SENT_CELLS: u64 = 4;
/// Average number of times that one search may visit a clique of a large query. Visiting every open
/// clique for every table would take quadratic time.
const MAX_VISITS_PER_CLIQUE: usize = 64;
/// A search of a small query may take as long as one of this many cliques.
const SMALL_QUERY: usize = 1 << 13;

/// Returns the cheapest result of several searches.
pub(super) fn search(domain: &Domain, query: &Distinct, bit: u64) -> Vec<CoverTable> {
    let search = Search::new(domain, query.cliques());
    let (mut visits, mut least, mut best) = (0, u64::MAX, vec![]);
    for seed in 0..TRIES {
        for ceiling in CEILINGS {
            if seed > 0 && visits > VISITS_FOR_MORE {
                break;
            }
            let (tables, visited) = search.run(ceiling, seed, bit);
            visits += visited;
            let cost = tables.iter().map(|table| cost(domain, table.clique.attributes(), bit)).sum();
            if cost < least {
                (least, best) = (cost, tables);
            }
        }
    }
    of_query(best, query)
}

/// Returns the fewest tables whose cells are few beside those of the query.
pub(super) fn search_to_send(domain: &Domain, query: &Distinct, bit: u64) -> Vec<CoverTable> {
    let search = Search::new(domain, query.cliques());
    let limit = search.cells.iter().fold(0, |sum: u64, &cells| sum.saturating_add(cells)).saturating_mul(SENT_CELLS);
    let sent = |tables: &[CoverTable]| {
        let cells = tables.iter().map(|table| cells(domain, table.clique.attributes()));
        cells.fold(0, u64::saturating_add)
    };
    let covers = SENT_CEILINGS.map(|ceiling| search.run(ceiling, 0, bit).0);
    let fewest = covers.into_iter().filter(|tables| sent(tables) <= limit).min_by_key(Vec::len);
    of_query(fewest.expect("without larger tables, no cell is sent twice"), query)
}

/// Returns tables that name the cliques they serve by their positions in the query.
fn of_query(mut tables: Vec<CoverTable>, query: &Distinct) -> Vec<CoverTable> {
    for table in &mut tables {
        table.serves = table.serves.iter().flat_map(|&clique| query.positions_of(clique)).copied().collect();
    }
    tables
}

/// State shared by all searches.
struct Search<'a> {
    domain: &'a Domain,
    /// Distinct, in lexicographic order.
    cliques: &'a [Clique],
    /// Number of cells of each clique.
    cells: Vec<u64>,
    /// For each attribute, the cliques that contain it.
    containing: Vec<Vec<usize>>,
    /// For each clique, its attributes: none is in a table yet.
    lacks: Vec<Lack>,
}

/// The attributes of a clique that are missing in the table under construction.
///
/// Only their number and sum are kept: the sum identifies the last one, and the loop over all
/// cliques with an attribute stays within one list.
#[derive(Debug, Clone, Copy)]
struct Lack {
    attributes: usize,
    sum: usize,
}

impl Lack {
    /// The clique is contained in a table.
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
    fn new(domain: &'a Domain, cliques: &'a [Clique]) -> Self {
        let mut containing = vec![vec![]; domain.len()];
        for (position, clique) in cliques.iter().enumerate() {
            for attribute in clique.attributes() {
                containing[attribute.index()].push(position);
            }
        }
        let cells = cliques.iter().map(|clique| cells(domain, clique.attributes())).collect();
        Self { domain, cliques, cells, containing, lacks: cliques.iter().map(Lack::of).collect() }
    }

    /// Returns a cover, and the number of visits to cliques.
    fn run(&self, ceiling: u64, seed: u64, bit: u64) -> (Vec<CoverTable>, usize) {
        let mut order: Vec<usize> = (0..self.cliques.len()).collect();
        order.sort_by_cached_key(|&index| (Reverse(self.cells[index]), mix(seed, index)));
        let mut table = Growing::new(self, seed);
        // The empty clique is the first, and has no attributes.
        let empty = self.cliques.first().filter(|clique| clique.is_empty());
        let mut tables: Vec<_> =
            empty.map(|clique| CoverTable { clique: clique.clone(), serves: vec![0] }).into_iter().collect();
        let max_visits = MAX_VISITS_PER_CLIQUE * self.cliques.len().max(SMALL_QUERY);
        for &first in &order {
            if table.visits > max_visits {
                break;
            }
            if table.lacks[first].is_open() {
                tables.push(table.grow(first, ceiling));
            }
        }
        let rest = (0..self.cliques.len()).filter(|&index| table.lacks[index].is_open());
        tables.extend(rest.map(|index| CoverTable { clique: self.cliques[index].clone(), serves: vec![index] }));
        (self.merge(tables, ceiling, bit), table.visits)
    }

    /// Merges tables where one costs less than two. Tables that begin with the same attributes are
    /// adjacent, so comparing neighbours finds most of the gain.
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
                // Every table gives the number of rows.
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

    /// Weight of closing a clique. Half of the searches weight large cliques more, because fewer
    /// tables have room for them.
    fn worth(&self, index: usize, seed: u64) -> u64 {
        if seed.is_multiple_of(2) { 1 } else { self.cells[index].max(2).ilog2().into() }
    }
}

/// A table under construction; its memory is reused for the next one.
struct Growing<'a> {
    search: &'a Search<'a>,
    seed: u64,
    /// The missing attributes of each clique.
    lacks: Vec<Lack>,
    /// For each attribute, the cliques that contain it and were open when it was last added.
    containing: Vec<Vec<usize>>,
    serves: Vec<usize>,
    /// Cliques with at least one attribute in the table.
    touched: Vec<usize>,
    /// Total weight of the cliques that adding an attribute would close.
    gain: Vec<u64>,
    /// Attributes with a gain.
    candidates: Vec<AttributeId>,
    /// Number of visits to cliques.
    visits: usize,
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
            visits: 0,
        }
    }

    /// Builds a table that contains the clique `first`, and open cliques up to the ceiling.
    fn grow(&mut self, first: usize, ceiling: u64) -> CoverTable {
        let Search { domain, cliques, .. } = *self.search;
        let mut size = self.search.cells[first];
        if size > MAX_SUMMED_CELLS {
            // Other cliques inside a large table are cheaper to count separately.
            self.lacks[first] = Lack::CLOSED;
            return CoverTable { clique: cliques[first].clone(), serves: vec![first] };
        }
        for &attribute in cliques[first].attributes() {
            self.add(attribute);
        }
        while let Some(best) = self.best(|attribute| size.saturating_mul(domain.size(attribute).into()) <= ceiling) {
            size *= u64::from(domain.size(best));
            self.add(best);
        }
        self.finish()
    }

    /// Returns the attribute with the largest gain among those that fit. Ties go to the largest
    /// attribute, because it is hardest to place later.
    fn best(&self, fits: impl Fn(AttributeId) -> bool) -> Option<AttributeId> {
        self.candidates.iter().copied().filter(|&attribute| fits(attribute)).max_by_key(|&attribute| {
            let index = attribute.index();
            (self.gain[index], self.search.domain.size(attribute), mix(self.seed, index))
        })
    }

    /// Adds an attribute, closes the cliques that it completes, and updates the gains.
    fn add(&mut self, attribute: AttributeId) {
        self.gain[attribute.index()] = 0;
        self.candidates.retain(|&candidate| candidate != attribute);
        let mut containing = std::mem::take(&mut self.containing[attribute.index()]);
        self.visits += containing.len();
        containing.retain(|&index| self.lacks[index].is_open());
        self.touched.extend(&containing);
        for &index in &containing {
            let lack = &mut self.lacks[index];
            lack.attributes -= 1;
            lack.sum -= attribute.index();
            match lack.attributes {
                0 => {
                    *lack = Lack::CLOSED;
                    self.serves.push(index);
                }
                1 => {
                    let missing = lack.sum;
                    if self.gain[missing] == 0 {
                        self.candidates.push(AttributeId::new(missing));
                    }
                    self.gain[missing] += self.search.worth(index, self.seed);
                }
                _ => {}
            }
        }
        self.containing[attribute.index()] = containing;
    }

    /// Returns the finished table, without attributes that serve no clique.
    fn finish(&mut self) -> CoverTable {
        for index in self.touched.drain(..) {
            if self.lacks[index].is_open() {
                self.lacks[index] = self.search.lacks[index];
            }
        }
        for attribute in self.candidates.drain(..) {
            self.gain[attribute.index()] = 0;
        }
        let serves = std::mem::take(&mut self.serves);
        let used = serves.iter().flat_map(|&served| self.search.cliques[served].attributes().iter().copied());
        CoverTable { clique: Clique::new(used), serves }
    }
}

/// Fixed pseudorandom sequence (`SplitMix64`) that breaks ties.
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
    fn visits_are_proportional_to_the_number_of_cliques() {
        // Sets with little in common: every table contains few, so there are many tables to search
        // for.
        let domain = Domain::new(vec![2; 50]).unwrap();
        let sets = |count: usize| {
            let set =
                |set| Clique::new((0..7).map(|place| AttributeId::new(usize::try_from(mix(place, set) % 50).unwrap())));
            Distinct::of(&(0..count).map(set).collect::<Vec<_>>())
        };
        for count in [1_000, 20_000] {
            let query = sets(count);
            let (tables, visits) = Search::new(&domain, query.cliques()).run(4_096, 0, 20);
            // The table that reaches the limit is finished: twelve attributes, each in fewer than
            // all cliques.
            assert!(visits <= MAX_VISITS_PER_CLIQUE * count.max(SMALL_QUERY) + 12 * count, "{visits} visits");
            let mut served: Vec<usize> = tables.into_iter().flat_map(|table| table.serves).collect();
            served.sort_unstable();
            assert!(served.into_iter().eq(0..query.cliques().len()));
        }
    }
}
