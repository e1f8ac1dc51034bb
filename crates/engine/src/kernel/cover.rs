//! Which tables to count, so that every wanted table can be summed out of one of them.
//!
//! Counting a row into a table costs about the same whether the table has two axes or four, as long as the table stays
//! in the fastest cache. So a table over `{a, b, c}` gives the pairs `ab`, `ac` and `bc` for the price of one: of 276
//! pairs of 16-valued columns, about 100 triples are enough, and of 276 pairs of binary columns, six tables of twelve
//! columns.
//!
//! To find the cheapest cover is a hard problem (covering designs, already where all sizes are equal). This is a greedy
//! search: begin a table with the largest open clique, add the attribute that closes most, stop at a ceiling of cells;
//! begin again until nothing is open. A few such searches, with different ceilings and ties broken differently, are
//! compared by what they would cost per row, and the cheapest wins. The ties are broken by a fixed sequence, so one
//! question always has one cover.
//!
//! Neighbouring binary columns are also tried in groups of six, each taken as one column of 64 values. The tables are then
//! not always the fewest, but all tables with a group share the work of putting its bits together.
//!
//! The choice is made from public facts alone: sizes of domains and the cliques asked for. The number of rows is private
//! and has no part in it.

use std::cmp::Reverse;

use scumble_schema::{AttributeId, Clique, Domain};

use super::plan::SMALL_CELLS;

/// Ceilings of cells to try for a table that covers several cliques. Lanes and all, 4,096 cells are 32 KiB; from 16,384
/// on, an increment costs more than what is gained by the pairs it adds.
const CEILINGS: [u64; 3] = [4_096, 8_192, 16_384];
/// Most cells of a table out of which others are summed. Summing costs time per cell and not per row; it should not be
/// felt beside the counting of a million rows.
const MOST_CELLS_SUMMED: u64 = 1 << 18;
/// Searches per ceiling for up to [`FEW_CLIQUES`] cliques; one for more.
const TRIES: u64 = 8;
/// With more cliques a search takes tens of milliseconds, and another one hardly finds anything better.
const FEW_CLIQUES: usize = 2_000;

/// Binary columns in a group: two groups are a table of 4,096 cells.
pub(super) const GROUP: usize = 6;
/// What a binary column adds to the cost of a table: if its bits are put together for this table, and if that is shared.
const BIT: u64 = 20;
const SHARED_BIT: u64 = 8;

/// A table to count row by row, and which of the wanted cliques are summed out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoverTable {
    pub(crate) clique: Clique,
    /// Positions in the list of wanted cliques.
    pub(crate) serves: Vec<usize>,
}

/// Tables that together contain every clique of `wanted`, each of which is served once.
///
/// The cells of every wanted clique must fit a `u64`.
pub(crate) fn cover(domain: &Domain, wanted: &[Clique]) -> Vec<CoverTable> {
    let one_by_one = search(domain, wanted);
    let groups = groups_of_bits(domain);
    if groups.len() == domain.len() {
        return one_by_one;
    }
    let grouped = cover_by_groups(domain, wanted, &groups);
    // A clique with bits of many groups would bring all of them in.
    let is_small = |table: &CoverTable| cells(domain, &table.clique) <= SMALL_CELLS as u64;
    let costs = |tables: &[CoverTable], bit| tables.iter().map(|table| cost(domain, &table.clique, bit)).sum::<u64>();
    if grouped.iter().all(is_small) && costs(&grouped, SHARED_BIT) < costs(&one_by_one, BIT) {
        grouped
    } else {
        one_by_one
    }
}

/// The cheapest of several searches.
fn search(domain: &Domain, wanted: &[Clique]) -> Vec<CoverTable> {
    let search = Search::new(domain, wanted);
    let tries = if wanted.len() <= FEW_CLIQUES { TRIES } else { 1 };
    CEILINGS
        .into_iter()
        .flat_map(|ceiling| (0..tries).map(move |seed| (ceiling, seed)))
        .map(|(ceiling, seed)| search.run(ceiling, seed))
        .min_by_key(|tables| tables.iter().map(|table| cost(domain, &table.clique, BIT)).sum::<u64>())
        .unwrap_or_default()
}

/// All attributes in order, neighbouring binary ones in groups.
fn groups_of_bits(domain: &Domain) -> Vec<Vec<AttributeId>> {
    let mut groups: Vec<Vec<AttributeId>> = vec![];
    for attribute in domain.attributes() {
        match groups.last_mut() {
            Some(group) if group.len() < GROUP && domain.size(attribute) == 2 && domain.size(group[0]) == 2 => {
                group.push(attribute);
            }
            _ => groups.push(vec![attribute]),
        }
    }
    groups
}

