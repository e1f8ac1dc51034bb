#![doc = include_str!("privbayes_nist.md")]

mod outline;
mod post_processing;
mod structure;
mod versions;

use std::num::NonZeroU32;

use scumble_schema::{AttributeId, Clique, Domain, Hierarchies, Recoding, limits};
use scumble_vault::account::{Amount, Share};
use scumble_vault::{Accounting, Budget, NoisyTable, Selecting, Vault};
use serde::{Deserialize, Serialize};

use self::structure::{Learner, UNSCORED};
use self::versions::Versions;
use crate::error::MechanismError;
use crate::learning::noisy::{estimated_rows, whole};
use crate::learning::pair_scores::PairScores;
use crate::mechanism::option::invalid;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, RowTotal};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::{Consistency, Distribution, Fitted};
use crate::planning::outline::{ErrorRange, Outline};

/// Options of `privbayes-nist`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Share of the budget for the number of rows and the scores, the paper's `beta1 + beta2`: from
    /// 0.001 to 0.999, in whole thousandths.
    pub network_share: f64,
    /// Number of neighbouring codes in a group of a coarser version, the paper's `g`, at least 2.
    /// Columns of more than `g²` codes get coarser versions.
    pub group_width: u32,
    /// Whether tables are made to agree on the columns they share.
    pub consistency: Consistency,
    /// Conversion of noisy counts to probabilities.
    pub probabilities: Probabilities,
}

/// Conversion of noisy counts, some of them negative, to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probabilities {
    /// Negative counts become zero, and the rest is normalised: the paper's Algorithm 4.
    Clipped,
    /// The nearest counts, in least squares, that are not negative and sum to the number of rows.
    Nearest,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            network_share: 0.2,
            group_width: 8,
            consistency: Consistency::Enforced,
            probabilities: Probabilities::Nearest,
        }
    }
}

/// The network's share is in whole thousandths.
const SHARE_UNITS: u32 = 1_000;
/// Maximum number of columns, with coarser versions. They have 4.2 million pairs, whose scores are
/// all held in memory, and whose shares of the budget are fractions of 32 bits.
const MAX_COLUMNS: usize = 2_900;

impl Options {
    fn share_units(&self) -> Result<u32, MechanismError> {
        let units = self.network_share * f64::from(SHARE_UNITS);
        if !(0.5..f64::from(SHARE_UNITS) - 0.5).contains(&units) {
            return Err(invalid("network_share", "is not between 0.001 and 0.999"));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 999")]
        Ok(units.round() as u32)
    }
}

fn too_large(problem: String) -> MechanismError {
    let hint = "leave out columns, or raise `group_width`, so that there are fewer coarser versions";
    MechanismError::TooLarge { problem, hint: hint.into() }
}

fn check_columns(recoding: &Recoding) -> Result<(), MechanismError> {
    match recoding.domain().len() {
        0..=MAX_COLUMNS => Ok(()),
        columns => Err(too_large(format!(
            "there are {columns} columns and coarser versions of them, at most {MAX_COLUMNS} can be scored in pairs"
        ))),
    }
}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "All pairs of columns get noisy scores, a Bayesian network is built on them, and its tables are measured with Gaussian noise: the \
         entry of Bao, Xiao, Zhao, Zhang and Ding to the NIST challenge of 2018."
    }

    /// Returns the columns, and coarser versions of those with more than `g²` codes, with declared
    /// levels in place of groups of neighbours.
    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.share_units()?;
        let largest = self.group_width.checked_mul(self.group_width).filter(|_| self.group_width >= 2);
        let largest = largest.ok_or_else(|| invalid("group_width", "is not between 2 and 65535"))?;
        let recoding = Recoding::with_coarser_or_declared(base, self.group_width, largest, declared);
        let recoding = recoding.map_err(|error| too_large(error.to_string()))?;
        check_columns(&recoding)?;
        Ok(recoding)
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        [Times(1.4, 4.1), Times(1.4, 4.1), Times(1.4, 3.5), Times(1.3, 3.3), Times(1.3, 3.2)]
    }

    /// Learns a network from noisy scores, measures its tables and makes them consistent.
    ///
    /// # Privacy
    /// Three kinds of releases, all inside the vault and all with Gaussian noise: under add/remove
    /// the number of rows (Δ 1), then the scores of pairs of columns (Δ 2 each; up to 3 + 2/n under
    /// replace-one), then one count table per pair of the network (Δ₂ 1, √2 under replace-one). All
    /// decisions in between, and all that follows, read released values and the schema.
    ///
    /// # Reference
    /// Bao, Xiao, Zhao, Zhang, Ding, Synthetic data generation with differential privacy via
    /// Bayesian networks, JPC 2021, sections 2 and 3.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, .. }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        vault.recode(recoding.clone())?;
        check_columns(recoding)?;
        let versions = Versions::of_recoding(recoding);
        let mut pairs = versions.pairs();
        let (rows, shares, budget) = rows(vault, budget, pairs.len(), self.share_units()?)?;
        let for_tables = shares.for_tables(budget.amount());
        let tau = tau::<A, M>(vault.max_contributions(), rows.in_tau(), for_tables, &versions);
        // No table can hold the other pairs.
        pairs.retain(|&[left, right]| versions.cells(left) * versions.cells(right) <= tau);
        let (scores, budget) = noisy_scores(vault, budget, &shares, &pairs, &versions)?;
        let network = Learner::new(&versions, &scores, tau).network();
        let cliques: Vec<Clique> = network.iter().map(|drawn| drawn.table.clone()).collect();
        let tables = vault.measure(&cliques, budget)?;
        let rows = match &rows {
            RowCount::Public(rows) => *rows,
            RowCount::Noisy(counted) => whole(estimated_rows(counted.iter().chain(&*tables))),
        };
        let tables = post_processing::network_tables(network, &tables, rows, recoding, self)?;
        Ok(Fitted::new(Distribution::Network(tables), rows))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline::outline(outline, recoding, self, amount)
    }
}

