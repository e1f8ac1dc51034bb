//! The methods by name, and the one way to run them.

use std::fmt;
use std::str::FromStr;

use scumble_schema::{AdjacencyKind, Schema};
use scumble_vault::{AddRemove, Adjacency, ApproxDp, Budget, MarginalSource, ReplaceOne, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::independent::{self, RowTotal};
use crate::model::Model;

/// A method of fitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// One noisy table per column; columns come out independent of each other.
    Independent,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 1] = [Self::Independent];

    /// Whether the method asks for all its counts at once. Then rows need not be kept; a method that asks again and again
    /// wants them kept as codes.
    pub fn asks_once(self) -> bool {
        match self {
            Self::Independent => true,
        }
    }

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| format!("no such method; there is {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Fits a model of `schema` to the rows behind `source`.
///
/// # Privacy
/// `(epsilon, delta)`-differentially private for neighbours as the schema declares them; the certificate in the model says
/// what was reached. The source goes into the vault and is dropped with it.
pub fn fit(
    schema: &Schema,
    source: Box<dyn MarginalSource>,
    method: Method,
    goal: ApproxDp,
) -> Result<Model, MechanismError> {
    let privacy = schema.privacy();
    if source.domain() != schema.domain() || source.bound() != privacy.bound() {
        return Err(MechanismError::OtherSchema);
    }
    match privacy.adjacency {
        AdjacencyKind::AddRemove => {
            let (vault, budget) = Vault::<AddRemove>::open(source, goal, privacy.max_contributions)?;
            fit_in(vault, budget, schema, method, RowTotal::Estimated)
        }
        AdjacencyKind::ReplaceOne => {
            let (vault, budget) = Vault::<ReplaceOne>::open(source, goal, privacy.max_contributions)?;
            let rows = RowTotal::Public(vault.row_count()?);
            fit_in(vault, budget, schema, method, rows)
        }
    }
}

/// Fits a model in a vault that is open already, and closes it.
///
/// # Privacy
/// All that the method learns about rows, it learns from the vault. That is what the replay test forces on a neighbouring
/// table.
pub fn fit_in<A: Adjacency>(
    mut vault: Vault<A>,
    budget: Budget<A>,
    schema: &Schema,
    method: Method,
    rows: RowTotal,
) -> Result<Model, MechanismError> {
    let fitted = match method {
        Method::Independent => independent::fit(&mut vault, budget, schema.domain(), rows)?,
    };
    Ok(Model::new(method, schema.clone(), fitted, vault.close()))
}
