//! Columns and their coarser versions in one graphical model.

use scumble_pgm::{JunctionTree, ModelError, StructuralZeros};
use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};

use crate::learning::rules::cliques;

/// Maximum number of cells of the table of a column and a coarser version of it. Every pass over a
/// model visits them.
const MAX_LINK_CELLS: u128 = 1_000_000;

/// The columns with two or more values, each with its coarser versions.
///
/// A coarser version is a column of the model like any other, and follows from the next finer one:
/// all other combinations of the two are impossible. So one table may have a large column in a few
/// groups, and another table the column itself.
#[derive(Debug)]
pub(crate) struct ColumnLevels<'a> {
    recoding: &'a Recoding,
    /// For every column of more than one code, itself and its coarser versions.
    columns: Vec<Vec<AttributeId>>,
    links: Vec<StructuralZeros>,
    /// Coarser versions that are one-to-one with another column by a rule.
    duplicates: Vec<AttributeId>,
    /// Number of cells of the tree of links and rules.
    linked_cells: u128,
}

impl<'a> ColumnLevels<'a> {
    /// Links the columns of a recoding to their coarser versions, and adds the combinations that
    /// rules forbid.
    ///
    /// A rule is moved to coarser versions of its columns where it distinguishes no values within
    /// their groups, so that tables over these versions need no larger cliques.
    pub(crate) fn new(recoding: &'a Recoding, rules: &[StructuralZeros]) -> Result<Self, ModelError> {
        let base = recoding.base();
        let columns: Vec<_> =
            base.attributes().filter(|&of| base.size(of) > 1).map(|of| ladder(recoding, of)).collect();
        let steps = columns.iter().flat_map(|versions| versions.windows(2));
        let mut links = steps.map(|step| link(recoding, step[0], step[1])).collect::<Result<Vec<_>, _>>()?;
        let mut duplicates = Vec::new();
        for rule in rules {
            let rule = of_coarsest_versions(recoding, rule)?;
            // Coarser versions come after all columns.
            if let &[one, other] = rule.clique().attributes()
                && recoding.of(one) == one
                && recoding.of(other) != other
                && is_one_to_one(&rule.possible().collect::<Vec<_>>(), recoding.domain().size(other) as usize)
            {
                duplicates.push(other);
            }
            links.push(rule);
        }
        let linked_cells = if rules.is_empty() {
            Self::linked_cells_without_rules(recoding)
        } else {
            JunctionTree::predicted_cells(recoding.domain(), &cliques(&links))
        };
        Ok(Self { recoding, columns, links, duplicates, linked_cells })
    }

    /// Computes [`Self::linked_cells`] of a recoding without rules.
    fn linked_cells_without_rules(recoding: &Recoding) -> u128 {
        let domain = recoding.domain();
        let of_column = |of| {
            let ladder = ladder(recoding, of);
            let linked: u128 = ladder.windows(2).map(|step| cells_of_link(domain, step[0], step[1])).sum();
            let is_alone = |column| recoding.of(column) == of && (ladder.len() == 1 || !ladder.contains(&column));
            let alone = domain.attributes().filter(|&column| is_alone(column));
            linked + alone.map(|column| u128::from(domain.size(column))).sum::<u128>()
        };
        recoding.base().attributes().map(of_column).sum()
    }

    /// Number of columns, without their coarser versions.
    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns a column and its coarser versions.
    pub(crate) fn of(&self, column: usize) -> &[AttributeId] {
        &self.columns[column]
    }

    /// Returns whether a coarser version is one-to-one with another column by a rule, so that a
    /// table of one is a table of the other.
    pub(crate) fn duplicates_a_column(&self, version: AttributeId) -> bool {
        self.duplicates.contains(&version)
    }

    /// Returns a column and its coarsest version, which may be the column itself.
    pub(crate) fn ends_of(&self, column: usize) -> (AttributeId, AttributeId) {
        let versions = self.of(column);
        (versions[0], *versions.last().expect("never empty"))
    }

    /// Returns the code of a coarser version for every code of a finer one.
    pub(crate) fn groups(&self, finer: AttributeId, coarser: AttributeId) -> Vec<u32> {
        self.recoding.groups(finer, coarser)
    }

