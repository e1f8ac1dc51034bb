//! Distances of a row from synthetic rows.

use crate::release::coded_table::CodedTable;
use crate::release::draw::Draw;
use crate::release::study::Study;

/// Maximum number of synthetic rows that every target is compared with.
pub(crate) const MAX_ROWS: usize = 10_000;

/// A sample of synthetic rows, and the number of columns in which each differs from a row.
pub(super) struct Neighbours {
    pub(super) rows: CodedTable,
    pub(super) distances: Vec<u16>,
}

impl Neighbours {
    pub(super) fn new(study: &Study<'_>) -> Self {
        let places = Draw::Neighbours.places(study.seed, study.synthetic.rows(), MAX_ROWS);
        let rows = study.synthetic.pick(&places);
        Self { distances: vec![0; rows.rows()], rows }
    }

    /// Computes the distances of a row. A table has at most 10,000 columns, so they fit.
    pub(super) fn compare(&mut self, codes: &[u32]) {
        self.distances.fill(0);
        for (column, &code) in self.rows.columns().iter().zip(codes) {
            for (distance, &other) in self.distances.iter_mut().zip(column) {
                *distance += u16::from(other != code);
            }
        }
    }
}
