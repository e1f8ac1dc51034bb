//! The methods by name, and the one way to run them.

use std::fmt;
use std::num::NonZeroU32;

use scumble_pgm::StructuralZeros;
use scumble_planted::Mutant;
use scumble_schema::{AdjacencyKind, Domain, Recoding, Schema, SchemaError};
use scumble_vault::ledger::{Job, Plan};
use scumble_vault::{
    Accounting, AccountingKind, AddRemove, ApproxDp, Budget, Delta, Event, Gdp, MarginalSource, Pure, ReplaceOne,
    Vault, Zcdp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::MechanismError;
use crate::fitted::Fitted;
use crate::merging::merged_after;
use crate::model::Model;
use crate::neighbours::Neighbours;
use crate::origin::Origin;
use crate::privbayes::Encoding;
use crate::rules;
use crate::{aim, auto, independent, mst, pb_pgm, privbayes, privbayes_nist, privmrf, smoothed_histogram};

/// A method of fitting, with its options.
///
/// ```
/// use scumble_mechanisms::Method;
/// # use scumble_vault::{ApproxDp, Delta, Epsilon};
///
/// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
/// assert_eq!(Method::recommended(goal).name(), "auto");
/// let method = Method::named("privbayes")?.with_options(["theta=6", "encoding=hierarchical"])?;
/// assert!(Method::named("mst")?.with_options(["theta=6"]).is_err(), "there is no such option");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// One noisy table per column; columns come out independent of each other.
    #[serde(rename = "independent")]
    Independent,
    /// A Bayesian network chosen by the exponential mechanism, with pure differential privacy.
    #[serde(rename = "privbayes")]
    PrivBayes(privbayes::Options),
    /// A Bayesian network built on noisy scores of pairs, with Gaussian noise.
    #[serde(rename = "privbayes-nist")]
    PrivBayesNist(privbayes_nist::Options),
    /// The network of `privbayes` as a graphical model.
    #[serde(rename = "pb-pgm")]
    PbPgm(privbayes::Options),
    /// A Markov random field whose tables are chosen round by round, as large as the budget carries.
    #[serde(rename = "auto")]
    Auto(auto::Options),
    /// A Markov random field whose tables are chosen round by round for a workload.
    #[serde(rename = "aim")]
    Aim(aim::Options),
    /// A tree of the pairs of columns that tell most about each other.
    #[serde(rename = "mst")]
    Mst(mst::Options),
    /// A Markov random field whose tables are chosen by the paper's algorithms.
    #[serde(rename = "privmrf")]
    PrivMrf(privmrf::Options),
    /// Rows drawn from the smoothed table of all columns; for few columns and a public number of rows.
    #[serde(rename = "smoothed-histogram")]
    SmoothedHistogram(smoothed_histogram::Options),
}

impl Method {
    /// The names of all methods.
    pub const NAMES: [&str; 9] =
        ["aim", "auto", "independent", "mst", "privbayes", "privbayes-nist", "pb-pgm", "privmrf", "smoothed-histogram"];

    /// The method of this name with its default options.
    ///
    /// # Errors
    /// If there is no such method.
    pub fn named(name: &str) -> Result<Self, MechanismError> {
        match name {
            "independent" => Ok(Self::Independent),
            "privbayes" => Ok(Self::PrivBayes(privbayes::Options::default())),
            "privbayes-nist" => Ok(Self::PrivBayesNist(privbayes_nist::Options::default())),
            "pb-pgm" => Ok(Self::PbPgm(privbayes::Options::default())),
            "auto" => Ok(Self::Auto(auto::Options::default())),
            "aim" => Ok(Self::Aim(aim::Options::default())),
            "mst" => Ok(Self::Mst(mst::Options::default())),
            "privmrf" => Ok(Self::PrivMrf(privmrf::Options::default())),
            "smoothed-histogram" => Ok(Self::SmoothedHistogram(smoothed_histogram::Options::default())),
            _ => Err(MechanismError::NoSuchMethod { name: name.into() }),
        }
    }

    /// The method that measured best on the benchmark tables, of those that reach such a goal: see
    /// `docs/reproduction/auto.md`, and `docs/reproduction/privbayes.md` for a delta of 0.
    pub fn recommended(goal: ApproxDp) -> Self {
        if goal.delta == Delta::ZERO {
            Self::PbPgm(privbayes::Options::default())
        } else {
            Self::Auto(auto::Options::default())
        }
    }