    /// All versions of all columns.
    pub(crate) fn domain(&self) -> &'a Domain {
        self.recoding.domain()
    }

    /// Possible combinations of each coarser version with the next finer one, and those of the
    /// rules.
    pub(crate) fn links(&self) -> &[StructuralZeros] {
        &self.links
    }

    /// Returns whether there are rules besides the links between versions.
    pub(crate) fn has_rules(&self) -> bool {
        self.links.len() > self.columns.iter().map(|versions| versions.len() - 1).sum()
    }

    /// Returns the finest version of each column that has at most `max_size` codes, or its coarsest
    /// one.
    pub(crate) fn of_size(&self, max_size: u32) -> Vec<AttributeId> {
        let domain = self.domain();
        let version = |versions: &Vec<AttributeId>| {
            let small = versions.iter().find(|&&version| domain.size(version) <= max_size);
            *small.or(versions.last()).expect("never empty")
        };
        self.columns.iter().map(version).collect()
    }

    /// Number of cells of a model of nothing but links and rules.
    pub(crate) fn linked_cells(&self) -> u128 {
        self.linked_cells
    }

    /// Returns the finest version of each column.
    pub(crate) fn finest(&self) -> Vec<AttributeId> {
        self.columns.iter().map(|versions| versions[0]).collect()
    }

    /// Returns a table of its own for the finest version of each column.
    pub(crate) fn one_way(&self) -> Vec<Clique> {
        self.columns.iter().map(|versions| Clique::single(versions[0])).collect()
    }
}

/// Returns a column and its coarser versions, each small enough to be linked to the one before.
/// Larger versions are left out.
fn ladder(recoding: &Recoding, of: AttributeId) -> Vec<AttributeId> {
    let domain = recoding.domain();
    let mut ladder = vec![of];
    for coarse in domain.attributes().filter(|&column| column != of && recoding.of(column) == of) {
        if cells_of_link(domain, *ladder.last().expect("never empty"), coarse) <= MAX_LINK_CELLS {
            ladder.push(coarse);
        }
    }
    ladder
}

/// Returns whether a table allows exactly one code of either column for each code of the other.
fn is_one_to_one(possible: &[bool], others: usize) -> bool {
    let is_one = |codes: &mut dyn Iterator<Item = bool>| codes.filter(|possible| *possible).count() == 1;
    let rows = possible.len() / others;
    (0..rows).all(|row| is_one(&mut possible[row * others..][..others].iter().copied()))
        && (0..others).all(|other| is_one(&mut possible.iter().skip(other).step_by(others).copied()))
}

/// Moves a rule to the coarsest version of each of its columns within whose groups it distinguishes
/// no values.
fn of_coarsest_versions(recoding: &Recoding, rule: &StructuralZeros) -> Result<StructuralZeros, ModelError> {
    let domain = recoding.domain();
    let possible: Vec<bool> = rule.possible().collect();
    let columns = rule.clique().attributes();
    let mut versions: Vec<(AttributeId, Vec<usize>)> = Vec::with_capacity(columns.len());
    for (&column, stride) in columns.iter().zip(cells::strides(domain, rule.clique())) {
        let size = domain.size(column) as usize;
        // Starts of the runs of cells that have a code.
        let cells =
            |code: usize| (0..possible.len() / (size * stride)).map(move |block| (block * size + code) * stride);
        let is_same = |one: usize, other: usize| {
            cells(one)
                .zip(cells(other))
                .all(|(one, other)| possible[one..one + stride] == possible[other..other + stride])
        };
        // The first code of each group, if the rule distinguishes no values within groups.
        let first_codes = |version: AttributeId| {
            let groups = recoding.groups(column, version);
            let mut first: Vec<Option<usize>> = vec![None; domain.size(version) as usize];
            for (code, &group) in groups.iter().enumerate() {
                let first = *first[group as usize].get_or_insert(code);
                if !is_same(first, code) {
                    return None;
                }
            }
            first.into_iter().map(|code| code.map(|code| code * stride)).collect::<Option<Vec<_>>>()
        };
        let coarser = ladder(recoding, column).into_iter().skip(1).rev();
        let coarsest = coarser.into_iter().find_map(|version| Some((version, first_codes(version)?)));
        versions.push(coarsest.unwrap_or_else(|| (column, (0..size).map(|code| code * stride).collect())));
    }
    versions.sort_unstable_by_key(|&(version, _)| version);
    let clique = Clique::new(versions.iter().map(|&(version, _)| version));
    // For each cell of the new table, the cell of the old one that it stands for.
    let cells = versions.iter().fold(vec![0_usize], |cells, (_, steps)| {
        cells.iter().flat_map(|cell| steps.iter().map(move |step| cell + step)).collect()
    });
    let possible: Vec<bool> = cells.into_iter().map(|cell| possible[cell]).collect();
    StructuralZeros::new(domain, clique, &possible)
}

fn cells_of_link(domain: &Domain, fine: AttributeId, coarse: AttributeId) -> u128 {
    u128::from(domain.size(fine)) * u128::from(domain.size(coarse))
}