/// A cover whose tables hold groups as a whole.
fn cover_by_groups(domain: &Domain, wanted: &[Clique], groups: &[Vec<AttributeId>]) -> Vec<CoverTable> {
    let mut group_of = vec![AttributeId::new(0); domain.len()];
    for (position, group) in groups.iter().enumerate() {
        for attribute in group {
            group_of[attribute.index()] = AttributeId::new(position);
        }
    }
    let size = |group: &Vec<AttributeId>| group.iter().map(|&attribute| domain.size(attribute)).product();
    let sizes = Domain::new(groups.iter().map(size).collect()).expect("a group has at most 64 values");
    let in_groups = |clique: &Clique| Clique::new(clique.attributes().iter().map(|member| group_of[member.index()]));
    let tables = search(&sizes, &wanted.iter().map(in_groups).collect::<Vec<_>>());
    let members =
        |clique: &Clique| Clique::new(clique.attributes().iter().flat_map(|group| &groups[group.index()]).copied());
    tables.into_iter().map(|table| CoverTable { clique: members(&table.clique), serves: table.serves }).collect()
}

/// What a row costs, in picoseconds, as measured on one core of a Xeon with 48 KiB of first-level cache. Only ratios
/// matter. `bit` is the part of a binary column among several.
fn cost(domain: &Domain, clique: &Clique, bit: u64) -> u64 {
    let cells = cells(domain, clique);
    let increment = match cells {
        0..=4_096 => 420,
        4_097..=8_192 => 520,
        8_193..=16_384 => 970,
        16_385..=65_536 => 1_400,
        65_537..=1_000_000 => 2_100,
        _ => 10_000,
    };
    // Every axis is a multiplication and an addition on eight rows at a time, but binary ones are cheaper; every cell is
    // emptied once per block.
    let bits = clique.attributes().iter().filter(|&&attribute| domain.size(attribute) == 2).count() as u64;
    let others = clique.len() as u64 - bits;
    increment + 45 * others + bit * bits + cells.min(1 << 16) / 64
}

fn cells(domain: &Domain, clique: &Clique) -> u64 {
    u64::try_from(domain.cells(clique)).unwrap_or(u64::MAX)
}

/// What all searches have in common.
struct Search<'a> {
    domain: &'a Domain,
    wanted: &'a [Clique],
    /// Of each attribute, the wanted cliques that contain it.
    containing: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    fn new(domain: &'a Domain, wanted: &'a [Clique]) -> Self {
        let mut containing = vec![vec![]; domain.len()];
        for (position, clique) in wanted.iter().enumerate() {
            for attribute in clique.attributes() {
                containing[attribute.index()].push(position);
            }
        }
        Self { domain, wanted, containing }
    }

    fn run(&self, ceiling: u64, seed: u64) -> Vec<CoverTable> {
        let mut order: Vec<usize> = (0..self.wanted.len()).collect();
        order.sort_by_cached_key(|&wanted| (Reverse(cells(self.domain, &self.wanted[wanted])), mix(seed, wanted)));
        let mut open = vec![true; self.wanted.len()];
        let mut table = Growing::new(self, seed);
        let mut tables: Vec<CoverTable> = vec![];
        for first in order {
            if !open[first] {
                continue;
            }
            match tables.last_mut() {
                // Every table knows the number of rows.
                Some(any) if self.wanted[first].is_empty() => any.serves.push(first),
                _ => tables.push(table.grow(first, ceiling, &mut open)),
            }
        }
        tables
    }

    /// What closing a clique is worth. Half of the searches find large cliques worth more: fewer tables have room for them.
    fn worth(&self, wanted: usize, seed: u64) -> u64 {
        let levels = cells(self.domain, &self.wanted[wanted]).max(2).ilog2();
        if seed.is_multiple_of(2) { 1 } else { levels.into() }
    }
}

/// A table in the making; its memory is used again for the next one.
struct Growing<'a> {
    search: &'a Search<'a>,
    seed: u64,
    attributes: Vec<AttributeId>,
    serves: Vec<usize>,
    inside: Vec<bool>,
    /// How many attributes of each open clique are inside.
    present: Vec<usize>,
    /// The worth of all that adding an attribute would close.
    gain: Vec<u64>,
    /// The attributes with a gain.
    candidates: Vec<AttributeId>,
}

impl<'a> Growing<'a> {
    fn new(search: &'a Search<'a>, seed: u64) -> Self {
        Self {
            search,
            seed,
            attributes: vec![],
            serves: vec![],
            inside: vec![false; search.domain.len()],
            present: vec![0; search.wanted.len()],
            gain: vec![0; search.domain.len()],
            candidates: vec![],
        }
    }

