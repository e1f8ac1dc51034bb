#![doc = include_str!("pb_pgm.md")]
//!
//! [`privbayes`]: crate::privbayes

use scumble_pgm::{Estimator, JunctionTree, Stop, Total};
use scumble_schema::{Domain, Hierarchies, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, Budget, Selecting, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::learning::noisy::{measurements, whole};
use crate::learning::rules::cliques;
use crate::mechanism::option::invalid;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::methods::privbayes::network::{Columns, MeasuredNetwork, Shape, outline as network};
use crate::methods::privbayes::options::{Encoding, Options as NetworkOptions};
use crate::model::fitted::{Distribution, Fitted};
use crate::planning::outline::{ErrorRange, Outline};

/// Options of `pb-pgm`: those of `privbayes`, which learns the network.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Options(pub NetworkOptions);

/// Maximum number of cells of the junction tree of the tables: a pass over it takes milliseconds,
/// and an estimate a few hundred passes.
const MAX_TREE_CELLS: u128 = 1_000_000;

/// Stopping rule of the search for the nearest distribution.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 500 };

/// Typical number of passes of the search.
const PASSES: f64 = 120.0;

impl Options {
    fn check(&self) -> Result<(), MechanismError> {
        if self.0.encoding == Encoding::Hierarchical {
            return Err(invalid("encoding", "`hierarchical` has no graphical model: choose `vanilla` or `binary`"));
        }
        Ok(())
    }
}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "A Bayesian network is selected as in PrivBayes and its tables are measured; then one graphical model is fitted to all of them."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Pure, AccountingKind::Zcdp]
    }

    fn keeps_rules(&self) -> bool {
        self.0.encoding == Encoding::Vanilla
    }

    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.0.recoding(base, declared)
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        [Times(1.3, 4.2), Times(1.3, 4.2), Times(1.4, 5.0), Times(1.1, 5.4), Times(1.2, 6.0)]
    }

    /// Learns a network, measures its tables, and fits the graphical model that is nearest to them.
    /// It gives no probability to combinations that rules forbid.
    ///
    /// # Privacy
    /// The releases are those of [`privbayes`], with candidates from another public list. The model
    /// is fitted to released tables only.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, rules }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        self.check()?;
        vault.recode(recoding.clone())?;
        let columns = Columns::new(recoding);
        let domain = recoding.domain();
        let tied = cliques(rules);
        let unavoidable = if tied.is_empty() { 0 } else { JunctionTree::predicted_cells(domain, &tied) };
        let shape = Shape::SmallTree { cells: MAX_TREE_CELLS + unavoidable, ruled: &tied };
        let MeasuredNetwork { tables, rows, .. } = MeasuredNetwork::learn(vault, budget, &columns, &self.0, shape)?;
        let measurements = measurements(domain, tables.released())?;
        // At least one row: a distribution of no rows has no shape.
        let estimator = Estimator::new(domain.clone()).total(Total::Fixed(rows.max(1.0)));
        let model = estimator.zeros(rules.clone()).stop(STOP).estimate(&measurements)?.model;
        Ok(Fitted::new(Distribution::Tree(model), whole(rows)))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        self.check()?;
        let shape = Shape::SmallTree { cells: MAX_TREE_CELLS, ruled: &[] };
        network::outline(outline, &Columns::new(recoding), &self.0, amount, shape)?;
        outline.work.fitted = PASSES * outline.work.model_cells;
        Ok(())
    }
}
