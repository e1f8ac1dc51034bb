//! The two phases of `PrivBayes` that ask about rows: the network, and its noisy tables.
//!
//! # Reference
//! Zhang, Cormode, Procopiuc, Srivastava, Xiao, `PrivBayes`, SIGMOD 2014 (below: 2014), Algorithms
//! 1 and 2.

mod bound;
mod candidates;
mod columns;
mod greedy_bayes;
mod noisy_tables;
pub(crate) mod outline;

use bound::{Bound, mean_noise};
pub(crate) use candidates::Candidate;
pub(crate) use columns::Columns;
use greedy_bayes::Learning;
pub(crate) use greedy_bayes::Shape;
pub(crate) use noisy_tables::NoisyTables;

use std::num::NonZeroU32;

use scumble_schema::{AttributeId, Clique, limits};
use scumble_vault::account::Amount;
use scumble_vault::{Budget, NoisyTable, Selecting, Share, Vault};

use super::options::Options;
use crate::error::MechanismError;
use crate::learning::noisy::{counts, estimated_rows};
use crate::mechanism::terms::{MethodAdjacency, RowTotal};

/// Share of the budget for the number of rows where it is private. The number limits the size of
/// tables, for which a few percent hardly matter; the sums of tables improve it afterwards.
const ROWS_SHARE: Share = Share::of(1, 50).expect("a proper fraction");

/// A network and the noisy tables that its conditionals come from.
#[derive(Debug)]
pub(crate) struct MeasuredNetwork {
    /// Every column that is drawn, with its parents, in the order of drawing.
    pub(crate) pairs: Vec<Candidate>,
    /// The tables that were measured.
    pub(crate) tables: NoisyTables,
    /// The number of rows: public, or the best estimate from all releases.
    pub(crate) rows: f64,
}

impl MeasuredNetwork {
    /// Learns a network and measures its tables.
    ///
    /// # Privacy
    /// At most three kinds of releases, all inside the vault: the number of rows (add/remove only),
    /// one selection per step of the greedy search, and the tables. Questions depend on the schema,
    /// the options and earlier releases.
    pub(crate) fn learn<A: MethodAdjacency, M: Selecting>(
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        columns: &Columns,
        options: &Options,
        shape: Shape<'_>,
    ) -> Result<Self, MechanismError> {
        let (known_rows, budget) = released_rows(vault, budget)?;
        let beta = options.network_share()?;
        let public = Public { rows: known_rows.value(), unit: vault.max_contributions(), amount: budget.amount() };
        let learning = public.learning::<A>(columns, options, shape)?;
        let (mut pairs, budget) = if learning.has_alternatives() {
            let (for_network, for_tables) = budget.split(beta);
            (learning.greedy_bayes(vault, for_network)?, for_tables)
        } else {
            (learning.only_network(), budget)
        };
        pairs.extend(constant(columns));
        if let Some(cells) = learning.ruled_cells(&pairs).filter(|&cells| cells > limits::CELLS_PER_MODEL) {
            return Err(MechanismError::TooLarge {
                problem: format!("rules and tables tie columns together into a model of {cells} cells"),
                hint: "choose `auto`, or declare wider bins for columns that rules are about".into(),
            });
        }
        let tables = NoisyTables::measure(vault, budget, columns, &pairs)?;
        let rows = known_rows.improved_by(tables.released());
        Ok(Self { pairs, tables, rows })
    }
}

/// Public facts that the first phase depends on, besides the schema and the options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Public<M: Selecting> {
    /// The number of rows: public, or noisy.
    pub(crate) rows: f64,
    /// Maximum number of rows that one unit contributes.
    pub(crate) unit: NonZeroU32,
    /// Amount for the network and its tables together.
    pub(crate) amount: Amount<M>,
}

impl<M: Selecting> Public<M> {
    /// Prepares the first phase. Asks nothing.
    pub(crate) fn learning<'a, A: MethodAdjacency>(
        &self,
        columns: &'a Columns<'a>,
        options: &Options,
        shape: Shape<'a>,
    ) -> Result<Learning<'a>, MechanismError> {
        let informative: Vec<AttributeId> =
            columns.drawn().filter(|&column| columns.domain().size(column) > 1).collect();
        let bound = if let Some(degree) = options.degree {
            Bound::of_degree(usize::try_from(degree).unwrap_or(usize::MAX))
        } else {
            let sizes: Vec<u32> = informative.iter().map(|&column| columns.domain().size(column)).collect();
            let noise = mean_noise::<A, M>(self.unit, for_tables(self.amount, options.beta));
            Bound::of_usefulness(options.theta, self.rows, &sizes, noise)
        };
        Learning::new(columns, &informative, bound, options.score, shape)
    }
}

/// Returns the columns of one code, about which nothing is asked.
fn constant(columns: &Columns) -> Vec<Candidate> {
    let constant = columns.drawn().filter(|&column| columns.domain().size(column) <= 1);
    constant.map(|column| (column, Clique::empty())).collect()
}

/// Amount for the tables if a network is learned first. For planning: the budget is split exactly.
fn for_tables<M: Selecting>(amount: Amount<M>, beta: f64) -> Amount<M> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between nothing and a million")]
    let millionths = (beta * 1e6).clamp(0.0, 1e6) as u128;
    Amount::from_quanta(amount.quanta() - amount.quanta() / 1_000_000 * millionths)
}

/// The number of rows before tables are measured.
enum KnownRows {
    Public(f64),
    Noisy(NoisyTable),
}

fn released_rows<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
) -> Result<(KnownRows, Budget<A, M>), MechanismError> {
    match A::row_total(vault)? {
        RowTotal::Public(rows) => Ok((KnownRows::Public(*rows as f64), budget)),
        RowTotal::Estimated => {
            let (share, rest) = budget.split(ROWS_SHARE);
            let tables = vault.measure(&[Clique::empty()], share)?;
            Ok((KnownRows::Noisy(tables[0].clone()), rest))
        }
    }
}

impl KnownRows {
    fn value(&self) -> f64 {
        match self {
            Self::Public(rows) => *rows,
            Self::Noisy(counted) => counts(counted)[0].max(0.0),
        }
    }

    /// Returns the estimate with the sums of noisy tables.
    fn improved_by(&self, tables: &[NoisyTable]) -> f64 {
        match self {
            Self::Public(rows) => *rows,
            Self::Noisy(counted) => estimated_rows(tables.iter().chain([counted])),
        }
    }
}