    /// A table that holds the clique `first`, and as many open ones as fit below the ceiling.
    fn grow(&mut self, first: usize, ceiling: u64, open: &mut [bool]) -> CoverTable {
        let Search { domain, wanted, .. } = *self.search;
        for &attribute in wanted[first].attributes() {
            self.add(attribute, open);
        }
        let mut size = cells(domain, &wanted[first]);
        if size > MOST_CELLS_SUMMED {
            // What else was closed is better counted by itself.
            for served in self.serves.extract_if(.., |served| wanted[*served] != wanted[first]) {
                open[served] = true;
            }
        }
        if wanted[first].is_empty() {
            open[first] = false;
            self.serves.push(first);
        }
        while let Some(best) = self.best(|attribute| size.saturating_mul(domain.size(attribute).into()) <= ceiling) {
            size *= u64::from(domain.size(best));
            self.add(best, open);
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
    fn add(&mut self, attribute: AttributeId, open: &mut [bool]) {
        self.attributes.push(attribute);
        self.inside[attribute.index()] = true;
        self.gain[attribute.index()] = 0;
        self.candidates.retain(|&candidate| candidate != attribute);
        for &wanted in &self.search.containing[attribute.index()] {
            if !open[wanted] {
                continue;
            }
            self.present[wanted] += 1;
            let clique = self.search.wanted[wanted].attributes();
            match clique.len() - self.present[wanted] {
                0 => {
                    open[wanted] = false;
                    self.serves.push(wanted);
                }
                1 => {
                    let missing = clique.iter().find(|attribute| !self.inside[attribute.index()]);
                    let missing = *missing.expect("one attribute of the clique is not inside");
                    if self.gain[missing.index()] == 0 {
                        self.candidates.push(missing);
                    }
                    self.gain[missing.index()] += self.search.worth(wanted, self.seed);
                }
                _ => {}
            }
        }
    }

    /// The finished table, without attributes that serve nothing.
    fn finish(&mut self) -> CoverTable {
        for attribute in self.attributes.drain(..) {
            self.inside[attribute.index()] = false;
            self.search.containing[attribute.index()].iter().for_each(|&wanted| self.present[wanted] = 0);
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

    fn pairs(domain: &Domain) -> Vec<Clique> {
        let all: Vec<_> = domain.attributes().collect();
        all.iter().flat_map(|&a| all.iter().filter(move |&&b| a < b).map(move |&b| Clique::new([a, b]))).collect()
    }

    /// The cover, after checking that every clique is inside the one table that serves it.
    fn checked(domain: &Domain, wanted: &[Clique]) -> Vec<CoverTable> {
        let tables = cover(domain, wanted);
        let mut served = vec![0; wanted.len()];
        for table in &tables {
            for &position in &table.serves {
                served[position] += 1;
                let inside = |attribute| table.clique.attributes().contains(attribute);
                assert!(wanted[position].attributes().iter().all(inside));
            }
        }
        assert!(served.iter().all(|&times| times == 1));
        tables
    }

    #[test]
    fn few_tables_hold_all_pairs() {
        // At least 6 sets of twelve, 20 of six and 96 of three are needed to hold all pairs of 24 columns.
        for (size, most) in [(2, 6), (4, 25), (16, 100), (100, 276)] {
            let domain = Domain::new(vec![size; 24]).unwrap();
            let tables = checked(&domain, &pairs(&domain));
            assert!(tables.len() <= most, "{} tables for columns of {size}", tables.len());
        }
    }

    #[test]
    fn every_kind_of_question_is_served() {
        let domain = Domain::new(vec![2, 3, 1, 400, 700, 9, 2, 90]).unwrap();
        let clique = |members: &[usize]| Clique::new(members.iter().copied().map(AttributeId::new));
        checked(&domain, &[]);
        checked(&domain, &[Clique::empty()]);
        checked(&domain, &[Clique::empty(), Clique::empty(), clique(&[0])]);
        checked(&domain, &[clique(&[2]), Clique::empty()]);
        let large = [clique(&[3, 4]), clique(&[3]), clique(&[4]), clique(&[3, 4]), clique(&[3, 4, 6]), clique(&[0, 1])];
        let tables = checked(&domain, &large);
        // Nothing small is summed out of hundreds of thousands of cells.
        let of_large = tables.iter().filter(|table| cells(&domain, &table.clique) > MOST_CELLS_SUMMED);
        assert!(of_large.clone().count() == 2 && of_large.flat_map(|table| &table.serves).count() == 3);
        let mut all = pairs(&domain);
        all.extend([clique(&[0, 1, 5]), clique(&[1, 5, 6, 7]), clique(&[0, 1, 2, 5, 6]), Clique::empty()]);
        checked(&domain, &all);
    }

    #[test]
    fn one_question_has_one_cover() {
        let domain = Domain::new((2..40).collect()).unwrap();
        assert_eq!(cover(&domain, &pairs(&domain)), cover(&domain, &pairs(&domain)));
    }
}
