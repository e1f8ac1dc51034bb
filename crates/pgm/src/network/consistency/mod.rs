//! Consistency: noisy tables that agree on all attributes they share.
//!
//! **One pass is the least-squares optimum.** Split a table into components, one per set of
//! attributes: what the set's marginal says beyond those of smaller sets. Two tables are consistent
//! if they share the component of every set that both hold. Spreading a correction evenly moves
//! exactly the components within the common set, and the ratio of the weights is the same for every
//! component in it. So each component is settled, for all tables that hold it, at the first common
//! set that contains it (the intersection of those tables), and later steps do not change it. For
//! this the list of common sets must hold the intersection of any two of its members. Pairs of
//! tables are not enough (Algorithm 5 of 2018): tables over {1,2,3}, {1,2,4} and {1,3,4} meet
//! pairwise in {1,2}, {1,3} and {1,4}, and without {1} each of these steps undoes the one before.
//! `PriView` takes intersections of any number of tables; so do we, and a test shows the
//! difference.
//!
//! **The variances stay as released.** 2018's equation (3.3) updates a table's variance after every
//! step as if its cells were still independent, which they are not. The argument above needs the
//! variances of the noise, and tests compare the result with a brute-force solution.
//!
//! **Hierarchies.** 2018, section 3.2.2, pads a table with the coarser versions of its attribute,
//! makes the padded tables consistent from coarse to fine, then makes each table consistent inside.
//! A padded dimension is a function of the finer code, so nothing is stored twice here: a table's
//! marginal at a coarser version is a sum over groups, a correction is spread over the codes of its
//! group, and levels never disagree inside a table. Common sets go from coarse to fine, because a
//! coarser version ranks lower. If groups have different sizes (the last one of a division with
//! remainder), consistency is still exact after one pass. The weights must be equal for all cells
//! of a set, or a later step would undo an earlier one; they are then those of the average group.

use std::collections::BTreeSet;

use scumble_schema::{AttributeId, Clique, Domain, cells};

use super::hierarchy::Hierarchies;
use crate::error::ModelError;
use crate::measurement::Measurement;
use crate::table::factor;
use crate::table::projection::offsets;

/// Makes any two tables agree on all attributes they share, with the least change in weighted least
/// squares. Counts may be negative before and after.
///
/// Reads and writes every cell once per common set. These are few: intersections of the tables'
/// cliques.
///
/// # Reference
/// 2018, section 3.2.3 and Algorithm 5, after Qardaji, Yang, Li, `PriView`, SIGMOD 2014, section
/// 4.4, and Hay, Rastogi, Miklau, Suciu, PVLDB 2010. The notes at the top of this file explain our
/// choices.
pub fn make_consistent(
    domain: &Domain,
    hierarchies: &Hierarchies,
    tables: &mut [Measurement],
) -> Result<(), ModelError> {
    let cliques: Vec<Clique> = tables.iter().map(|table| table.counts.clique().clone()).collect();
    for (clique, table) in cliques.iter().zip(tables.iter()) {
        factor::check_length(domain, clique, table.values().len())?;
        hierarchies.check_single_versions(clique)?;
    }
    for set in common_sets(hierarchies, &cliques) {
        agree_on(&set, domain, hierarchies, tables);
    }
    Ok(())
}

/// Returns the empty set and all intersections of two or more tables' cliques; smaller and coarser
/// ones first.
fn common_sets(hierarchies: &Hierarchies, cliques: &[Clique]) -> Vec<Clique> {
    let mut sets = BTreeSet::from([Clique::empty()]);
    let mut new: Vec<Clique> = (1..cliques.len())
        .flat_map(|right| (0..right).map(move |left| hierarchies.meet(&cliques[left], &cliques[right])))
        .collect();
    while let Some(set) = new.pop() {
        if !sets.contains(&set) {
            // Every member is an intersection of tables, so only those with one more table can be
            // missing.
            new.extend(cliques.iter().map(|clique| hierarchies.meet(clique, &set)));
            sets.insert(set);
        }
    }
    let mut sets: Vec<Clique> = sets.into_iter().collect();
    // Stable, so that sets of equal rank stay in order.
    sets.sort_by_key(|set| hierarchies.rank(set));
    sets
}

