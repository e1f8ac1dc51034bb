//! What the method will ask.

use std::num::NonZeroU32;

use scumble_schema::{Clique, Domain};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::{HALF, THIRD};
use crate::error::MechanismError;
use crate::merging::{max_groups, non_constant_columns};
use crate::outline::{DryRun, Events, Extent, Limits, Outline, dice, real};

/// Passes that the fit of the tree takes, about.
const PASSES: f64 = 600.0;

/// Plans the releases, for a tree at random. Columns whose values are all rare have no edge, so there may be fewer.
pub(super) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(domain);
    if columns.len() < 2 {
        return outline.measure(domain, &domain.one_way(), amount);
    }
    let one_way: Vec<Clique> = columns.iter().copied().map(Clique::single).collect();
    let (for_columns, rest) = amount.split(THIRD);
    outline.measure(domain, &one_way, for_columns)?;
    let (for_choices, for_pairs) = rest.split(HALF);
    let edges = columns.len() - 1;
    let joinable = Extent { least: edges as u64, most: (columns.len() * edges / 2) as u64 };
    let events = Events::about(edges, edges);
    outline.choose(ScoreKind::HalfL1, NonZeroU32::MIN, joinable, &vec![for_choices.divided(edges); edges], events)?;

    let max_size = max_groups(columns.len());
    let sizes = domain.sizes().iter().map(|&size| size.min(max_size)).collect();
    let merged = Domain::new(sizes).expect("no column got larger");
    let anything = Limits { columns: 2, cells: u128::MAX, model_cells: u128::MAX };
    let mut tree = DryRun::new(&merged, dice());
    let pairs: Vec<(Clique, Amount<M>)> =
        std::iter::from_fn(|| tree.edge(anything)).take(edges).map(|pair| (pair, for_pairs.divided(edges))).collect();
    outline.measure_each(&merged, &pairs, events)?;

    let rows = outline.row_count();
    let work = &mut outline.work;
    let codes = real(merged.sizes().iter().map(|&size| u128::from(size)).sum());
    let squares = real(merged.sizes().iter().map(|&size| u128::from(size).pow(2)).sum());
    // All pairs of columns have so many cells together.
    work.scored = (codes * codes - squares) / 2.0;
    work.counted_cells = work.scored;
    work.counted = rows * real((columns.len() * columns.len()) as u128);
    work.model_cells = real(tree.cells());
    work.fitted = PASSES * work.model_cells;
    Ok(())
}