/// Returns the possible pairs of codes of a column and a coarser version: one for each code of the
/// column.
fn link(recoding: &Recoding, fine: AttributeId, coarse: AttributeId) -> Result<StructuralZeros, ModelError> {
    let domain = recoding.domain();
    let groups = recoding.groups(fine, coarse);
    let clique = Clique::new([fine, coarse]);
    // Cells are in the order of the clique's columns, and finer columns come before coarser ones.
    debug_assert_eq!(clique.attributes(), [fine, coarse]);
    let groups_count = domain.size(coarse);
    let possible: Vec<bool> =
        groups.iter().flat_map(|&group| (0..groups_count).map(move |other| other == group)).collect();
    StructuralZeros::new(domain, clique, &possible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarser_version_follows_from_the_finer_one() {
        let base = Domain::new(vec![1, 3, 9]).unwrap();
        let recoding = Recoding::with_coarser(&base, 3, 4).unwrap();
        let versions = ColumnLevels::new(&recoding, &[]).unwrap();
        assert_eq!(versions.columns(), 2);
        assert_eq!(versions.of(0), [AttributeId::new(1)]);
        assert_eq!(versions.of(1), [AttributeId::new(2), AttributeId::new(3)]);
        let one_way: Vec<Clique> = [1, 2].map(|column| Clique::single(AttributeId::new(column))).into();
        assert_eq!(versions.one_way(), one_way);
        let [link] = versions.links() else { panic!("one column has a coarser version") };
        let possible: Vec<bool> = (0..9).flat_map(|code| (0..3).map(move |group| code / 3 == group)).collect();
        assert_eq!(*link, StructuralZeros::new(recoding.domain(), link.clique().clone(), &possible).unwrap());
    }

    #[test]
    fn versions_too_large_to_be_linked_are_left_out() {
        // In groups of 16: 6250, 391 and 25.
        let base = Domain::new(vec![100_000, 5_000, 70]).unwrap();
        let recoding = Recoding::with_coarser(&base, 16, 64).unwrap();
        assert_eq!(recoding.domain().sizes(), [100_000, 5_000, 70, 6_250, 391, 25, 313, 20, 5]);
        let versions = ColumnLevels::new(&recoding, &[]).unwrap();
        let sizes =
            |column| versions.of(column).iter().map(|&version| recoding.domain().size(version)).collect::<Vec<_>>();
        assert_eq!([sizes(0), sizes(1), sizes(2)], [vec![100_000], vec![5_000, 20], vec![70, 5]]);
        let links: Vec<Clique> = versions.links().iter().map(|link| link.clique().clone()).collect();
        assert_eq!(versions.linked_cells(), JunctionTree::predicted_cells(recoding.domain(), &links));
        assert_eq!(versions.links().len(), 2);
    }

    #[test]
    fn a_rule_that_distinguishes_no_values_within_groups_moves_to_the_groups() {
        let base = Domain::new(vec![4, 3]).unwrap();
        let levels: Vec<(AttributeId, Vec<Box<[u32]>>)> = vec![(AttributeId::new(0), vec![Box::new([0, 0, 1, 1])])];
        let recoding = Recoding::identity(&base).and_levels(levels).unwrap();
        let both = Clique::new([0, 1].map(AttributeId::new));
        let rule = |possible: &[bool]| StructuralZeros::new(&base, both.clone(), possible).unwrap();
        // The second column is 2 exactly where the first is one of the last two.
        let nested = rule(&[true, true, false, true, true, false, false, false, true, false, false, true]);
        let versions = ColumnLevels::new(&recoding, std::slice::from_ref(&nested)).unwrap();
        let pair = Clique::new([1, 2].map(AttributeId::new));
        // Groups come last in the model, so the second column is the first axis.
        let expected = StructuralZeros::new(recoding.domain(), pair, &[true, false, true, false, false, true]).unwrap();
        assert_eq!(versions.links()[1], expected);
        // This rule forbids a combination to one of the first two values only.
        let fine = rule(&[false, true, true, true, true, true, true, true, true, true, true, true]);
        assert_eq!(ColumnLevels::new(&recoding, std::slice::from_ref(&fine)).unwrap().links()[1], fine);
        assert!(!versions.duplicates_a_column(AttributeId::new(2)));
        assert!(versions.linked_cells() < ColumnLevels::new(&recoding, &[fine]).unwrap().linked_cells());
    }

    #[test]
    fn groups_that_are_one_to_one_with_a_column_duplicate_it() {
        let base = Domain::new(vec![4, 2]).unwrap();
        let levels: Vec<(AttributeId, Vec<Box<[u32]>>)> = vec![(AttributeId::new(0), vec![Box::new([0, 0, 1, 1])])];
        let recoding = Recoding::identity(&base).and_levels(levels).unwrap();
        let both = Clique::new([0, 1].map(AttributeId::new));
        // The second column is the group of the first, counted from the other end.
        let rule = StructuralZeros::new(&base, both, &[false, true, false, true, true, false, true, false]).unwrap();
        assert!(ColumnLevels::new(&recoding, &[rule]).unwrap().duplicates_a_column(AttributeId::new(2)));
    }
}