/// The number of rows before tables are measured.
enum RowCount {
    Public(u64),
    /// Its noisy count; `None` if there is no pair of columns, and so no table to bound.
    Noisy(Option<NoisyTable>),
}

impl RowCount {
    /// The paper's n*.
    fn in_tau(&self) -> f64 {
        match self {
            Self::Public(rows) => *rows as f64,
            Self::Noisy(counted) => counted.iter().flat_map(NoisyTable::values).sum::<i64>() as f64,
        }
    }
}

/// Returns the number of rows, measured with an even share of the network's budget if it is
/// private, and the budget that is left.
fn rows<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    pairs: usize,
    network: u32,
) -> Result<(RowCount, Shares, Budget<A, M>), MechanismError> {
    match A::row_total(vault)? {
        RowTotal::Public(rows) => Ok((RowCount::Public(*rows), Shares::after_public_rows(pairs, network), budget)),
        RowTotal::Estimated if pairs == 0 => Ok((RowCount::Noisy(None), Shares { scores: None }, budget)),
        RowTotal::Estimated => {
            let (for_rows, shares) = Shares::after_noisy_rows(pairs, network);
            let (for_rows, rest) = budget.split(for_rows);
            let counted = vault.measure(&[Clique::empty()], for_rows)?.into_inner().pop();
            Ok((RowCount::Noisy(counted), shares, rest))
        }
    }
}

/// Split of the budget that is left after the number of rows into scores and tables.
#[derive(Debug, PartialEq, Eq)]
struct Shares {
    /// Fraction for the scores; `None` if there are none.
    scores: Option<Fraction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction {
    numerator: u32,
    denominator: u32,
}

impl Shares {
    /// Gives the whole share of the network to the scores, as the number of rows costs nothing.
    fn after_public_rows(pairs: usize, network: u32) -> Self {
        Self { scores: (pairs > 0).then_some(Fraction { numerator: network, denominator: SHARE_UNITS }) }
    }

    /// Gives one of `pairs + 1` equal parts of the network's share to the number of rows. Returns
    /// that share of the whole, and the scores' share of the rest.
    fn after_noisy_rows(pairs: usize, network: u32) -> (Share, Self) {
        let parts = u32::try_from(pairs + 1).ok().and_then(|parts| parts.checked_mul(SHARE_UNITS));
        let whole = parts.expect("there are few enough columns");
        // Less than the whole, because the network's share is.
        let numerator = network * (whole / SHARE_UNITS - 1);
        let for_rows = Share::of(network, whole).expect("the network's share is less than the whole");
        (for_rows, Self { scores: Some(Fraction { numerator, denominator: whole - network }) })
    }

    /// Minimum amount for the tables.
    fn for_tables<M: Accounting>(&self, rest: Amount<M>) -> Amount<M> {
        match self.scores {
            None => rest,
            // Divided first, so that it fits; the lost quanta do not matter for a bound on cells.
            Some(Fraction { numerator, denominator }) => rest.parts(denominator - numerator, denominator),
        }
    }
}

/// Returns the maximum number of cells of a table of more than one column: `n* / (4 σ)`, where `σ`
/// is the noise of a table for the maximum number of tables. At least one.
///
/// # Reference
/// Section 2.4, choice of tau.
fn tau<A: MethodAdjacency, M: Accounting>(
    unit: NonZeroU32,
    rows: f64,
    for_tables: Amount<M>,
    versions: &Versions,
) -> u128 {
    let max_tables = versions.max_tables();
    let share = for_tables.divided(max_tables);
    let noise = M::noise(A::table_sensitivity(unit), share);
    let sigma = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
    // However large the budget, tables have to fit memory.
    let max_cells = limits::CELLS_PER_TABLE.min(limits::CELLS_PER_MODEL / (2 * max_tables.max(1) as u128));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a cell is none; saturating"
    )]
    let cells = (rows / (4.0 * sigma)) as u128;
    cells.clamp(1, max_cells.max(1))
}

/// Measures a noisy score for each pair. Also returns the budget that is left.
///
/// # Reference
/// Algorithm 1, with the score of equation (2.1).
fn noisy_scores<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    shares: &Shares,
    pairs: &[[AttributeId; 2]],
    versions: &Versions,
) -> Result<(PairScores, Budget<A, M>), MechanismError> {
    let columns = versions.domain().len();
    let share = shares.scores.filter(|_| !pairs.is_empty());
    let Some(Fraction { numerator, denominator }) = share else {
        return Ok((PairScores::new(columns, UNSCORED, []), budget));
    };
    let (for_scores, rest) = budget.split(Share::of(numerator, denominator).expect("tables get something too"));
    Ok((PairScores::measure(vault, columns, UNSCORED, pairs, for_scores)?, rest))
}

#[cfg(test)]
mod tests;
