//! Planned releases of `mst`.

use std::num::NonZeroU32;

use scumble_schema::{Clique, Domain};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::{HALF, Options, THIRD};
use crate::error::MechanismError;
use crate::learning::merging::{max_groups, non_constant_columns, non_constant_tables};
use crate::planning::outline::{DryRun, Events, Extent, Limits, Outline, plan_rng, real};

/// Typical number of passes of the fit.
const PASSES: f64 = 600.0;

/// Plans the releases for a random tree. Columns whose values are all rare have no edge, so there
/// may be fewer edges.
pub(super) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(domain);
    if columns.len() < 2 {
        return outline.measure(domain, &domain.one_way(), amount);
    }
    let (for_columns, rest) = amount.split(THIRD);
    outline.measure(domain, &non_constant_tables(domain), for_columns)?;
    let (for_selections, for_pairs) = rest.split(HALF);
    let edges = columns.len() - 1;
    let max_size = max_groups(columns.len());
    let sizes = domain.sizes().iter().map(|&size| size.min(max_size)).collect();
    let merged = Domain::new(sizes).expect("no column got larger");
    let anything = Limits { columns: 2, cells: u128::MAX, model_cells: u128::MAX };
    let mut tree = DryRun::new(&merged, plan_rng());
    let mut pairs: Vec<Clique> = Vec::with_capacity(edges);
    for (table, _) in options.workload.cliques(domain)? {
        if tree.named_edge(&table, anything) {
            pairs.push(table);
        }
    }
    // Named pairs need no selection; without any selection, the pairs get its budget too.
    let selected = edges - pairs.len();
    let for_pairs = if selected == 0 { rest } else { for_pairs };
    pairs.extend(std::iter::from_fn(|| tree.edge(anything)).take(selected));
    let pairs: Vec<(Clique, Amount<M>)> = pairs.into_iter().map(|pair| (pair, for_pairs.divided(edges))).collect();
    let joinable = Extent { least: selected as u64, most: (columns.len() * edges / 2) as u64 };
    let each = vec![for_selections.divided(selected.max(1)); selected];
    outline.select(ScoreKind::HalfL1, NonZeroU32::MIN, joinable, &each, Events::about(selected, selected))?;
    let events = Events::about(edges, edges);
    outline.measure_each(&merged, &pairs, events)?;

    let rows = outline.row_count();
    let work = &mut outline.work;
    let codes = real(merged.sizes().iter().map(|&size| u128::from(size)).sum());
    let squares = real(merged.sizes().iter().map(|&size| u128::from(size).pow(2)).sum());
    // Number of cells of all pairs of columns together.
    work.scored = (codes * codes - squares) / 2.0;
    work.counted_cells = work.scored;
    work.counted = rows * real((columns.len() * columns.len()) as u128);
    work.model_cells = real(tree.cells());
    work.fitted = PASSES * work.model_cells;
    Ok(())
}
