#![doc = include_str!("pb_pgm.md")]
//!
//! [`privbayes`]: crate::privbayes

use scumble_pgm::{Estimator, JunctionTree, Stop, StructuralZeros, Total};
use scumble_schema::Recoding;
use scumble_vault::account::Amount;
use scumble_vault::{Budget, Selecting, Vault};

use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::forecast::Outline;
use crate::neighbours::Neighbours;
use crate::network_learning::{Columns, MeasuredNetwork, Shape, planned as network};
use crate::noisy::{measurement, whole};
use crate::privbayes::Encoding;
use crate::rules::cliques;

pub use crate::privbayes::Options;

/// The junction tree of the tables has at most so many cells: a pass over it takes milliseconds, and an estimate some hundred
/// passes.
const TREE_CELLS: u128 = 1_000_000;

/// When the search for the nearest distribution ends.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 500 };

/// Passes that the search takes, about.
const PASSES: f64 = 120.0;

/// Learns a network, measures its tables, and fits the graphical model that is nearest to them. It gives no probability to what
/// `rules` forbid.
///
/// # Privacy
/// The releases are those of [`privbayes::fit`](crate::privbayes::fit), with candidates from another public list. The model is fitted
/// to released tables only.
///
/// # Errors
/// If an option cannot be had, or the vault refuses.
pub fn fit<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    recoding: &Recoding,
    rules: &[StructuralZeros],
    options: &Options,
) -> Result<Fitted, MechanismError> {
    check(options)?;
    let columns = Columns::new(recoding);
    let tied = cliques(rules);
    let unavoidable = if tied.is_empty() { 0 } else { JunctionTree::predicted_cells(recoding.domain(), &tied) };
    let shape = Shape::SmallTree { cells: TREE_CELLS + unavoidable, ruled: &tied };
    let MeasuredNetwork { tables, rows, .. } = MeasuredNetwork::learn(vault, budget, &columns, options, shape)?;
    let domain = recoding.domain();
    let measurements =
        tables.released().iter().map(|table| measurement(domain, table)).collect::<Result<Vec<_>, _>>()?;
    // A table that seems empty is fitted as if it had one row: a distribution of none has no shape.
    let estimator = Estimator::new(domain.clone()).total(Total::Fixed(rows.max(1.0))).zeros(rules.to_vec()).stop(STOP);
    let model = estimator.estimate(&measurements)?.model;
    Ok(Fitted::new(Distribution::Tree(model), whole(rows)))
}

fn check(options: &Options) -> Result<(), MechanismError> {
    if options.encoding == Encoding::Hierarchical {
        let problem = "`hierarchical` has no graphical model: choose `vanilla` or `binary`".into();
        return Err(MechanismError::Option { option: "encoding".into(), problem });
    }
    Ok(())
}

/// Plans the releases, which are those of a network.
pub(crate) fn planned<A: Neighbours, M: Selecting>(
    outline: &mut Outline<A, M>,
    recoding: &Recoding,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    check(options)?;
    let shape = Shape::SmallTree { cells: TREE_CELLS, ruled: &[] };
    network::planned(outline, &Columns::new(recoding), options, amount, shape)?;
    outline.work.fitted = PASSES * outline.work.model_cells;
    Ok(())
}
