//! Runs a method on a source of counts.

use std::num::NonZeroU32;

use scumble_planted::Mutant;
use scumble_schema::Schema;
use scumble_vault::account::{Question, ThresholdDelta};
#[cfg(feature = "audit")]
use scumble_vault::audit::{self, Measured, PrivacyLoss};
use scumble_vault::ledger::{Job, JobPlan};
use scumble_vault::{AccountingKind, ApproxDp, Budget, Delta, MarginalSource, Vault};

use crate::error::MechanismError;
use crate::learning::rules;
use crate::mechanism::ModelTerms;
use crate::mechanism::method::Method;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};
use crate::model::Model;
use crate::model::origin::Origin;
use crate::quality::{Check, Figures};

/// Describes a fit for the ledger.
///
/// Fits of the same schema, method and goal ask the same questions, so one that was interrupted can
/// be resumed by another.
pub fn plan(schema: &Schema, method: &Method, goal: ApproxDp) -> JobPlan {
    let privacy = schema.privacy();
    let request = serde_json::json!({ "schema": schema.to_spec(), "method": method, "goal": goal });
    JobPlan {
        adjacency: privacy.adjacency,
        privacy_unit: privacy.unit.to_string(),
        max_contributions: privacy.max_contributions,
        accounting: method.accounting(goal),
        goal,
        for_thresholds: ThresholdDelta::ZERO,
        description: method.to_string(),
        request: request.to_string(),
        command: None,
    }
}

/// Returns the request of a plan with one more parameter.
pub fn request_with(request: &str, name: &str, value: serde_json::Value) -> String {
    match serde_json::from_str(request) {
        Ok(serde_json::Value::Object(mut fields)) => {
            fields.insert(name.into(), value);
            serde_json::Value::Object(fields).to_string()
        }
        _ => format!("{request}{value}"),
    }
}

/// Fits a model of `schema` to the rows behind `source`, on a job of a ledger if one is given.
///
/// # Privacy
/// `(epsilon, delta)`-differentially private for neighbours as the schema declares them; the
/// certificate in the model states what was spent. The source goes into the vault and is dropped
/// with it. The job stays open: the caller commits it once the model is durable.
pub fn fit(
    schema: &Schema,
    source: Box<dyn MarginalSource>,
    method: &Method,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<Model, MechanismError> {
    fit_and_check(schema, source, method, goal, None, job)
}

/// Fits a model as [`fit`] does, and spends a share of the budget on comparing rows of the model
/// with the real ones, if a check is given. The model has the result.
///
/// # Errors
/// Those of [`fit`], and if a figure of the check cannot be measured.
pub fn fit_and_check(
    schema: &Schema,
    source: Box<dyn MarginalSource>,
    method: &Method,
    goal: ApproxDp,
    check: Option<&Check>,
    job: Option<&Job>,
) -> Result<Model, MechanismError> {
    let privacy = schema.privacy();
    let bound = if Mutant::FitIgnoresTheBound.is_planted() { source.bound() } else { privacy.bound() };
    if source.domain() != schema.domain() || source.bound() != bound {
        return Err(MechanismError::OtherSchema);
    }
    let fit = Fit { prepared: Prepared::new(schema, method, goal)?.with_check(check)?, source, job, goal };
    on_terms(privacy.adjacency, method.accounting(goal), fit)
}

/// Fits a model to the rows of one of two tables, and returns the privacy loss of every release
/// between them.
///
/// # Privacy
/// The losses are exact functions of both tables: NOT PRIVATE, and the certificate in the model is
/// stamped so.
///
/// # Errors
/// Those of [`fit`].
#[cfg(feature = "audit")]
pub fn fit_audited(
    schema: &Schema,
    table: Box<dyn MarginalSource>,
    neighbour: Box<dyn MarginalSource>,
    measured: Measured,
    method: &Method,
    goal: ApproxDp,
) -> Result<(Model, Vec<PrivacyLoss>), MechanismError> {
    let privacy = schema.privacy();
    let fits = |source: &dyn MarginalSource| source.domain() == schema.domain() && source.bound() == privacy.bound();
    if !fits(&*table) || !fits(&*neighbour) {
        return Err(MechanismError::OtherSchema);
    }
    let fit = AuditedFit { prepared: Prepared::new(schema, method, goal)?, table, neighbour, measured, goal };
    on_terms(privacy.adjacency, method.accounting(goal), fit)
}

/// Fits a model in an open vault, and closes the vault.
///
/// # Privacy
/// The method learns about rows through the vault alone. The replay test relies on this: it gives
/// the answers of one table to a fit on a neighbouring one.
pub fn fit_in<A: MethodAdjacency, M: MethodAccounting>(
    vault: Vault<A, M>,
    budget: Budget<A, M>,
    schema: &Schema,
    method: &Method,
) -> Result<Model, MechanismError> {
    fit_and_check_in(vault, budget, schema, method, None)
}

/// Fits a model in an open vault, checks its rows if a check is given, and closes the vault.
///
/// # Privacy
/// As for [`fit_in`].
pub fn fit_and_check_in<A: MethodAdjacency, M: MethodAccounting>(
    vault: Vault<A, M>,
    budget: Budget<A, M>,
    schema: &Schema,
    method: &Method,
    check: Option<&Check>,
) -> Result<Model, MechanismError> {
    Prepared::unchecked(schema, method)?.with_check(check)?.fit(vault, budget)
}

/// A schema and a method that were checked against each other, before any row is read.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) schema: &'a Schema,
    /// The method as the caller gave it.
    pub(crate) method: &'a Method,
    /// The method with names of columns replaced by their positions in the schema.
    pub(crate) resolved: Method,
    pub(crate) model: ModelTerms,
    /// The check of rows, with its figures.
    check: Option<(&'a Check, Figures<'a>)>,
}