/// A table's marginal on a common set.
struct SetMarginal {
    table: usize,
    /// The set's cell for every cell of the table.
    cells: Vec<u32>,
    /// The table's marginal on the set.
    sums: Vec<f64>,
    /// Number of the table's cells that fall in each cell of the set.
    sizes: Vec<u32>,
    weight: f64,
}

/// Makes all tables that hold the set agree on it: moves them to their weighted mean by an even
/// correction.
///
/// # Reference
/// 2018, equations (3.1) and (3.2). A table's variance per cell of the set is its own times the
/// cells summed.
fn agree_on(set: &Clique, domain: &Domain, hierarchies: &Hierarchies, tables: &mut [Measurement]) {
    let marginals: Vec<SetMarginal> = tables
        .iter()
        .enumerate()
        .filter_map(|(index, table)| {
            marginal(set, domain, hierarchies, table).map(|marginal| SetMarginal { table: index, ..marginal })
        })
        .collect();
    if marginals.len() < 2 {
        return;
    }
    let weights: f64 = marginals.iter().map(|marginal| marginal.weight).sum();
    let mut mean = vec![0.0; marginals[0].sums.len()];
    for marginal in &marginals {
        let weight = marginal.weight / weights;
        mean.iter_mut().zip(&marginal.sums).for_each(|(mean, sum)| *mean += weight * sum);
    }
    for SetMarginal { table, cells, sums, sizes, .. } in marginals {
        let corrections: Vec<f64> =
            mean.iter().zip(&sums).zip(&sizes).map(|((mean, sum), &size)| (mean - sum) / f64::from(size)).collect();
        let counts = tables[table].counts.values_mut();
        counts.iter_mut().zip(cells).for_each(|(count, cell)| *count += corrections[cell as usize]);
    }
}

/// Returns a table's marginal on a set, or `None` if it lacks an attribute of the set or has only a
/// coarser version.
fn marginal(set: &Clique, domain: &Domain, hierarchies: &Hierarchies, table: &Measurement) -> Option<SetMarginal> {
    let cells = cells_onto(set, domain, hierarchies, table.counts.clique())?;
    let set_cells = usize::try_from(domain.cells(set)).expect("the set is inside a table");
    let (mut sums, mut sizes) = (vec![0.0; set_cells], vec![0_u32; set_cells]);
    for (count, &cell) in table.counts.values().iter().zip(&cells) {
        sums[cell as usize] += count;
        sizes[cell as usize] += 1;
    }
    let summed = cells.len() as f64 / set_cells as f64;
    Some(SetMarginal { table: 0, cells, sums, sizes, weight: 1.0 / (table.variance() * summed) })
}

/// Returns the cell of `set` for every cell of a table over `clique`.
fn cells_onto(set: &Clique, domain: &Domain, hierarchies: &Hierarchies, clique: &Clique) -> Option<Vec<u32>> {
    let image = |&attribute: &AttributeId| hierarchies.image(set, attribute);
    if clique.attributes().iter().filter_map(image).count() < set.len() {
        return None;
    }
    let strides = cells::strides(domain, set);
    let stride = |version: AttributeId| {
        let axis = set.attributes().binary_search(&version).expect("an image is in the set");
        u32::try_from(strides[axis]).expect("a table within the limits has u32 cells")
    };
    Some(offsets(clique.attributes().iter().map(|&attribute| match hierarchies.image(set, attribute) {
        Some(version) => {
            let stride = stride(version);
            hierarchies.groups(domain, attribute, version).into_iter().map(|code| code * stride).collect()
        }
        None => vec![0; domain.size(attribute) as usize],
    })))
}

#[cfg(test)]
mod tests;
