//! Candidates of a network: maximal parent sets, all of them or those within one table.

use scumble_schema::{AttributeId, Clique};

use super::bound::Bound;
use super::columns::Columns;

/// Maximum sum of the columns of all sets that fit a table, up to which all parent sets are
/// candidates. That many columns are read to count every table. The sets of up to three out of 100
/// binary columns have 495,100, which takes about 15 seconds for 20,000 rows.
const MAX_READ_COLUMNS: usize = 1 << 19;
/// Maximum sum of the cells of those tables, up to which all parent sets are candidates.
const MAX_TOTAL_CELLS: u128 = 1 << 27;

/// A child and its parents.
pub(crate) type Candidate = (AttributeId, Clique);

/// Columns that may be parents together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All columns of the network.
    Anywhere,
    /// Columns of one table of the network: for `t` tables at most `t (k + 1)` sets of `k` parents,
    /// and no clique of the moral graph is larger than a table.
    WithinOneTable,
}

impl Reach {
    /// Returns the widest reach that the limits on work allow. It depends on public sizes only.
    pub(crate) fn affordable(columns: &Columns, learned: &[AttributeId], bound: Bound) -> Self {
        let mut fitting = Fitting { columns, bound, read: 0, cells: 0 };
        if fitting.count(learned, 0, 1) { Self::Anywhere } else { Self::WithinOneTable }
    }
}

/// Sums over the sets of columns that fit a table, in all their versions.
struct Fitting<'a> {
    columns: &'a Columns<'a>,
    bound: Bound,
    /// Sum of the columns of all sets.
    read: usize,
    cells: u128,
}

impl Fitting<'_> {
    /// Adds the sets that extend one of `size` columns and `cells` cells by the columns in `left`.
    /// Returns whether the sums are within their limits.
    fn count(&mut self, left: &[AttributeId], size: usize, cells: u128) -> bool {
        if size > self.bound.parents {
            return true;
        }
        left.iter().enumerate().all(|(place, &column)| {
            self.columns.versions(column).iter().all(|&version| {
                let grown = cells * u128::from(self.columns.domain().size(version));
                if grown > self.bound.cells {
                    return true;
                }
                self.read += size + 1;
                self.cells += grown;
                let is_within = self.read <= MAX_READ_COLUMNS && self.cells <= MAX_TOTAL_CELLS;
                is_within && self.count(&left[place + 1..], size + 1, grown)
            })
        })
    }
}

/// Returns the maximal parent sets of `child` among known columns, each given by its versions,
/// coarsest first. A set has at most one version of a column, fits the bound, and no longer fits
/// with one more column or a finer version.
///
/// # Reference
/// 2014, Algorithm 2, line 5: for a degree, the sets of k known columns, or of all as long as those
/// are fewer. For a limit on cells, the maximal parent sets of the 2017 journal version.
fn maximal_parents(columns: &Columns, bound: Bound, child: AttributeId, known: &[&[AttributeId]]) -> Vec<Clique> {
    let room = bound.cells / u128::from(columns.domain().size(child));
    let mut search = Search { columns, bound, room, known, chosen: vec![None; known.len()], found: Vec::new() };
    search.descend(0, 0, 1);
    search.found
}

struct Search<'a> {
    columns: &'a Columns<'a>,
    bound: Bound,
    /// Maximum number of cells of the parents.
    room: u128,
    known: &'a [&'a [AttributeId]],
    /// The version of every known column that is a parent.
    chosen: Vec<Option<usize>>,
    found: Vec<Clique>,
}

impl Search<'_> {
    fn size(&self, place: usize, version: usize) -> u128 {
        self.columns.domain().size(self.known[place][version]).into()
    }

    fn descend(&mut self, place: usize, parents: usize, cells: u128) {
        if place == self.known.len() || parents == self.bound.parents {
            if parents > 0 && self.is_maximal(parents, cells) {
                let chosen = self.chosen.iter().zip(self.known);
                let parents = chosen.filter_map(|(version, versions)| version.map(|version| versions[version]));
                self.found.push(Clique::new(parents));
            }
            return;
        }
        for version in 0..self.known[place].len() {
            let grown = cells * self.size(place, version);
            if grown <= self.room {
                self.chosen[place] = Some(version);
                self.descend(place + 1, parents + 1, grown);
            }
        }
        self.chosen[place] = None;
        self.descend(place + 1, parents, cells);
    }

    /// Returns whether neither a further column nor a finer version fits.
    fn is_maximal(&self, parents: usize, cells: u128) -> bool {
        (0..self.known.len()).all(|place| {
            let grown = match self.chosen[place] {
                Some(version) if version + 1 < self.known[place].len() => {
                    cells / self.size(place, version) * self.size(place, version + 1)
                }
                None if parents < self.bound.parents => cells * self.size(place, 0),
                _ => return true,
            };
            grown > self.room
        })
    }
}

