//! Selects the tables to count, so that every requested table is a marginal of one of them.
//!
//! Counting a row into a table costs about the same whether the table has two axes or four, as long
//! as the table stays in the fastest cache. So a table over `{a, b, c}` gives the pairs `ab`, `ac`
//! and `bc` at the cost of one: about 100 triples cover the 276 pairs of 24 columns with 16 values
//! each, and six tables of twelve columns cover the 276 pairs of 24 binary columns.
//!
//! Finding the cheapest cover is hard (covering designs, even if all sizes are equal). This is a
//! greedy search: start a table with the largest open clique, add the attribute that closes the
//! most cliques, stop at a ceiling of cells; repeat until no clique is open. Several such searches,
//! with different ceilings and tie-breaking, are compared by their cost per row, and the cheapest
//! wins. Ties are broken by a fixed sequence, so a query always has the same cover.
//!
//! Neighbouring columns are also tried in groups of few cells, each treated as one column. This may
//! take more tables, but all tables with a group share the work of packing its bits, and cliques
//! that touch the same groups become one: 161,700 triples of 100 binary columns become 2,925. A
//! search visits each clique a bounded number of times, so planning time is proportional to the
//! size of the query.
//!
//! The selection uses public facts only: the sizes of domains and the requested cliques. The number
//! of rows is private and is not used.

mod distinct;
mod groups;
mod search;

use scumble_schema::{AttributeId, Clique, Domain};

use self::distinct::Distinct;
use self::groups::Groups;
use self::search::{search, search_to_send};
use super::plan::SMALL_CELLS;

/// Maximum cells of a group to try: two, three, four and six groups form a table of 4,096 cells.
const GROUP_CELLS: [u32; 4] = [64, 16, 8, 4];
/// Number of bits of a long run that are packed together if tables share no groups.
const BITS_TOGETHER: usize = 6;
/// Cost of a binary column in a table: if its bits are packed for this table alone, and if the
/// packing is shared.
const BIT: u64 = 20;
const SHARED_BIT: u64 = 8;

/// Tables that together contain every clique of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) tables: Vec<CoverTable>,
    /// Length of the pieces into which a long run of binary columns is cut, so that tables share
    /// them.
    pub(crate) shared_bits: usize,
}

/// A table to count row by row, and the requested cliques that are summed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoverTable {
    pub(crate) clique: Clique,
    /// Positions in the list of requested cliques.
    pub(crate) serves: Vec<usize>,
}

/// Returns few tables like [`cover`], with at most four times the cells of the requested ones: for
/// a database that sends every cell it counts.
pub(crate) fn cover_to_send(domain: &Domain, cliques: &[Clique]) -> Cover {
    Cover { tables: search_to_send(domain, &Distinct::of(cliques), BIT), shared_bits: BITS_TOGETHER }
}

/// Returns tables that together contain every clique of `cliques`, each of which is served once.
///
/// The number of cells of every clique must fit a `u64`.
pub(crate) fn cover(domain: &Domain, cliques: &[Clique]) -> Cover {
    let query = Distinct::of(cliques);
    let costs = |tables: &[CoverTable], bit| {
        tables.iter().map(|table| cost(domain, table.clique.attributes(), bit)).sum::<u64>()
    };
    let tables = search(domain, &query, BIT);
    let mut least = costs(&tables, BIT);
    let mut best = Cover { tables, shared_bits: BITS_TOGETHER };
    for max_cells in GROUP_CELLS {
        let Some(tables) = Groups::of(domain, query.cliques(), max_cells).and_then(|groups| groups.cover(&query))
        else {
            continue;
        };
        // A clique with attributes of many groups would include all of these groups.
        let is_small = |table: &CoverTable| cells(domain, table.clique.attributes()) <= SMALL_CELLS as u64;
        let cost = costs(&tables, SHARED_BIT);
        if cost < least && tables.iter().all(is_small) {
            least = cost;
            best = Cover { tables, shared_bits: max_cells.ilog2() as usize };
        }
    }
    best
}

/// Cost of a row in picoseconds, as measured on one core of a Xeon with 48 KiB of first-level
/// cache. Only ratios matter. `bit` is the cost of a binary column among several.
fn cost(domain: &Domain, clique: &[AttributeId], bit: u64) -> u64 {
    let cells = cells(domain, clique);
    let increment = match cells {
        0..=4_096 => 420,
        4_097..=8_192 => 520,
        8_193..=16_384 => 970,
        16_385..=65_536 => 1_400,
        65_537..=1_000_000 => 2_100,
        _ => 10_000,
    };
    // Every axis is a multiplication and an addition on eight rows at a time; binary axes are
    // cheaper. Every cell is reset once per block.
    let bits = clique.iter().filter(|&&attribute| domain.size(attribute) == 2).count() as u64;
    let others = clique.len() as u64 - bits;
    increment + 45 * others + bit * bits + cells.min(1 << 16) / 64
}

