//! Post-processing of noisy tables to a distribution. Reads no rows.

use scumble_pgm::Factor;
use scumble_pgm::network::{
    EmptyParents, Network, Pair, ToProbabilities, make_consistent, make_consistent_and_positive,
};
use scumble_schema::Recoding;
use scumble_vault::NoisyTable;

use super::structure::Drawn;
use super::{Options, Probabilities};
use crate::error::MechanismError;
use crate::learning::noisy::measurements;
use crate::model::fitted::{Consistency, NetworkTables, hierarchies};

/// Number of rounds that make tables consistent and not negative.
const ROUNDS: u32 = 10;
/// Minimum probability of a code: negligible, but well above rounding, so that its group can still
/// be drawn.
const MIN_PROBABILITY: f64 = 1e-10;

/// Builds the network, with one table of counts per pair.
///
/// # Reference
/// Algorithm 4 after the noise, with the consistency of section 3.2.
pub(super) fn network_tables(
    drawn: Vec<Drawn>,
    noisy: &[NoisyTable],
    rows: u64,
    recoding: &Recoding,
    options: &Options,
) -> Result<NetworkTables, MechanismError> {
    let (domain, hierarchies) = (recoding.domain(), hierarchies(recoding)?);
    // At least one: a projection needs rows to distribute.
    let rows = rows.max(1) as f64;
    let mut tables = measurements(domain, noisy)?;
    match (options.consistency, options.probabilities) {
        (Consistency::None, _) => {}
        (Consistency::Enforced, Probabilities::Clipped) => make_consistent(domain, &hierarchies, &mut tables)?,
        (Consistency::Enforced, Probabilities::Nearest) => {
            make_consistent_and_positive(domain, &hierarchies, &mut tables, rows, ROUNDS)?;
        }
    }
    let to = match options.probabilities {
        Probabilities::Clipped => ToProbabilities::ClipAndNormalise,
        Probabilities::Nearest => ToProbabilities::Project { total: rows },
    };
    let laid_out = drawn.iter().zip(tables).map(|(drawn, table)| {
        let table = table.into_counts();
        if drawn.table == drawn.pair.clique() {
            Ok(table)
        } else {
            given_coarser(&drawn.pair, &table, recoding, to, rows)
        }
    });
    let tables = laid_out.collect::<Result<Vec<_>, _>>()?;
    let pairs = drawn.into_iter().map(|drawn| drawn.pair).collect();
    let network = Network::with_hierarchies(domain.clone(), hierarchies, pairs)?;
    Ok(NetworkTables::new(network, tables, to, EmptyParents::ChildMarginal, options.consistency)?)
}

/// Extends the table of a column to itself and a coarser version of it. Every code is in one group,
/// and has no probability in all others. A group whose codes have none becomes uniform.
fn given_coarser(
    pair: &Pair,
    table: &Factor,
    recoding: &Recoding,
    to: ToProbabilities,
    rows: f64,
) -> Result<Factor, MechanismError> {
    let coarse = pair.parents().attributes()[0];
    let groups = recoding.domain().size(coarse) as usize;
    // Neither clipping nor projecting makes these positive: the other counts sum to the number of
    // rows.
    let mut counts = vec![-rows; table.values().len() * groups];
    // A coarser version comes after the column itself, so groups are the last axis.
    let codes = recoding.codes(coarse).iter().zip(to.apply(table.values())?).enumerate();
    for (code, (&group, probability)) in codes {
        counts[code * groups + group as usize] = rows * probability.max(MIN_PROBABILITY);
    }
    Ok(Factor::new(recoding.domain(), pair.clique(), counts)?)
}
