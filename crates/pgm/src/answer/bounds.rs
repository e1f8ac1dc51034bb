//! What measured tables prove about a clique that none of them has.

use scumble_schema::Clique;

use super::replicates::counts;
use super::{ErrorBars, Measured, NotMeasured};
use crate::error::ModelError;
use crate::table::factor::Factor;

impl ErrorBars<'_> {
    pub(super) fn not_measured(&self, estimate: Factor) -> Result<NotMeasured, ModelError> {
        let parts = self.parts(estimate.clique());
        let mut highest = vec![f64::INFINITY; estimate.values().len()];
        let mut lowest = vec![f64::NEG_INFINITY; highest.len()];
        let mut covered = Clique::empty();
        for part in &parts {
            let answer = self.known(part)?;
            for_cells(&estimate, part, |cell, small| highest[cell] = highest[cell].min(answer.interval(small).1));
            if covered.holds(part) {
                continue;
            }
            if covered.is_empty() {
                for_cells(&estimate, part, |cell, small| lowest[cell] = answer.interval(small).0);
            } else {
                // The rows in both cells are those in either, less what the two have room for side by side: the rows of
                // the cell of what they share, which without any attribute is all rows.
                let shared = part.intersection(&covered);
                let room = self.known(&shared)?;
                for_cells(&estimate, part, |cell, small| lowest[cell] += answer.interval(small).0);
                for_cells(&estimate, &shared, |cell, small| lowest[cell] -= room.interval(small).1);
            }
            covered = covered.union(part);
        }
        // An attribute that no table has may split the rows of the others in any way.
        let all_covered = &covered == estimate.clique();
        let lower = |lowest: f64| if all_covered { lowest.max(0.0) } else { 0.0 };
        let bounds = lowest.into_iter().map(lower).zip(highest).collect();
        Ok(NotMeasured { estimate, bounds })
    }

    /// The largest parts of a clique that were measured, those with most attributes first. Without any, no attributes are
    /// one: all rows were measured by every table.
    fn parts(&self, clique: &Clique) -> Vec<Clique> {
        let mut parts: Vec<Clique> = self.largest.iter().map(|measured| measured.intersection(clique)).collect();
        parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), part.clone()));
        let is_largest = |place: &usize| !parts[..*place].iter().any(|larger| larger.holds(&parts[*place]));
        (0..parts.len()).filter(is_largest).map(|place| parts[place].clone()).collect()
    }

    /// The answer for a part of a measured clique.
    fn known(&self, part: &Clique) -> Result<Measured, ModelError> {
        let estimate = counts(self.model, std::slice::from_ref(part))?.pop().expect("one clique, one table");
        let place = self.largest.iter().position(|measured| measured.holds(part));
        Ok(self.measured(estimate, place.expect("only parts of measured cliques are asked for")))
    }
}

/// Calls with every cell of a table, and the cell of a smaller clique that it falls in.
fn for_cells(table: &Factor, smaller: &Clique, mut call: impl FnMut(usize, usize)) {
    for (cell, small) in table.projection(smaller).cells().enumerate() {
        call(cell, small);
    }
}