    /// The same method with options such as `theta=6`. A value is read as JSON if it is, as text otherwise.
    ///
    /// # Errors
    /// If the method has no such option, or not that value of it.
    pub fn with_options<'a>(self, options: impl IntoIterator<Item = &'a str>) -> Result<Self, MechanismError> {
        let mut given = Map::new();
        for option in options {
            let refused = |problem: &str| MechanismError::Option { option: option.into(), problem: problem.into() };
            let (name, text) = option.split_once('=').ok_or_else(|| refused("has no value; write NAME=VALUE"))?;
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into()));
            if given.insert(name.trim().replace('-', "_"), value).is_some() {
                return Err(refused("is given twice"));
            }
        }
        if given.is_empty() {
            return Ok(self);
        }
        let refused = |problem: String| MechanismError::Option { option: given_names(&given), problem };
        match serde_json::to_value(&self).expect("options are plain numbers and names") {
            Value::Object(mut method) => {
                let options = method.values_mut().next().and_then(Value::as_object_mut);
                let options = options.expect("a method with options is an object of one");
                // Another profile has other options: it starts from its own defaults.
                if given.get("profile").is_some_and(|profile| options.get("profile") != Some(profile)) {
                    options.clear();
                }
                options.extend(given.clone());
                let method = serde_json::from_value(Value::Object(method));
                method.map_err(|error| refused(format!("is refused: {error}")))
            }
            _ => Err(refused(format!("is unknown: `{self}` has none"))),
        }
    }

    /// Whether the method asks for all its counts at once. Then rows need not be kept; a method that asks again and again
    /// wants them kept as codes.
    pub fn asks_once(&self) -> bool {
        match self {
            Self::Independent | Self::SmoothedHistogram(_) => true,
            Self::PrivBayes(_)
            | Self::PrivBayesNist(_)
            | Self::PbPgm(_)
            | Self::Aim(_)
            | Self::Auto(_)
            | Self::Mst(_)
            | Self::PrivMrf(_) => false,
        }
    }

    /// How the method's releases are added up to reach `goal`.
    pub fn accounting(&self, goal: ApproxDp) -> AccountingKind {
        match self {
            Self::PrivBayes(_) => AccountingKind::Pure,
            Self::Aim(options) => options.accounting.into(),
            Self::Mst(options) => options.accounting.into(),
            // They have no form without Gaussian noise, which promises nothing without a delta.
            Self::PrivBayesNist(_) | Self::Auto(_) | Self::PrivMrf(_) => AccountingKind::Gdp,
            _ if goal.delta == Delta::ZERO => AccountingKind::Pure,
            Self::Independent => AccountingKind::Gdp,
            Self::PbPgm(_) | Self::SmoothedHistogram(_) => AccountingKind::Zcdp,
        }
    }

    /// The columns that the method asks about.
    ///
    /// # Errors
    /// If an option is out of its range, or there would be too many columns.
    pub fn recoding(&self, base: &Domain) -> Result<Recoding, MechanismError> {
        match self {
            Self::Independent | Self::SmoothedHistogram(_) => Ok(Recoding::identity(base)),
            Self::PrivBayes(options) | Self::PbPgm(options) => options.recoding(base),
            Self::PrivBayesNist(options) => options.recoding(base),
            Self::Auto(options) => options.recoding(base),
            Self::Aim(options) => options.recoding(base),
            Self::Mst(options) => options.recoding(base),
            Self::PrivMrf(options) => options.recoding(base),
        }
    }

    /// The same for the columns of a schema, which may declare coarser versions of some.
    ///
    /// # Errors
    /// Those of [`Method::recoding`].
    pub fn recoding_of(&self, schema: &Schema) -> Result<Recoding, MechanismError> {
        let (base, declared) = (schema.domain(), schema.hierarchies());
        match self {
            Self::PrivBayes(options) | Self::PbPgm(options) => options.recoding_of(base, &declared),
            Self::PrivBayesNist(options) => options.recoding_of(base, &declared),
            Self::Auto(_) | Self::Mst(_) | Self::PrivMrf(privmrf::Options::Best(_)) => {
                self.recoding(base)?.and_levels(declared).map_err(|error| too_many_versions(&error))
            }
            Self::Independent | Self::SmoothedHistogram(_) | Self::Aim(_) | Self::PrivMrf(_) => self.recoding(base),
        }
    }

    /// The columns that a fit has asked about in the end. They are those of [`Method::recoding_of`], and perhaps some after them that
    /// follow from what it released.
    ///
    /// # Errors
    /// Those of [`Method::recoding_of`], and if no fit made such releases.
    pub fn recoding_after(
        &self,
        schema: &Schema,
        events: &[Event],
        released: &[Vec<i64>],
    ) -> Result<Recoding, MechanismError> {
        let recoding = self.recoding_of(schema)?;
        match self {
            Self::Mst(options) => merged_after(&recoding, options.merging(), events, released),
            Self::Auto(options) | Self::PrivMrf(privmrf::Options::Best(options)) => {
                merged_after(&recoding, options.merging(), events, released)
            }
            _ => Ok(recoding),
        }
    }

    /// Whether rows of its model keep the rules of a schema. Rules are structural zeros of a graphical model over the columns as they are.
    pub fn keeps_rules(&self) -> bool {
        match self {
            Self::Auto(_) | Self::Aim(_) | Self::Mst(_) | Self::PrivMrf(_) => true,
            Self::PbPgm(options) => options.encoding == Encoding::Vanilla,
            Self::Independent | Self::PrivBayes(_) | Self::PrivBayesNist(_) | Self::SmoothedHistogram(_) => false,
        }
    }

    pub(crate) fn check_keeps_rules(&self) -> Result<(), MechanismError> {
        if self.keeps_rules() { Ok(()) } else { Err(MechanismError::NoRules { method: self.name() }) }
    }

    /// The same method with the columns that its options name by their places in a schema.
    ///
    /// # Errors
    /// If the schema has no column of a name.
    pub(crate) fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
        match self {
            Self::Aim(options) => Ok(Self::Aim(options.of_schema(schema)?)),
            _ => Ok(self.clone()),
        }
    }

    /// The name on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::PrivBayes(_) => "privbayes",
            Self::PrivBayesNist(_) => "privbayes-nist",
            Self::PbPgm(_) => "pb-pgm",
            Self::Auto(_) => "auto",
            Self::Aim(_) => "aim",
            Self::Mst(_) => "mst",
            Self::PrivMrf(_) => "privmrf",
            Self::SmoothedHistogram(_) => "smoothed-histogram",
        }
    }
}