impl<'a> Prepared<'a> {
    /// Checks the schema and the method, so that a fit that must fail spends nothing.
    ///
    /// # Errors
    /// If the method cannot reach the goal, cannot keep the schema's rules, or has an invalid
    /// option.
    pub(crate) fn new(schema: &'a Schema, method: &'a Method, goal: ApproxDp) -> Result<Self, MechanismError> {
        if goal.delta == Delta::ZERO && method.accounting(goal) != AccountingKind::Pure {
            return Err(MechanismError::NeedsDelta { method: method.name() });
        }
        Self::unchecked(schema, method)
    }

    fn unchecked(schema: &'a Schema, method: &'a Method) -> Result<Self, MechanismError> {
        if !schema.rules().is_empty() && !method.keeps_rules() {
            return Err(MechanismError::NoRules { method: method.name() });
        }
        let terms = || Ok(ModelTerms { recoding: method.recoding_of(schema)?, rules: rules::zeros(schema)? });
        let model = terms().map_err(|error: MechanismError| error.naming_columns(schema))?;
        Ok(Self { schema, method, resolved: method.of_schema(schema)?, model, check: None })
    }

    /// Adds a check of rows of the model.
    ///
    /// # Errors
    /// If a figure cannot be measured.
    fn with_check(self, check: Option<&'a Check>) -> Result<Self, MechanismError> {
        let check = check
            .map(|check| Ok::<_, MechanismError>((check, check.figures(self.schema, self.method.workload())?)))
            .transpose()?;
        Ok(Self { check, ..self })
    }

    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        self,
        mut vault: Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<Model, MechanismError> {
        let Self { schema, method, resolved, model, check } = self;
        let (for_check, budget) = match &check {
            Some((check, _)) => {
                let (for_check, budget) = check.split(budget);
                (Some(for_check), budget)
            }
            None => (None, budget),
        };
        let fitted = resolved.fit(&mut vault, budget, &model).map_err(|error| error.naming_columns(schema))?;
        let checked = match (check, for_check) {
            (Some((check, figures)), Some(budget)) => Some(check.run(&mut vault, budget, &fitted, &figures)?),
            _ => None,
        };
        let recoding = vault.recoding();
        let mut released = vault.released_values().to_vec();
        let assumptions =
            if Mutant::CertificateWithoutAssumptions.is_planted() { Vec::new() } else { schema.assumptions() };
        let certificate = vault.close().with_assumptions(assumptions);
        // Learned categories are in the schema. Their counts are not kept.
        for (event, values) in certificate.events().iter().zip(&mut released) {
            if matches!(event.question(), Question::Values { .. }) {
                values.clear();
            }
        }
        let origin = Origin::Measured { method: method.clone(), released, certificate };
        Ok(Model::new(schema.clone(), recoding, fitted, origin).with_checked(checked))
    }
}

/// A fit whose adjacency and accounting are not yet types.
struct Fit<'a> {
    prepared: Prepared<'a>,
    source: Box<dyn MarginalSource>,
    job: Option<&'a Job>,
    goal: ApproxDp,
}

impl OnTerms for Fit<'_> {
    type Output = Result<Model, MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let max_rows = self.prepared.schema.privacy().max_contributions;
        let max_rows = if Mutant::FitForOneRow.is_planted() { NonZeroU32::MIN } else { max_rows };
        let (vault, budget) = match self.job {
            Some(job) => Vault::open_on(job, self.source, self.goal, max_rows)?,
            None => Vault::open(self.source, self.goal, max_rows)?,
        };
        self.prepared.fit::<A, M>(vault, budget)
    }
}

/// An audited fit whose adjacency and accounting are not yet types.
#[cfg(feature = "audit")]
struct AuditedFit<'a> {
    prepared: Prepared<'a>,
    table: Box<dyn MarginalSource>,
    neighbour: Box<dyn MarginalSource>,
    measured: Measured,
    goal: ApproxDp,
}

#[cfg(feature = "audit")]
impl OnTerms for AuditedFit<'_> {
    type Output = Result<(Model, Vec<PrivacyLoss>), MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let max_rows = self.prepared.schema.privacy().max_contributions;
        let (vault, budget, losses) = audit::open(self.table, self.neighbour, self.measured, self.goal, max_rows)?;
        let model = self.prepared.fit::<A, M>(vault, budget)?;
        Ok((model, losses.finish()))
    }
}
