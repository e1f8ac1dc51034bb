//! Columns and their coarser versions, as one model has them.

use scumble_pgm::{ModelError, StructuralZeros};
use scumble_schema::{AttributeId, Clique, Domain, Recoding};

/// Most cells of the table of a column and a coarser version of it: every pass over a model goes through them.
const MOST_CELLS_OF_A_LINK: u128 = 1_000_000;

/// The columns that tell something, each with its coarser versions.
///
/// A coarser version is a column of the model like any other, and follows from the next finer one: all other combinations of the
/// two are impossible. So a table may take a large column in a few groups, and another table take it whole.
#[derive(Debug)]
pub(crate) struct Versions<'a> {
    recoding: &'a Recoding,
    /// For every column of more than one code, itself and its coarser versions.
    columns: Vec<Vec<AttributeId>>,
    links: Vec<StructuralZeros>,
}

impl<'a> Versions<'a> {
    pub(crate) fn new(recoding: &'a Recoding) -> Result<Self, ModelError> {
        let base = recoding.base();
        let columns: Vec<_> =
            base.attributes().filter(|&of| base.size(of) > 1).map(|of| ladder(recoding, of)).collect();
        let steps = columns.iter().flat_map(|versions| versions.windows(2));
        let links = steps.map(|step| link(recoding, step[0], step[1])).collect::<Result<_, _>>()?;
        Ok(Self { recoding, columns, links })
    }

    /// What [`Self::linked_cells`] of a recoding would be.
    pub(crate) fn least_cells(recoding: &Recoding) -> u128 {
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

    /// How many columns there are, whatever the number of their versions.
    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// A column and its coarser versions.
    pub(crate) fn of(&self, column: usize) -> &[AttributeId] {
        &self.columns[column]
    }

    /// A column and its coarsest version, which may be the same.
    pub(crate) fn ends_of(&self, column: usize) -> (AttributeId, AttributeId) {
        let versions = self.of(column);
        (versions[0], *versions.last().expect("never empty"))
    }

    /// The code of a coarser version for every code of a finer one.
    pub(crate) fn groups(&self, finer: AttributeId, coarser: AttributeId) -> Vec<u32> {
        self.recoding.groups(finer, coarser)
    }

    /// All versions of all columns.
    pub(crate) fn domain(&self) -> &'a Domain {
        self.recoding.domain()
    }

    /// What a coarser version can be, given the next finer one.
    pub(crate) fn links(&self) -> &[StructuralZeros] {
        &self.links
    }

    /// Cells of a model of columns that are linked to their coarser versions and to nothing else.
    pub(crate) fn linked_cells(&self) -> u128 {
        Self::least_cells(self.recoding)
    }

    /// The finest version of each column, on its own.
    pub(crate) fn one_way(&self) -> Vec<Clique> {
        self.columns.iter().map(|versions| Clique::single(versions[0])).collect()
    }
}

/// A column and its coarser versions, each small enough to be linked to the one before. Versions that are not are left out: those
/// of very many codes.
fn ladder(recoding: &Recoding, of: AttributeId) -> Vec<AttributeId> {
    let domain = recoding.domain();
    let mut ladder = vec![of];
    for coarse in domain.attributes().filter(|&column| column != of && recoding.of(column) == of) {
        if cells_of_link(domain, *ladder.last().expect("never empty"), coarse) <= MOST_CELLS_OF_A_LINK {
            ladder.push(coarse);
        }
    }
    ladder
}

fn cells_of_link(domain: &Domain, fine: AttributeId, coarse: AttributeId) -> u128 {
    u128::from(domain.size(fine)) * u128::from(domain.size(coarse))
}

/// Which pairs of codes of a column and of a coarser version of it can be: one for each code of the column.
fn link(recoding: &Recoding, fine: AttributeId, coarse: AttributeId) -> Result<StructuralZeros, ModelError> {
    let domain = recoding.domain();
    let groups = recoding.groups(fine, coarse);
    let clique = Clique::new([fine, coarse]);
    // The order of cells is that of the clique's columns; base columns come before coarser ones, and those before still coarser ones.
    debug_assert_eq!(clique.attributes(), [fine, coarse]);
    let groups_count = domain.size(coarse);
    let possible: Vec<bool> =
        groups.iter().flat_map(|&group| (0..groups_count).map(move |other| other == group)).collect();
    StructuralZeros::new(domain, clique, &possible)
}

#[cfg(test)]
mod tests {
    use scumble_pgm::JunctionTree;

    use super::*;

    #[test]
    fn a_coarser_version_follows_from_the_finer_one() {
        let base = Domain::new(vec![1, 3, 9]).unwrap();
        let recoding = Recoding::with_coarser(&base, 3, 4).unwrap();
        let versions = Versions::new(&recoding).unwrap();
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
        let versions = Versions::new(&recoding).unwrap();
        let sizes =
            |column| versions.of(column).iter().map(|&version| recoding.domain().size(version)).collect::<Vec<_>>();
        assert_eq!([sizes(0), sizes(1), sizes(2)], [vec![100_000], vec![5_000, 20], vec![70, 5]]);
        let links: Vec<Clique> = versions.links().iter().map(|link| link.clique().clone()).collect();
        assert_eq!(versions.linked_cells(), JunctionTree::predicted_cells(recoding.domain(), &links));
        assert_eq!(versions.links().len(), 2);
    }
}
