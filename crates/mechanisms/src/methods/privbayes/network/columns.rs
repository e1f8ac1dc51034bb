//! The columns that a network is learned over, each with its coarser versions.

use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};

/// The columns of a recoding that a network draws, and the coarser versions that follow from them.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    recoding: &'a Recoding,
    /// For every column of the recoding its versions, coarsest first and itself last; empty for a
    /// column that is a coarser version.
    versions: Vec<Vec<AttributeId>>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(recoding: &'a Recoding) -> Self {
        let mut versions: Vec<Vec<AttributeId>> = vec![Vec::new(); recoding.domain().len()];
        for column in recoding.domain().attributes() {
            // A coarser version comes after the finer one, so the coarsest is met last.
            versions[finest(recoding, column).index()].insert(0, column);
        }
        Self { recoding, versions }
    }

    pub(crate) fn domain(&self) -> &Domain {
        self.recoding.domain()
    }

    /// Returns the columns that are drawn: all but coarser versions.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.domain().attributes().filter(|column| !self.versions[column.index()].is_empty())
    }

    /// The versions of a drawn column, coarsest first and itself last.
    pub(crate) fn versions(&self, drawn: AttributeId) -> &[AttributeId] {
        &self.versions[drawn.index()]
    }

    /// The versions of a column that are no finer than it, coarsest first.
    pub(crate) fn no_finer(&self, column: AttributeId) -> &[AttributeId] {
        let all = self.versions(finest(self.recoding, column));
        let place = all.iter().position(|&version| version == column).expect("a column is a version of its finest");
        &all[..=place]
    }

    /// Returns whether a table over `small` follows from one over `large`.
    pub(crate) fn follows(&self, small: &Clique, large: &Clique) -> bool {
        small.attributes().iter().all(|&column| self.source(column, large).is_some())
    }

    /// Returns the column of `large` that `column` is, or is a coarser version of.
    fn source(&self, column: AttributeId, large: &Clique) -> Option<AttributeId> {
        let versions = self.versions(finest(self.recoding, column));
        let place = versions.iter().position(|&version| version == column)?;
        versions[place..].iter().copied().find(|&version| large.has(version))
    }

    /// Sums a table over `large` to one over `small`.
    pub(crate) fn fold(&self, values: &[f64], large: &Clique, small: &Clique) -> Vec<f64> {
        let domain = self.domain();
        let strides = cells::strides(domain, large);
        let place_of = |(&column, step): (&AttributeId, usize)| {
            let source = self.source(column, large).expect("the table follows from the other");
            let place = large.attributes().iter().position(|&other| other == source).expect("it is there");
            let groups = self.recoding.groups(source, column).into_iter();
            (strides[place], groups.map(|group| group as usize * step).collect::<Vec<usize>>())
        };
        let places: Vec<_> = small.attributes().iter().zip(cells::strides(domain, small)).map(place_of).collect();
        let mut folded = vec![0.0; small.attributes().iter().map(|&column| domain.size(column) as usize).product()];
        for (cell, value) in values.iter().enumerate() {
            folded[places.iter().map(|(stride, steps)| steps[cell / stride % steps.len()]).sum::<usize>()] += value;
        }
        folded
    }
}

fn finest(recoding: &Recoding, column: AttributeId) -> AttributeId {
    std::iter::successors(Some(column), |&version| recoding.finer(version)).last().expect("it begins with the column")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fold_onto_fewer_and_coarser_columns() {
        // A column of five codes, two columns of two, and the first in pairs of codes.
        let recoding = Recoding::with_coarser(&Domain::new(vec![5, 2, 2]).unwrap(), 2, 3).unwrap();
        let columns = Columns::new(&recoding);
        let [fine, first, second, coarse] = [0, 1, 2, 3].map(AttributeId::new);
        assert_eq!(columns.versions(fine), [coarse, fine]);
        assert_eq!(columns.no_finer(coarse), [coarse]);
        assert_eq!(columns.drawn().collect::<Vec<_>>(), [fine, first, second]);

        let large = Clique::new([fine, first]);
        let small = Clique::new([first, coarse]);
        assert!(columns.follows(&small, &large) && !columns.follows(&large, &small));
        assert!(!columns.follows(&Clique::single(second), &large));
        // Codes 0 and 1, 2 and 3, 4 of the fine column; the other column is first in the small
        // table.
        let values = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0, 5.0, 50.0];
        assert_eq!(columns.fold(&values, &large, &small), [3.0, 7.0, 5.0, 30.0, 70.0, 50.0]);
        assert_eq!(columns.fold(&values, &large, &Clique::empty()), [165.0]);
    }
}
