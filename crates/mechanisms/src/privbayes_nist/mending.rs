//! From noisy tables to a distribution. Nothing in here reads rows.

use scumble_pgm::Factor;
use scumble_pgm::network::{
    EmptyParents, Network, Pair, ToProbabilities, make_consistent, make_consistent_and_positive,
};
use scumble_schema::Recoding;
use scumble_vault::NoisyTable;

use super::structure::Drawn;
use super::{Options, Probabilities};
use crate::error::MechanismError;
use crate::fitted::{Consistency, NetworkTables, hierarchies};
use crate::noisy::measurement;

/// Rounds of mending tables that are to be consistent and without negative counts.
const ROUNDS: u32 = 10;
/// The probability of a code that noise left without any: next to nothing, but well above rounding, so that its group can
/// still be drawn.
const LEAST_PROBABILITY: f64 = 1e-10;

/// Algorithm 4 after the noise, with the consistency of section 3.2: the network with one table of counts per pair.
pub(super) fn mend(
    drawn: Vec<Drawn>,
    noisy: &[NoisyTable],
    rows: u64,
    recoding: &Recoding,
    options: &Options,
) -> Result<NetworkTables, MechanismError> {
    let (domain, hierarchies) = (recoding.domain(), hierarchies(recoding)?);
    #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter to a projection")]
    // A projection needs something to spread: a table that seems empty is fitted as if it had one row.
    let rows = rows.max(1) as f64;
    let mut tables = noisy.iter().map(|table| measurement(domain, table)).collect::<Result<Vec<_>, _>>()?;
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

/// The table of a column over itself and a coarser version of it. Every code is in one group: in all others it has no
/// probability, and a group whose codes have none is spread evenly.
fn given_coarser(
    pair: &Pair,
    table: &Factor,
    recoding: &Recoding,
    to: ToProbabilities,
    rows: f64,
) -> Result<Factor, MechanismError> {
    let coarse = pair.parents().attributes()[0];
    let groups = recoding.domain().size(coarse) as usize;
    // Neither clipping nor projecting lets this become positive: what it takes the place of sums to the number of rows.
    let mut counts = vec![-rows; table.values().len() * groups];
    // A coarser version comes after the column itself, so codes are the rows of the table and groups its columns.
    let codes = recoding.codes(coarse).iter().zip(to.apply(table.values())?).enumerate();
    for (code, (&group, probability)) in codes {
        counts[code * groups + group as usize] = rows * probability.max(LEAST_PROBABILITY);
    }
    Ok(Factor::new(recoding.domain(), pair.clique(), counts)?)
}
