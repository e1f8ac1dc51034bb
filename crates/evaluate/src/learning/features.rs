//! Features of learners.

use crate::sample::{Grouping, Sample};

/// The columns that a learner uses. Borrowed, because all targets share the rows.
pub(crate) struct Features<'a> {
    pub(super) columns: Vec<&'a [u8]>,
    pub(super) groupings: Vec<&'a Grouping>,
    pub(super) rows: usize,
}

impl<'a> Features<'a> {
    /// Selects all columns of a sample except `target`.
    pub(crate) fn new(sample: &'a Sample, groupings: &'a [Grouping], target: Option<usize>) -> Self {
        let seen = || (0..groupings.len()).filter(|&column| Some(column) != target);
        Self {
            columns: seen().map(|column| sample.columns()[column].as_slice()).collect(),
            groupings: seen().map(|column| &groupings[column]).collect(),
            rows: sample.rows(),
        }
    }
}

/// Rows with their groupings, for tests of learners.
#[cfg(test)]
pub(super) struct Example {
    sample: Sample,
    groupings: Vec<Grouping>,
}

#[cfg(test)]
impl Example {
    pub(super) fn new(sizes: &[u32], codes: Vec<Vec<u32>>, kinds: &[crate::ColumnKind]) -> Self {
        let domain = scumble_schema::Domain::new(sizes.to_vec()).unwrap();
        let table = crate::Columns::new(domain, codes).unwrap();
        let groupings = Grouping::of_all(&table, kinds, Grouping::MAX_GROUPS).unwrap();
        let rows: Vec<u32> = (0..table.rows()).collect();
        Self { sample: Sample::of(&table, &rows, &groupings), groupings }
    }

    pub(super) fn features(&self) -> Features<'_> {
        Features::new(&self.sample, &self.groupings, None)
    }
}