/// Declared levels that are too many for a domain.
fn too_many_versions(error: &SchemaError) -> MechanismError {
    MechanismError::TooLarge {
        problem: format!("columns and the levels of their hierarchies do not fit: {error}"),
        hint: "leave out columns or levels".into(),
    }
}

fn given_names(given: &Map<String, Value>) -> String {
    given.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What a fit is about to do, for the ledger.
///
/// Fits of the same schema, method and goal ask the same questions, so that one that was cut off can be taken up by another.
pub fn plan(schema: &Schema, method: &Method, goal: ApproxDp) -> Plan {
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
        command: None,
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
    method: &Method,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<Model, MechanismError> {
    let privacy = schema.privacy();
    let bound = if Mutant::FitIgnoresTheBound.is_planted() { source.bound() } else { privacy.bound() };
    if source.domain() != schema.domain() || source.bound() != bound {
        return Err(MechanismError::OtherSchema);
    }
    if goal.delta == Delta::ZERO && method.accounting(goal) != AccountingKind::Pure {
        return Err(MechanismError::NeedsDelta { method: method.name() });
    }
    // Before a job of a ledger begins: what cannot be fitted is not to spend.
    rules::for_method(schema, method).map_err(|error| error.naming_columns(schema))?;
    let request = Request { schema, method, goal, job };
    match (privacy.adjacency, method.accounting(goal)) {
        (AdjacencyKind::AddRemove, AccountingKind::Pure) => request.run::<AddRemove, Pure>(source),
        (AdjacencyKind::AddRemove, AccountingKind::Gdp) => request.run::<AddRemove, Gdp>(source),
        (AdjacencyKind::AddRemove, AccountingKind::Zcdp) => request.run::<AddRemove, Zcdp>(source),
        (AdjacencyKind::ReplaceOne, AccountingKind::Pure) => request.run::<ReplaceOne, Pure>(source),
        (AdjacencyKind::ReplaceOne, AccountingKind::Gdp) => request.run::<ReplaceOne, Gdp>(source),
        (AdjacencyKind::ReplaceOne, AccountingKind::Zcdp) => request.run::<ReplaceOne, Zcdp>(source),
    }
}

/// A fit, before its neighbours and its accounting have become types.
struct Request<'a> {
    schema: &'a Schema,
    method: &'a Method,
    goal: ApproxDp,
    job: Option<&'a Job>,
}

impl Request<'_> {
    fn run<A: Neighbours, M: Fitting>(&self, source: Box<dyn MarginalSource>) -> Result<Model, MechanismError> {
        let most = self.schema.privacy().max_contributions;
        let most = if Mutant::FitForOneRow.is_planted() { NonZeroU32::MIN } else { most };
        let (vault, budget) = match self.job {
            Some(job) => Vault::open_on(job, source, self.goal, most)?,
            None => Vault::open(source, self.goal, most)?,
        };
        fit_in::<A, M>(vault, budget, self.schema, self.method)
    }
}

