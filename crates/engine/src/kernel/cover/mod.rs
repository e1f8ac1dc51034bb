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
//! Neighbouring columns are also tried in groups of few cells, each taken as one column. The tables are then not always the
//! fewest, but all tables with a group share the work of putting its bits together, and cliques that touch the same
//! groups are one: of 161,700 triples of 100 binary columns, 2,925 are left. A search may look at every clique so many
//! times and no more, so that planning takes time in proportion to the question.
//!
//! The choice is made from public facts alone: sizes of domains and the cliques asked for. The number of rows is private
//! and has no part in it.

mod distinct;
mod groups;
mod search;

use scumble_schema::{AttributeId, Clique, Domain};

use self::distinct::Distinct;
use self::groups::Groups;
use self::search::search;
use super::plan::SMALL_CELLS;

/// Most cells of a group to try: two, three, four and six groups are a table of 4,096 cells.
const GROUP_CELLS: [u32; 4] = [64, 16, 8, 4];
/// How many bits of a long run are put together where tables have no groups in common.
const BITS_TOGETHER: usize = 6;
/// What a binary column adds to the cost of a table: if its bits are put together for this table, and if that is shared.
const BIT: u64 = 20;
const SHARED_BIT: u64 = 8;

/// Tables that together contain every clique of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) tables: Vec<CoverTable>,
    /// Where to cut a long run of binary columns, so that tables have its parts in common.
    pub(crate) shared_bits: usize,
}

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
pub(crate) fn cover(domain: &Domain, wanted: &[Clique]) -> Cover {
    let wanted = Distinct::of(wanted);
    let costs = |tables: &[CoverTable], bit| {
        tables.iter().map(|table| cost(domain, table.clique.attributes(), bit)).sum::<u64>()
    };
    let tables = search(domain, &wanted, BIT);
    let mut least = costs(&tables, BIT);
    let mut best = Cover { tables, shared_bits: BITS_TOGETHER };
    for most in GROUP_CELLS {
        let Some(tables) = Groups::of(domain, wanted.cliques(), most).and_then(|groups| groups.cover(&wanted)) else {
            continue;
        };
        // A clique with attributes of many groups would bring all of them in.
        let is_small = |table: &CoverTable| cells(domain, table.clique.attributes()) <= SMALL_CELLS as u64;
        let cost = costs(&tables, SHARED_BIT);
        if cost < least && tables.iter().all(is_small) {
            least = cost;
            best = Cover { tables, shared_bits: most.ilog2() as usize };
        }
    }
    best
}

/// What a row costs, in picoseconds, as measured on one core of a Xeon with 48 KiB of first-level cache. Only ratios
/// matter. `bit` is the part of a binary column among several.
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
    // Every axis is a multiplication and an addition on eight rows at a time, but binary ones are cheaper; every cell is
    // emptied once per block.
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

    /// The cover, after checking that every clique is inside the one table that serves it.
    fn checked(domain: &Domain, wanted: &[Clique]) -> Vec<CoverTable> {
        let tables = cover(domain, wanted).tables;
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
        let of_large =
            tables.iter().filter(|table| cells(&domain, table.clique.attributes()) > search::MOST_CELLS_SUMMED);
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

    #[test]
    fn few_tables_hold_the_cliques_of_large_questions() {
        let triples = |columns: usize| {
            let all = (0..columns).map(AttributeId::new);
            let pairs = all.flat_map(|a| (a.index() + 1..columns).map(move |b| [a, AttributeId::new(b)]));
            let triples = pairs.flat_map(|[a, b]| (b.index() + 1..columns).map(move |c| [a, b, AttributeId::new(c)]));
            triples.map(Clique::new).collect::<Vec<_>>()
        };
        // At least 101 sets of twelve are needed to hold all triples of 52 columns, and 1,711 of six to hold those of 60.
        for (sizes, most) in [(vec![2; 52], 250), (vec![4; 60], 4_500)] {
            let domain = Domain::new(sizes).unwrap();
            let tables = checked(&domain, &triples(domain.len()));
            assert!(tables.len() <= most, "{} tables", tables.len());
        }
        // Two sets of six bits always fit twelve.
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
