//! The k-marginal score within the rows of each subgroup.
//!
//! The score of a subgroup is 1000 (1 - mean distance) over sets of three columns, with the
//! distances taken between the real and the synthetic rows that have the subgroup's value. A table
//! may be good as a whole and useless for a minority.
//!
//! # Reference
//! C. Task, K. Bhagat, G. Howarth 2023, `SDNist` v2: deidentified data report tool, NIST, the
//! k-marginal metric and its breakdown by subpopulation.

use scumble_schema::{AttributeId, Clique};
use serde::Serialize;

use crate::error::EvaluateError;
use crate::marginal::MarginalSets;
use crate::marginal::compare::compare;
use crate::table::Columns;

/// Number of columns of each set, or all columns of a smaller table.
const ORDER: usize = 3;
/// Maximum number of sets.
const MAX_SETS: usize = 100;
/// Score of a subgroup whose marginals equal the real ones.
pub const PERFECT: f64 = 1000.0;

/// The rows that have one value in a column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Subgroup {
    /// The column.
    pub column: AttributeId,
    /// The code of the value.
    pub code: u32,
    /// Number of real rows with the value.
    pub real_rows: u32,
    /// Number of synthetic rows with the value.
    pub synthetic_rows: u32,
    /// K-marginal score; zero if no synthetic row has the value.
    pub score: f64,
    /// Mean score of `synthetic_rows` rows drawn from the real subgroup.
    pub achievable: f64,
}

/// Scores the subgroups of real rows by their code in `column`, in ascending order of the codes.
///
/// # Errors
/// If the tables are over different domains, or the domain lacks `column`.
pub fn subgroups(real: &Columns, synthetic: &Columns, column: AttributeId) -> Result<Vec<Subgroup>, EvaluateError> {
    if real.domain() != synthetic.domain() {
        return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
    }
    if column.index() >= real.domain().len() {
        return Err(EvaluateError::OtherDomain { what: "the column of the subgroups" });
    }
    let columns = real.domain().len();
    let sets = MarginalSets::drawn(columns, &[ORDER.min(columns)], MAX_SETS);
    let cliques: Vec<Clique> = sets.orders().flat_map(|(_, cliques)| cliques).cloned().collect();
    let [of_real, of_synthetic] = [real, synthetic].map(|table| rows_by_code(table, column));
    let mut found = Vec::new();
    for (code, (real_rows, synthetic_rows)) in (0..).zip(of_real.iter().zip(&of_synthetic)) {
        if real_rows.is_empty() {
            continue;
        }
        let (real, synthetic) = (real.pick(real_rows), synthetic.pick(synthetic_rows));
        let compared = compare(&real, &synthetic, &cliques)?;
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / cliques.len() as f64;
        let score = PERFECT * (1.0 - mean(&mut compared.iter().map(|one| one.distance)));
        // Zero rows drawn score as little as zero synthetic rows.
        let expected = mean(&mut compared.iter().map(|one| one.expected));
        let achievable = if synthetic.rows() == 0 { 0.0 } else { PERFECT * (1.0 - expected) };
        let (real_rows, synthetic_rows) = (real.rows(), synthetic.rows());
        found.push(Subgroup { column, code, real_rows, synthetic_rows, score, achievable });
    }
    Ok(found)
}

/// Returns the rows that have each code of a column.
fn rows_by_code(table: &Columns, column: AttributeId) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); table.domain().size(column) as usize];
    for (row, code) in table.codes(column).iter().enumerate() {
        rows[code as usize].push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn a_subgroup_is_scored_by_its_own_rows() {
        let domain = Domain::new(vec![3, 2]).unwrap();
        // The first subgroup agrees, the second does not, the third has no real rows.
        let real = Columns::new(domain.clone(), vec![vec![0, 0, 1, 1, 1], vec![0, 1, 0, 0, 0]]).unwrap();
        let synthetic = Columns::new(domain, vec![vec![0, 0, 1, 2], vec![0, 1, 1, 1]]).unwrap();
        let groups = subgroups(&real, &synthetic, AttributeId::new(0)).unwrap();
        let sizes: Vec<_> = groups.iter().map(|group| (group.code, group.real_rows, group.synthetic_rows)).collect();
        assert_eq!(sizes, [(0, 2, 2), (1, 3, 1)]);
        assert!((groups[0].score - PERFECT).abs() < 1e-9 && groups[1].score.abs() < 1e-9);
        // Two rows drawn from two different ones miss one half the time. The rows of the second
        // subgroup are all equal.
        assert!((groups[0].achievable - 750.0).abs() < 1e-9 && (groups[1].achievable - PERFECT).abs() < 1e-9);
    }

    #[test]
    fn a_subgroup_without_synthetic_rows_scores_zero() {
        let domain = Domain::new(vec![2]).unwrap();
        let table = |codes: &[u32]| Columns::new(domain.clone(), vec![codes.to_vec()]).unwrap();
        let groups = subgroups(&table(&[0, 1]), &table(&[0]), AttributeId::new(0)).unwrap();
        assert!((groups[0].score - PERFECT).abs() < 1e-9);
        assert!(groups[1].score.abs() < 1e-9 && groups[1].achievable.abs() < 1e-9);
        let refused = subgroups(&table(&[0]), &table(&[0]), AttributeId::new(1));
        assert!(matches!(refused, Err(EvaluateError::OtherDomain { .. })));
    }
}
