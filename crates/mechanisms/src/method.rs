//! The methods by name, and the one way to run them.

use std::fmt;
use std::str::FromStr;

use scumble_schema::{AdjacencyKind, Schema};
use scumble_vault::ledger::{Job, Plan};
use scumble_vault::{
    Accounting, AccountingKind, AddRemove, Adjacency, ApproxDp, Budget, Delta, Gdp, MarginalSource, Pure, ReplaceOne,
    Vault,
};
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

    /// How the method's releases are added up to reach `goal`.
    pub fn accounting(self, goal: ApproxDp) -> AccountingKind {
        match self {
            // Gaussian noise promises nothing without a delta.
            Self::Independent if goal.delta == Delta::ZERO => AccountingKind::Pure,
            Self::Independent => AccountingKind::Gdp,
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

/// What a fit is about to do, for the ledger.
///
/// Fits of the same schema, method and goal ask the same questions, so that one that was cut off can be taken up by another.
pub fn plan(schema: &Schema, method: Method, goal: ApproxDp) -> Plan {
    let privacy = schema.privacy();
    let request = serde_json::json!({ "schema": schema.to_spec(), "method": method, "goal": goal });
    Plan {
        adjacency: privacy.adjacency,
        privacy_unit: privacy.unit.to_string(),
        max_contributions: privacy.max_contributions,
        accounting: method.accounting(goal),
        goal,
        description: method.to_string(),
        request: request.to_string(),
    }
}

/// Fits a model of `schema` to the rows behind `source`, on a job of a ledger if one is given.
///
/// # Privacy
/// `(epsilon, delta)`-differentially private for neighbours as the schema declares them; the certificate in the model says
/// what was reached. The source goes into the vault and is dropped with it. The job is left open: it is for the caller to
/// commit it once the model is durable.
pub fn fit(
    schema: &Schema,
    source: Box<dyn MarginalSource>,
    method: Method,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<Model, MechanismError> {
    let privacy = schema.privacy();
    if source.domain() != schema.domain() || source.bound() != privacy.bound() {
        return Err(MechanismError::OtherSchema);
    }
    let request = Request { schema, method, goal, job };
    match (privacy.adjacency, method.accounting(goal)) {
        (AdjacencyKind::AddRemove, AccountingKind::Pure) => request.run::<AddRemove, Pure>(source, estimated),
        (AdjacencyKind::AddRemove, _) => request.run::<AddRemove, Gdp>(source, estimated),
        (AdjacencyKind::ReplaceOne, AccountingKind::Pure) => request.run::<ReplaceOne, Pure>(source, public),
        (AdjacencyKind::ReplaceOne, _) => request.run::<ReplaceOne, Gdp>(source, public),
    }
}

/// A fit, before its neighbours and its accounting have become types.
struct Request<'a> {
    schema: &'a Schema,
    method: Method,
    goal: ApproxDp,
    job: Option<&'a Job>,
}

impl Request<'_> {
    fn run<A: Adjacency, M: Accounting>(
        &self,
        source: Box<dyn MarginalSource>,
        rows: fn(&Vault<A, M>) -> Result<RowTotal, MechanismError>,
    ) -> Result<Model, MechanismError> {
        let most = self.schema.privacy().max_contributions;
        let (vault, budget) = match self.job {
            Some(job) => Vault::open_on(job, source, self.goal, most)?,
            None => Vault::open(source, self.goal, most)?,
        };
        let rows = rows(&vault)?;
        fit_in(vault, budget, self.schema, self.method, rows)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "where the number of rows is public it is counted, which may fail")]
fn estimated<M: Accounting>(_: &Vault<AddRemove, M>) -> Result<RowTotal, MechanismError> {
    Ok(RowTotal::Estimated)
}

fn public<M: Accounting>(vault: &Vault<ReplaceOne, M>) -> Result<RowTotal, MechanismError> {
    Ok(RowTotal::Public(vault.row_count()?))
}

/// Fits a model in a vault that is open already, and closes it.
///
/// # Privacy
/// All that the method learns about rows, it learns from the vault. That is what the replay test forces on a neighbouring
/// table.
pub fn fit_in<A: Adjacency, M: Accounting>(
    mut vault: Vault<A, M>,
    budget: Budget<A, M>,
    schema: &Schema,
    method: Method,
    rows: RowTotal,
) -> Result<Model, MechanismError> {
    let fitted = match method {
        Method::Independent => independent::fit(&mut vault, budget, schema.domain(), rows)?,
    };
    Ok(Model::new(method, schema.clone(), fitted, vault.close()))
}