/// Returns the candidates of one step: every maximal parent set of every column in `left`, among
/// the columns of `pairs`.
pub(crate) fn candidates(
    columns: &Columns,
    bound: Bound,
    reach: Reach,
    pairs: &[Candidate],
    left: &[AttributeId],
) -> Vec<Candidate> {
    let sources: Vec<Vec<&[AttributeId]>> = match reach {
        Reach::Anywhere => vec![pairs.iter().map(|(child, _)| columns.versions(*child)).collect()],
        Reach::WithinOneTable => {
            let tables = largest(pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child))));
            let versions = |table: &Clique| table.attributes().iter().map(|&column| columns.no_finer(column)).collect();
            tables.iter().map(versions).collect()
        }
    };
    let mut found = Vec::new();
    for &child in left {
        let parents = sources.iter().flat_map(|known| maximal_parents(columns, bound, child, known));
        found.extend(parents.map(|parents| (child, parents)));
    }
    // Tables overlap, so a candidate may be found twice.
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the maximal sets, each once and in the order of their first appearance.
fn largest(cliques: impl IntoIterator<Item = Clique>) -> Vec<Clique> {
    let mut largest: Vec<Clique> = Vec::new();
    for clique in cliques {
        if !largest.iter().any(|other| other.holds(&clique)) {
            largest.retain(|other| !clique.holds(other));
            largest.push(clique);
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use scumble_schema::{Domain, Recoding};

    use super::*;

    fn recodings() -> Vec<Recoding> {
        let domain = Domain::new(vec![2, 9, 3, 2, 5, 7]).unwrap();
        let binary = Domain::new(vec![2; 6]).unwrap();
        vec![
            Recoding::identity(&domain),
            Recoding::identity(&binary),
            Recoding::with_coarser(&domain, 2, 4).unwrap(),
            Recoding::binary(&Domain::new(vec![4, 5]).unwrap()).unwrap(),
        ]
    }

    fn bounds() -> Vec<Bound> {
        let degrees = [1, 2, 3].map(Bound::of_degree);
        let cells = [1, 10, 40, 200, 5_000].map(|cells| Bound { parents: usize::MAX, cells });
        [&degrees[..], &cells[..], &[Bound { parents: 2, cells: 40 }]].concat()
    }

    /// Every set of versions of the known columns.
    fn every_set(known: &[&[AttributeId]]) -> Vec<Vec<AttributeId>> {
        known.iter().fold(vec![vec![]], |sets, versions| {
            let with = |set: &Vec<AttributeId>, version| [&set[..], &[version]].concat();
            let grown = sets.iter().flat_map(|set| versions.iter().map(move |&version| with(set, version)));
            sets.iter().cloned().chain(grown).collect()
        })
    }

    #[test]
    fn maximal_parents_are_those_that_brute_force_finds() {
        for recoding in recodings() {
            let columns = Columns::new(&recoding);
            let drawn: Vec<AttributeId> = columns.drawn().collect();
            let (child, rest) = drawn.split_first().unwrap();
            let known: Vec<&[AttributeId]> = rest.iter().map(|&column| columns.versions(column)).collect();
            for bound in bounds() {
                let cells =
                    |set: &[AttributeId]| columns.domain().cells(&Clique::new(set.iter().copied().chain([*child])));
                let fits = |set: &Vec<AttributeId>| set.len() <= bound.parents && cells(set) <= bound.cells;
                let fitting: Vec<Vec<AttributeId>> = every_set(&known).into_iter().filter(fits).collect();
                let is_maximal = |set: &&Vec<AttributeId>| {
                    let smaller = Clique::new(set.iter().copied());
                    let larger = |other: &&Vec<AttributeId>| {
                        *other != *set && columns.follows(&smaller, &Clique::new(other.iter().copied()))
                    };
                    !set.is_empty() && !fitting.iter().any(|other| larger(&other))
                };
                let mut expected: Vec<Clique> =
                    fitting.iter().filter(is_maximal).map(|set| Clique::new(set.iter().copied())).collect();
                let mut found = maximal_parents(&columns, bound, *child, &known);
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{bound:?} of {recoding:?}");
            }
        }
    }

    #[test]
    fn parents_within_one_table_are_in_one() {
        let recoding = &recodings()[1];
        let columns = Columns::new(recoding);
        let set = |indices: &[usize]| Clique::new(indices.iter().copied().map(AttributeId::new));
        let pairs = [(0, set(&[])), (1, set(&[0])), (2, set(&[0, 1])), (3, set(&[0, 2]))]
            .map(|(child, parents)| (AttributeId::new(child), parents));
        let left = [4, 5].map(AttributeId::new);
        let bound = Bound::of_degree(2);
        let found = candidates(&columns, bound, Reach::WithinOneTable, &pairs, &left);
        // Pairs out of 0 1 2 and 0 2 3, of which 0 2 is one of both.
        let parents = [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]].map(|parents| set(&parents));
        let expected: Vec<Candidate> =
            left.into_iter().flat_map(|child| parents.clone().map(|parents| (child, parents))).collect();
        assert_eq!(found, expected);
        let anywhere = candidates(&columns, bound, Reach::Anywhere, &pairs, &left);
        assert_eq!(anywhere.len(), 2 * 6);
        assert!(found.iter().all(|candidate| anywhere.contains(candidate)));
    }

    #[test]
    fn all_parent_sets_of_a_hundred_binary_columns_are_candidates_at_degree_two_and_not_at_three() {
        let recoding = Recoding::identity(&Domain::new(vec![2; 100]).unwrap());
        let columns = Columns::new(&recoding);
        let drawn: Vec<AttributeId> = columns.drawn().collect();
        let reach = |degree| Reach::affordable(&columns, &drawn, Bound::of_degree(degree));
        assert_eq!([reach(2), reach(3)], [Reach::Anywhere, Reach::WithinOneTable]);
    }
}
