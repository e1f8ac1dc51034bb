#![doc = include_str!("privbayes.md")]
//!
//! [`pb_pgm`]: crate::pb_pgm

pub(crate) mod network;
pub(crate) mod options;

use scumble_pgm::network::{EmptyParents, Network, Pair, ToProbabilities};
use scumble_schema::{Clique, Domain, Hierarchies, Recoding, SchemaError};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, Budget, Selecting, Vault};

use self::network::{Candidate, Columns, MeasuredNetwork, Shape};
pub use self::options::{Encoding, Options, Score};
use crate::error::MechanismError;
use crate::learning::noisy::whole;
use crate::mechanism::option::invalid;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::{Consistency, Distribution, Fitted, NetworkTables, hierarchies};
use crate::planning::outline::{ErrorRange, Outline};

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "A Bayesian network is selected at random in favour of strong relations, its tables are measured with Laplace noise, and rows are \
         drawn along it: Zhang, Cormode, Procopiuc, Srivastava and Xiao, 2014."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Pure]
    }

    /// Returns the columns of the encoding, with declared levels in place of groups of neighbours.
    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.network_share()?;
        if !(self.theta.is_finite() && self.theta > 0.0) {
            return Err(invalid("theta", "must be a number above zero"));
        }
        if !(2..=1 << 15).contains(&self.group) {
            return Err(invalid("group", "must be a number of codes from 2 to 32768"));
        }
        let too_large = |error: SchemaError| MechanismError::TooLarge {
            problem: format!("the columns of this encoding do not fit: {error}"),
            hint: "coarsen the largest columns in the schema, or choose `encoding=vanilla`".into(),
        };
        match self.encoding {
            Encoding::Binary => Recoding::binary(base).map_err(too_large),
            Encoding::Vanilla => Ok(Recoding::identity(base)),
            Encoding::Hierarchical => {
                let largest = self.group * self.group;
                Recoding::with_coarser_or_declared(base, self.group, largest, declared).map_err(too_large)
            }
        }
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        [Times(1.4, 5.7), Times(1.4, 5.7), Times(1.4, 5.3), Times(1.2, 4.9), Times(1.3, 4.7)]
    }

    /// Learns a network, measures its tables and makes conditional distributions of them.
    ///
    /// # Privacy
    /// All releases are inside the vault. Under add/remove: the number of rows, Δ = 1; d - 1
    /// selections by the exponential mechanism, with Δ = 1 for `F` and 2 for `R`; and the tables, Δ
    /// = 1 each. Under replace-one the number of rows is public, Δ is that of
    /// [`scumble_vault::score`] for selections and 2 for tables. Distributions are computed from
    /// released tables only.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, .. }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        vault.recode(recoding.clone())?;
        let columns = Columns::new(recoding);
        let MeasuredNetwork { pairs, tables, rows } =
            MeasuredNetwork::learn(vault, budget, &columns, self, Shape::Any)?;
        let pairs = with_head(pairs);
        let counts = pairs.iter().map(|pair| tables.counts(&columns, &pair.clique())).collect::<Result<Vec<_>, _>>()?;
        let network = Network::with_hierarchies(recoding.domain().clone(), hierarchies(recoding)?, pairs)?;
        let (to, empty) = (ToProbabilities::ClipAndNormalise, EmptyParents::ChildMarginal);
        let network = NetworkTables::new(network, counts, to, empty, Consistency::None)?;
        Ok(Fitted::new(Distribution::Network(network), whole(rows)))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        network::outline::outline(outline, &Columns::new(recoding), self, amount, Shape::Any)
    }
}

/// Merges the first columns into one head if they share a table. Their conditionals are derived
/// from it after its counts have become probabilities.
///
/// # Reference
/// 2014, Algorithm 1, lines 7 and 8.
fn with_head(pairs: Vec<Candidate>) -> Vec<Pair> {
    let mut head = Clique::empty();
    let mut rest = pairs.into_iter().peekable();
    while let Some((child, _)) = rest.next_if(|(_, parents)| *parents == head) {
        head = head.union(&Clique::single(child));
    }
    let first = (!head.is_empty()).then(|| Pair::head(head.attributes().iter().copied()));
    let others = rest.map(|(child, parents)| Pair::new(child, parents.attributes().iter().copied()));
    first.into_iter().chain(others).collect()
}
