#![doc = include_str!("privbayes.md")]
//!
//! [`pb_pgm`]: crate::pb_pgm

use scumble_pgm::network::{EmptyParents, Network, Pair, ToProbabilities};
use scumble_schema::{Clique, Domain, Hierarchies, Recoding, SchemaError};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, Budget, Selecting, Share, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::fitted::{Consistency, Distribution, Fitted, NetworkTables, hierarchies};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::network_learning::{Candidate, Columns, MeasuredNetwork, Shape, outline as network};
use crate::noisy::whole;
use crate::outline::{ErrorRange, Outline};
use crate::terms::{MethodAccounting, MethodAdjacency};

/// What may be chosen of `privbayes`, and of `pb-pgm`, which learns the same network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The share of the budget that goes into the network, above 0 and below 1; the rest goes into tables. 0.3 as in the
    /// papers of 2017 and 2021, 0.5 in that of 2014.
    pub beta: f64,
    /// How many times the noise a cell of a table has to hold on average.
    pub theta: f64,
    /// How candidates are scored.
    pub score: Score,
    /// What is made of columns of many codes.
    pub encoding: Encoding,
    /// The number of parents, instead of what `theta` allows.
    pub degree: Option<u32>,
    /// For the hierarchical encoding: how many neighbouring codes make one of the next coarser version. Columns of more
    /// than its square have one.
    pub group: u32,
}

impl Default for Options {
    fn default() -> Self {
        let (score, encoding) = (Score::Auto, Encoding::Vanilla);
        Self { beta: 0.3, theta: 4.0, score, encoding, degree: None, group: 4 }
    }
}

/// How candidates are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// `F` where all columns asked about are binary, `R` otherwise.
    Auto,
    /// The paper's F: how close a binary column is to being one half and decided by its parents.
    F,
    /// How far a column and its parents are from being independent, in rows.
    R,
    /// Mutual information, where the number of rows is public.
    I,
}

/// What is made of columns of many codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Every column is its binary digits, each a column of the network.
    Binary,
    /// Columns are as they are.
    Vanilla,
    /// Columns are as they are, and coarser versions of large ones may be parents.
    Hierarchical,
}

/// Shares of the budget are whole millionths.
const MILLION: u32 = 1_000_000;

impl Options {
    /// `beta` as an exact share.
    pub(crate) fn network_share(&self) -> Result<Share, MechanismError> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
        let millionths = (self.beta * f64::from(MILLION)).round() as u32;
        Share::of(millionths, MILLION).ok_or_else(|| refused("beta", "must be a share above 0 and below 1"))
    }
}

fn refused(option: &str, problem: &str) -> MechanismError {
    MechanismError::Option { option: option.into(), problem: problem.into() }
}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "A Bayesian network is chosen at random in favour of strong relations, its tables are measured with Laplace noise, and rows are \
         drawn along it: Zhang, Cormode, Procopiuc, Srivastava and Xiao, 2014."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Pure]
    }

    /// The columns of the encoding, with declared levels in place of neighbours where there are some.
    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.network_share()?;
        if !(self.theta.is_finite() && self.theta > 0.0) {
            return Err(refused("theta", "must be a number above zero"));
        }
        if !(2..=1 << 15).contains(&self.group) {
            return Err(refused("group", "must be a number of codes from 2 to 32768"));
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
    /// All releases are inside the vault. Under add/remove: the number of rows, Δ = 1; d - 1 selections by the exponential mechanism,
    /// with Δ = 1 for `F` and 2 for `R`; and the tables, Δ = 1 each. Under replace-one the number of rows is public, Δ is that of
    /// [`scumble_vault::score`] for selections and 2 for tables. Distributions are made of released tables only.
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
        network::outline(outline, &Columns::new(recoding), self, amount, Shape::Any)
    }
}

/// The pairs, with the first columns as one head if they share a table: their conditionals are derived from it after its
/// counts have become probabilities.
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