/// Fits a model in a vault that is open already, and closes it.
///
/// # Privacy
/// All that the method learns about rows, it learns from the vault. That is what the replay test forces on a neighbouring
/// table.
pub fn fit_in<A: Neighbours, M: Fitting>(
    mut vault: Vault<A, M>,
    budget: Budget<A, M>,
    schema: &Schema,
    method: &Method,
) -> Result<Model, MechanismError> {
    let rules = rules::for_method(schema, method).map_err(|error| error.naming_columns(schema))?;
    let recoding = method.recoding_of(schema)?;
    vault.recode(recoding.clone())?;
    let asked = method.of_schema(schema)?;
    let fitted = M::fit(&mut vault, budget, &recoding, &rules, &asked).map_err(|error| error.naming_columns(schema))?;
    let released = vault.released_values().to_vec();
    let assumptions =
        if Mutant::CertificateWithoutAssumptions.is_planted() { Vec::new() } else { schema.assumptions() };
    let certificate = vault.close().assuming(assumptions);
    let recoding = method.recoding_after(schema, certificate.events(), &released)?;
    let origin = Origin::Measured { method: method.clone(), released, certificate };
    Ok(Model::new(schema.clone(), recoding, fitted, origin))
}

/// An accounting, with the methods that run under it.
pub trait Fitting: Accounting {
    /// Runs the method.
    ///
    /// # Errors
    /// If the method does not run under this accounting, or fails.
    fn fit<A: Neighbours>(
        vault: &mut Vault<A, Self>,
        budget: Budget<A, Self>,
        recoding: &Recoding,
        rules: &[StructuralZeros],
        method: &Method,
    ) -> Result<Fitted, MechanismError>;
}

impl Fitting for Pure {
    fn fit<A: Neighbours>(
        vault: &mut Vault<A, Self>,
        budget: Budget<A, Self>,
        recoding: &Recoding,
        rules: &[StructuralZeros],
        method: &Method,
    ) -> Result<Fitted, MechanismError> {
        match method {
            Method::Independent => independent::fit(vault, budget, recoding.domain()),
            Method::PrivBayes(options) => privbayes::fit(vault, budget, recoding, options),
            Method::PbPgm(options) => pb_pgm::fit(vault, budget, recoding, rules, options),
            Method::SmoothedHistogram(options) => A::smoothed_histogram(vault, budget, recoding.domain(), options),
            Method::PrivBayesNist(_) | Method::Aim(_) | Method::Auto(_) | Method::Mst(_) | Method::PrivMrf(_) => {
                Err(other_accounting::<Self>(method))
            }
        }
    }
}

impl Fitting for Gdp {
    fn fit<A: Neighbours>(
        vault: &mut Vault<A, Self>,
        budget: Budget<A, Self>,
        recoding: &Recoding,
        rules: &[StructuralZeros],
        method: &Method,
    ) -> Result<Fitted, MechanismError> {
        match method {
            Method::Independent => independent::fit(vault, budget, recoding.domain()),
            Method::PrivBayesNist(options) => privbayes_nist::fit(vault, budget, recoding, options),
            Method::Auto(options) => auto::fit(vault, budget, recoding, rules, options),
            Method::Aim(options) => aim::fit(vault, budget, recoding, rules, options),
            Method::Mst(options) => mst::fit(vault, budget, recoding, rules, options),
            Method::PrivMrf(options) => privmrf::fit(vault, budget, recoding, rules, options),
            Method::PrivBayes(_) | Method::PbPgm(_) | Method::SmoothedHistogram(_) => {
                Err(other_accounting::<Self>(method))
            }
        }
    }
}

impl Fitting for Zcdp {
    fn fit<A: Neighbours>(
        vault: &mut Vault<A, Self>,
        budget: Budget<A, Self>,
        recoding: &Recoding,
        rules: &[StructuralZeros],
        method: &Method,
    ) -> Result<Fitted, MechanismError> {
        match method {
            Method::PbPgm(options) => pb_pgm::fit(vault, budget, recoding, rules, options),
            Method::Aim(options) => aim::fit(vault, budget, recoding, rules, options),
            Method::Mst(options) => mst::fit(vault, budget, recoding, rules, options),
            Method::SmoothedHistogram(options) => A::smoothed_histogram(vault, budget, recoding.domain(), options),
            Method::Independent
            | Method::PrivBayes(_)
            | Method::PrivBayesNist(_)
            | Method::Auto(_)
            | Method::PrivMrf(_) => Err(other_accounting::<Self>(method)),
        }
    }
}

fn other_accounting<M: Accounting>(method: &Method) -> MechanismError {
    MechanismError::OtherAccounting { method: method.name(), accounting: M::KIND }
}
