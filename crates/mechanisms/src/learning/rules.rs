//! The rules of a schema as structural zeros of models.

use std::collections::BTreeMap;

use scumble_pgm::{CliqueVector, JunctionTree, ModelError, StructuralZeros, infer};
use scumble_schema::{Clique, Domain, Schema};

use crate::error::MechanismError;
use crate::model::fitted::Distribution;

/// Maximum number of cells of the junction tree of the rules alone. Every pass of every fit visits
/// them, in a few milliseconds.
const MAX_RULE_CELLS: u128 = 2_000_000;

/// Returns the combinations that the rules of a schema forbid: one table per set of columns.
///
/// # Errors
/// If the tree of the rules would be too large, or no row keeps them all.
pub(crate) fn zeros(schema: &Schema) -> Result<Vec<StructuralZeros>, MechanismError> {
    let mut merged: BTreeMap<&Clique, Vec<bool>> = BTreeMap::new();
    for rule in schema.rules() {
        let possible = merged.entry(rule.clique()).or_insert_with(|| vec![true; rule.possible().len()]);
        possible.iter_mut().zip(rule.possible()).for_each(|(all, one)| *all &= one);
    }
    let cliques: Vec<Clique> = merged.keys().map(|&clique| clique.clone()).collect();
    let cells = tree_cells(schema.domain(), &cliques);
    if cells > MAX_RULE_CELLS {
        return Err(MechanismError::TooLarge {
            problem: format!(
                "rules tie columns together into a model of {cells} cells, at most {MAX_RULE_CELLS} are possible"
            ),
            hint: "declare wider bins for columns that rules are about, or fewer rules between them".into(),
        });
    }
    let domain = schema.domain();
    let zeros = merged.into_iter().map(|(clique, possible)| StructuralZeros::new(domain, clique.clone(), &possible));
    let zeros = zeros.collect::<Result<Vec<_>, _>>()?;
    check_possible(domain, &cliques, &zeros)?;
    Ok(zeros)
}

/// Returns the columns of each rule.
pub(crate) fn cliques(rules: &[StructuralZeros]) -> Vec<Clique> {
    rules.iter().map(|rule| rule.clique().clone()).collect()
}

/// Predicts the number of cells of the junction tree of cliques, without columns outside of them.
pub(crate) fn tree_cells(domain: &Domain, cliques: &[Clique]) -> u128 {
    if cliques.is_empty() {
        return 0;
    }
    JunctionTree::predicted_cells(&ruled(domain, cliques), cliques)
}

/// Predicts the number of cells of the junction tree of cliques with one more.
pub(crate) fn cells_with(domain: &Domain, cliques: &mut Vec<Clique>, one_more: &Clique) -> u128 {
    cliques.push(one_more.clone());
    let cells = JunctionTree::predicted_cells(domain, cliques);
    cliques.pop();
    cells
}

/// Returns the domain with one code for each column that is in no clique.
fn ruled(domain: &Domain, cliques: &[Clique]) -> Domain {
    let is_ruled = |column| cliques.iter().any(|clique| clique.has(column));
    let sizes = domain.attributes().map(|column| if is_ruled(column) { domain.size(column) } else { 1 });
    Domain::new(sizes.collect()).expect("no column got larger")
}

/// Refuses rules that no row keeps. A schema also searches for such a row, but only within a bound.
fn check_possible(domain: &Domain, cliques: &[Clique], zeros: &[StructuralZeros]) -> Result<(), MechanismError> {
    if zeros.is_empty() {
        return Ok(());
    }
    let nothing = CliqueVector::zeros(&ruled(domain, cliques), Vec::new())?;
    match infer(&nothing, zeros, 1.0) {
        Err(ModelError::Impossible) => Err(MechanismError::RulesContradict),
        other => Ok(other.map(|_| ())?),
    }
}

/// Returns whether a distribution gives no probability to rows that break a rule of the schema.
///
/// # Errors
/// If the table of a rule is too large.
pub(crate) fn are_kept(schema: &Schema, distribution: &Distribution) -> Result<bool, ModelError> {
    if schema.rules().is_empty() {
        return Ok(true);
    }
    let Distribution::Tree(model) = distribution else { return Ok(false) };
    for rule in schema.rules() {
        let table = model.marginal(rule.clique())?;
        if table.values().iter().zip(rule.possible()).any(|(&share, &possible)| share > 0.0 && !possible) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    #[test]
    fn rules_that_no_row_keeps_are_detected_exactly() {
        let domain = Domain::new(vec![2, 9, 2, 2]).unwrap();
        let pair = |one: usize, other: usize| Clique::new([one, other].map(AttributeId::new));
        let differ = |clique: Clique| StructuralZeros::new(&domain, clique, &[false, true, true, false]).unwrap();
        let three = [pair(0, 2), pair(2, 3), pair(0, 3)];
        let check = |cliques: &[Clique]| {
            let zeros: Vec<StructuralZeros> = cliques.iter().cloned().map(differ).collect();
            check_possible(&domain, cliques, &zeros)
        };
        assert!(check(&three[..2]).is_ok());
        assert!(matches!(check(&three), Err(MechanismError::RulesContradict)));
        // The column of nine codes is in none of them, and has one cell.
        assert_eq!(tree_cells(&domain, &three), 8 + 1);
    }
}
