//! Bounds that measured tables imply for a clique that none of them holds.

use scumble_schema::Clique;

use super::{ErrorBars, Measured, NotMeasured};
use crate::error::ModelError;
use crate::table::factor::Factor;

impl ErrorBars<'_> {
    pub(super) fn not_measured(&self, estimate: Factor) -> Result<NotMeasured, ModelError> {
        let subsets = self.measured_subsets(estimate.clique());
        let mut highest = vec![f64::INFINITY; estimate.values().len()];
        let mut lowest = vec![f64::NEG_INFINITY; highest.len()];
        let mut covered = Clique::empty();
        for subset in &subsets {
            let answer = self.known(subset)?;
            for_cells(&estimate, subset, |cell, small| highest[cell] = highest[cell].min(answer.interval(small).1));
            if covered.holds(subset) {
                continue;
            }
            if covered.is_empty() {
                for_cells(&estimate, subset, |cell, small| lowest[cell] = answer.interval(small).0);
            } else {
                // Inclusion and exclusion: both cells lie in one cell of the shared attributes, and
                // hold together at most its rows. Without shared attributes that is all rows.
                let shared = subset.intersection(&covered);
                let room = self.known(&shared)?;
                for_cells(&estimate, subset, |cell, small| lowest[cell] += answer.interval(small).0);
                for_cells(&estimate, &shared, |cell, small| lowest[cell] -= room.interval(small).1);
            }
            covered = covered.union(subset);
        }
        // An attribute that no table holds may split the rows of the others in any way.
        let all_covered = &covered == estimate.clique();
        let lower = |lowest: f64| if all_covered { lowest.max(0.0) } else { 0.0 };
        let bounds = lowest.into_iter().map(lower).zip(highest).collect();
        Ok(NotMeasured { estimate, bounds })
    }

    /// Returns the maximal measured subsets of a clique, those with most attributes first. The
    /// empty set is one if there is no other: every table measures the number of rows.
    fn measured_subsets(&self, clique: &Clique) -> Vec<Clique> {
        let mut subsets: Vec<Clique> = self.largest.iter().map(|measured| measured.intersection(clique)).collect();
        subsets.sort_by_key(|subset| (std::cmp::Reverse(subset.len()), subset.clone()));
        let is_largest = |place: &usize| !subsets[..*place].iter().any(|larger| larger.holds(&subsets[*place]));
        (0..subsets.len()).filter(is_largest).map(|place| subsets[place].clone()).collect()
    }

    /// Returns the answer for a subset of a measured clique.
    fn known(&self, subset: &Clique) -> Result<Measured, ModelError> {
        let place = self.largest.iter().position(|measured| measured.holds(subset));
        Ok(self.measured(self.estimate(subset)?, place.expect("the subset of a measured clique")))
    }
}

/// Calls `call` with every cell of a table and the cell of a smaller clique that it falls in.
fn for_cells(table: &Factor, smaller: &Clique, mut call: impl FnMut(usize, usize)) {
    for (cell, small) in table.projection(smaller).cells().enumerate() {
        call(cell, small);
    }
}
