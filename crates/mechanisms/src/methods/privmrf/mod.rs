#![doc = include_str!("privmrf.md")]

pub mod paper;

use scumble_schema::{Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{Budget, Selecting, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::learning::merging::Merging;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::methods::auto;
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

/// Profiles of `privmrf`, with their options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "profile", rename_all = "kebab-case")]
pub enum Options {
    /// The method [`auto`], which has the smallest errors.
    Best(auto::Options),
    /// The paper's algorithms.
    Paper(paper::Options),
}

impl Default for Options {
    fn default() -> Self {
        Self::Best(auto::Options::default())
    }
}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Tables are selected by the errors of the model so far, and a Markov random field is fitted to all measured tables: Cai, Lei, \
         Wei and Xiao, 2021."
    }

    fn keeps_rules(&self) -> bool {
        true
    }

    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        match self {
            Self::Best(options) => options.recoding(base, declared),
            Self::Paper(options) => options.recoding(base),
        }
    }

    fn merges(&self) -> Option<Merging> {
        match self {
            Self::Best(options) => options.merges(),
            Self::Paper(_) => None,
        }
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        match self {
            Self::Best(options) => options.measured_errors(),
            Self::Paper(_) => [Times(0.6, 3.5), Times(0.7, 2.0), Times(0.7, 2.3), Times(0.7, 2.7), Times(0.8, 3.1)],
        }
    }

    fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
        match self {
            Self::Best(options) => options.of_schema(schema).map(Self::Best),
            Self::Paper(options) => Ok(Self::Paper(options.clone())),
        }
    }

    /// Selects tables, measures them, and fits the Markov random field that is nearest to them. It
    /// gives no probability to combinations that rules forbid.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        model: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        match self {
            Self::Best(options) => options.fit(vault, budget, model),
            Self::Paper(options) => paper::fit(vault, budget, model, options),
        }
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        match self {
            Self::Best(options) => options.outline(outline, recoding, amount),
            Self::Paper(options) => paper::outline::outline(outline, recoding.domain(), options, amount),
        }
    }
}