fn cells(domain: &Domain, clique: &[AttributeId]) -> u64 {
    clique.iter().fold(1, |cells, &attribute| cells.saturating_mul(domain.size(attribute).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(domain: &Domain) -> Vec<Clique> {
        let all: Vec<_> = domain.attributes().collect();
        all.iter().flat_map(|&a| all.iter().filter(move |&&b| a < b).map(move |&b| Clique::new([a, b]))).collect()
    }

    /// Returns the cover, after checking that every clique is contained in the one table that
    /// serves it.
    fn checked(domain: &Domain, cliques: &[Clique]) -> Vec<CoverTable> {
        let tables = cover(domain, cliques).tables;
        let mut served = vec![0; cliques.len()];
        for table in &tables {
            for &position in &table.serves {
                served[position] += 1;
                let inside = |attribute| table.clique.attributes().contains(attribute);
                assert!(cliques[position].attributes().iter().all(inside));
            }
        }
        assert!(served.iter().all(|&times| times == 1));
        tables
    }

    #[test]
    fn few_tables_hold_all_pairs() {
        // All pairs of 24 columns need at least 6 sets of twelve, 20 of six or 96 of three.
        for (size, max_tables) in [(2, 6), (4, 25), (16, 100), (100, 276)] {
            let domain = Domain::new(vec![size; 24]).unwrap();
            let tables = checked(&domain, &pairs(&domain));
            assert!(tables.len() <= max_tables, "{} tables for columns of {size}", tables.len());
        }
    }

    #[test]
    fn every_kind_of_query_is_served() {
        let domain = Domain::new(vec![2, 3, 1, 400, 700, 9, 2, 90]).unwrap();
        let clique = |members: &[usize]| Clique::new(members.iter().copied().map(AttributeId::new));
        checked(&domain, &[]);
        checked(&domain, &[Clique::empty()]);
        checked(&domain, &[Clique::empty(), Clique::empty(), clique(&[0])]);
        checked(&domain, &[clique(&[2]), Clique::empty()]);
        let large = [clique(&[3, 4]), clique(&[3]), clique(&[4]), clique(&[3, 4]), clique(&[3, 4, 6]), clique(&[0, 1])];
        let tables = checked(&domain, &large);
        // No small table is summed from hundreds of thousands of cells.
        let of_large =
            tables.iter().filter(|table| cells(&domain, table.clique.attributes()) > search::MAX_SUMMED_CELLS);
        assert!(of_large.clone().count() == 2 && of_large.flat_map(|table| &table.serves).count() == 3);
        let mut all = pairs(&domain);
        all.extend([clique(&[0, 1, 5]), clique(&[1, 5, 6, 7]), clique(&[0, 1, 2, 5, 6]), Clique::empty()]);
        checked(&domain, &all);
    }

    #[test]
    fn one_query_has_one_cover() {
        let domain = Domain::new((2..40).collect()).unwrap();
        assert_eq!(cover(&domain, &pairs(&domain)), cover(&domain, &pairs(&domain)));
    }

    #[test]
    fn few_tables_hold_the_cliques_of_large_queries() {
        let triples = |columns: usize| {
            let all = (0..columns).map(AttributeId::new);
            let pairs = all.flat_map(|a| (a.index() + 1..columns).map(move |b| [a, AttributeId::new(b)]));
            let triples = pairs.flat_map(|[a, b]| (b.index() + 1..columns).map(move |c| [a, b, AttributeId::new(c)]));
            triples.map(Clique::new).collect::<Vec<_>>()
        };
        // All triples of 52 columns need at least 101 sets of twelve; those of 60 columns, 1,711 of
        // six.
        for (sizes, max_tables) in [(vec![2; 52], 250), (vec![4; 60], 4_500)] {
            let domain = Domain::new(sizes).unwrap();
            let tables = checked(&domain, &triples(domain.len()));
            assert!(tables.len() <= max_tables, "{} tables", tables.len());
        }
        // Two sets of six bits always fit into twelve.
        let domain = Domain::new(vec![2; 52]).unwrap();
        let sixes: Vec<Clique> = (0..5_000_usize)
            .map(|set| {
                Clique::new(
                    (0..6).map(|place| AttributeId::new((set * set + 31 * set * place + 7 * place * place) % 52)),
                )
            })
            .collect();
        let distinct = Distinct::of(&sixes).cliques().len();
        assert!(2 * checked(&domain, &sixes).len() <= distinct + 1);
    }
}
