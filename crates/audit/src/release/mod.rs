//! Attacks on synthetic rows, with the real ones at hand. **NOT DIFFERENTIALLY PRIVATE**.
//!
//! A steward held out some rows before the fit. [`audit`] runs the strongest published attacks on
//! synthetic data from marginals, and shows how much better they do on the members, the rows that
//! the model was fitted to, than on the control, the rows that it never saw. Beside each result is
//! what the claim of the release allows.
//!
//! | attack | score of a row |
//! |---|---|
//! | [`Attack::MamaMia`] | mean log-ratio of the densities of its cells, synthetic over auxiliary, in the measured tables |
//! | [`Attack::Tamis`] | log-likelihood under the released model, less that under its structure filled from the auxiliary rows |
//! | [`Attack::ExactMatch`] | whether it occurs among the synthetic rows |
//! | [`Attack::NearestRow`] | minus the number of columns in which the nearest synthetic row differs |
//! | [`Attack::NoisyCounts`] | with a model: evidence of its noisy counts for one row more in the row's cells |
//!
//! Attribute inference guesses a column from the others; hits on members beyond those on control
//! rows are leakage, the rest is what the release teaches about the population.
//!
//! # Roles
//! Half of the control, drawn at random, is the auxiliary sample that the attacker knows. Targets
//! are members and the other half of the control, at most [`Settings::targets`] of each. A
//! threshold is chosen on one half of the targets and judged on the other.
//!
//! # What a result means
//! A result above what the claim allows, beyond doubt, means that the claim does not hold or that
//! control and members are not from one population: a drift between them looks like a leak. A
//! result below it proves nothing: a stronger attack may exist. How [`Claim`] bounds this
//! experiment is explained there.
//!
//! ```
//! use scumble_audit::release::{Attack, Claim, CodedTable, Inputs, Settings, audit};
//! use scumble_schema::Domain;
//!
//! // 200 members, 200 other rows, and a release that copies the members.
//! let domain = Domain::new(vec![10, 20])?;
//! let table = |first: u32| {
//!     let rows = (first..first + 200).map(|row| row * 7919 % 1999);
//!     CodedTable::new(domain.clone(), vec![rows.clone().map(|row| row % 10).collect(), rows.map(|row| row % 20).collect()])
//! };
//! let (members, control) = (table(0)?, table(500)?);
//! let inputs = Inputs { members: &members, control: &control, synthetic: &members, model: None, names: &[] };
//! let settings = Settings { claim: Some(Claim::Gaussian { mu: 0.5 }), ..Settings::default() };
//!
//! let audit = audit(&inputs, &settings, &|_done, _of| ())?;
//! assert!(audit.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
//! let copies = audit.membership(Attack::ExactMatch).expect("every attack has a result");
//! assert!(copies.auc.value >= 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attack;
mod cells;
mod claim;
mod coded_table;
mod draw;
mod error;
mod factor;
#[cfg(test)]
mod fixture;
mod page;
mod progress;
mod roc;
mod study;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use scumble_mechanisms::Model;
use scumble_schema::AttributeId;
use serde::Serialize;

use crate::NOT_PRIVATE;

pub use self::attack::attribute::Predictor;
use self::attack::{attribute, exact_match, mama_mia, nearest_row, noisy_counts, tamis};
pub use self::claim::Claim;
pub use self::coded_table::CodedTable;
pub use self::error::ReleaseError;
pub(crate) use self::page::section;
use self::progress::{Progress, TARGETS_PER_STEP};
use self::roc::Scores;
pub use self::roc::{Estimate, FALSE_POSITIVE_RATES, Hits, TruePositives};
use self::study::Study;

/// The tables of an audit, all over one domain.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Rows that the model was fitted to.
    pub members: &'a CodedTable,
    /// Rows of the same population that nothing was fitted to.
    pub control: &'a CodedTable,
    /// Synthetic rows, as released.
    pub synthetic: &'a CodedTable,
    /// The model, if it is released too or the audit may know it.
    pub model: Option<&'a Model>,
    /// Names of the columns. Empty: those of the model's schema, or numbers.
    pub names: &'a [String],
}

/// Settings of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Maximum number of targets among the members, and among the control rows; ten or more.
    pub targets: usize,
    /// Columns to guess from the others. Empty: the five of at most 100 codes whose synthetic
    /// values vary most.
    pub secrets: Vec<AttributeId>,
    /// Claim that results are compared with.
    pub claim: Option<Claim>,
    /// Seed of the random draws. Equal seeds give equal audits.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { targets: 5_000, secrets: Vec::new(), claim: None, seed: 0 }
    }
}

/// An attack that tells members from control rows by a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attack {
    /// Ratios of the densities of cells.
    MamaMia,
    /// Ratio of likelihoods.
    Tamis,
    /// Copies among the synthetic rows.
    ExactMatch,
    /// Distance to the nearest synthetic row.
    NearestRow,
    /// Noisy counts of the model. Only with a model that holds some.
    NoisyCounts,
}

impl Attack {
    /// Returns a name to print.
    pub fn name(self) -> &'static str {
        match self {
            Self::MamaMia => "ratios of cells (MAMA-MIA)",
            Self::Tamis => "likelihood ratio (TAMIS)",
            Self::ExactMatch => "exact match",
            Self::NearestRow => "nearest row",
            Self::NoisyCounts => "noisy counts of the model",
        }
    }
}

/// What attacks on a release gain from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReleaseAudit {
    stamp: &'static str,
    /// Numbers of rows.
    pub rows: RowCounts,
    /// Number of tables of [`Attack::MamaMia`].
    pub tables: usize,
    /// Where the structure of [`Attack::Tamis`] comes from.
    pub structure: Structure,
    /// The claim, and what it allows any attack.
    pub allowed: Option<Allowed>,
    /// Results of attacks on membership.
    pub membership: Vec<Membership>,
    /// Results of attribute inference.
    pub attributes: Vec<AttributeInference>,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Numbers of rows of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// Members that are attacked.
    pub members: usize,
    /// Control rows that are attacked.
    pub control: usize,
    /// Control rows that the attacker knows.
    pub auxiliary: usize,
    /// Synthetic rows.
    pub synthetic: usize,
}

/// Where the structure of a likelihood comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// From the model.
    Model,
    /// A tree of pairs of columns, learned from the synthetic rows.
    LearnedTree,
}

/// What a claim allows any attack.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Allowed {
    /// The claim.
    pub claim: Claim,
    /// Largest area under the curve.
    pub auc: f64,
    /// Largest advantage, and largest leakage of an attribute.
    pub advantage: f64,
    /// Largest true positive rate at each of [`FALSE_POSITIVE_RATES`].
    pub true_positives: [f64; 2],
}

/// Result of an attack on membership.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Membership {
    /// The attack.
    pub attack: Attack,
    /// Area under the curve: the probability that a member scores above a control row.
    pub auc: Estimate,
    /// True positive rate less false positive rate, of a threshold chosen on other targets.
    pub advantage: Estimate,
    /// Hits behind the advantage.
    pub hits: Hits,
    /// True positive rates at low false positive rates, where there are enough control rows.
    pub true_positives: Vec<TruePositives>,
    /// Whether the claim does not allow these hits, beyond doubt: with 99.9 % confidence for all
    /// results of the audit together. `None` without a claim.
    pub exceeds_claim: Option<bool>,
}

/// Result of guessing a column from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeInference {
    /// The column.
    pub column: AttributeId,
    /// Its name.
    pub name: String,
    /// How it is guessed.
    pub predictor: Predictor,
    /// Share of members whose value is guessed.
    pub members: Estimate,
    /// Share of control rows whose value is guessed: what the release teaches about the population.
    pub control: Estimate,
    /// The former less the latter: what it leaks about its members.
    pub leakage: Estimate,
    /// Whether the claim does not allow this leakage, as for [`Membership::exceeds_claim`].
    pub exceeds_claim: Option<bool>,
}

impl ReleaseAudit {
    /// Returns the result of an attack on membership.
    pub fn membership(&self, attack: Attack) -> Option<&Membership> {
        self.membership.iter().find(|result| result.attack == attack)
    }

    /// Returns whether a result is beyond doubt above what the claim allows.
    pub fn exceeds_claim(&self) -> bool {
        let membership = self.membership.iter().map(|result| result.exceeds_claim);
        membership.chain(self.attributes.iter().map(|result| result.exceeds_claim)).any(|exceeds| exceeds == Some(true))
    }
}

/// Attacks a release.
///
/// `progress` is called with the number of completed steps and that of all steps.
///
/// # Privacy
/// None: the result depends on real rows without noise. It is for their steward.
///
/// # Errors
/// If the tables are over different domains or have too few rows, or a setting breaks its rule.
pub fn audit(
    inputs: &Inputs<'_>,
    settings: &Settings,
    progress: &dyn Fn(usize, usize),
) -> Result<ReleaseAudit, ReleaseError> {
    let claim = settings.claim.map(Claim::check).transpose()?;
    let study = Study::new(inputs, settings)?;
    let (tables, shapes) = (mama_mia::tables(&study), factor::shapes(&study));
    let structure = if shapes.iter().any(|shape| shape.conditional.is_some()) || is_rows(inputs.model) {
        Structure::Model
    } else {
        Structure::LearnedTree
    };
    let secrets =
        if settings.secrets.is_empty() { attribute::default_secrets(&study) } else { settings.secrets.clone() };

    let blocks = study.targets.rows().div_ceil(TARGETS_PER_STEP);
    let noisy = noisy_counts::tables(&study);
    let progress = Progress::new(tables.len() + noisy.len() + shapes.len() + 1 + 3 * blocks, progress);
    let factors = factor::fill(&study, shapes, &progress);
    let mut scores = vec![
        (Attack::MamaMia, mama_mia::scores(&study, &tables, &progress)),
        (Attack::Tamis, tamis::scores(&study, &factors, &progress)),
        (Attack::ExactMatch, exact_match::scores(&study, &progress)),
        (Attack::NearestRow, nearest_row::scores(&study, &progress)),
    ];
    if !noisy.is_empty() {
        scores.push((Attack::NoisyCounts, noisy_counts::scores(&study, &noisy, &progress)));
    }
    let guesses = attribute::hits(&study, &factors, &secrets, &progress);

    let tried = scores.len() + guesses.len();
    let exceeds = |hits: Hits| claim.map(|claim| hits.exceed(claim, tried));
    let membership = |(attack, scores)| {
        let scores = Scores::split(scores, study.members);
        let hits = scores.best_threshold();
        Membership {
            attack,
            auc: scores.auc(),
            advantage: hits.difference(),
            hits,
            true_positives: scores.true_positives(),
            exceeds_claim: exceeds(hits),
        }
    };
    let inference = |(column, predictor, hits): (AttributeId, Predictor, Hits)| AttributeInference {
        column,
        name: name(inputs, column),
        predictor,
        members: hits.of_members(),
        control: hits.of_control(),
        leakage: hits.difference(),
        exceeds_claim: exceeds(hits),
    };
    Ok(ReleaseAudit {
        stamp: NOT_PRIVATE,
        rows: RowCounts {
            members: study.members,
            control: study.control(),
            auxiliary: study.auxiliary.rows(),
            synthetic: study.synthetic.rows(),
        },
        tables: tables.len(),
        structure,
        allowed: claim.map(Allowed::by),
        membership: scores.into_iter().map(membership).collect(),
        attributes: guesses.into_iter().map(inference).collect(),
        seed: settings.seed,
    })
}

impl Allowed {
    fn by(claim: Claim) -> Self {
        let true_positives = FALSE_POSITIVE_RATES.map(|rate| claim.true_positives(rate));
        Self { claim, auc: claim.auc(), advantage: claim.advantage(), true_positives }
    }
}

/// Returns whether a model is a list of rows, which is its own structure.
fn is_rows(model: Option<&Model>) -> bool {
    model.is_some_and(|model| matches!(model.distribution(), scumble_mechanisms::Distribution::Rows(_)))
}

fn name(inputs: &Inputs<'_>, column: AttributeId) -> String {
    match (inputs.names.get(column.index()), inputs.model) {
        (Some(name), _) => name.clone(),
        (None, Some(model)) => model.schema().attribute(column).name().to_owned(),
        (None, None) => format!("column {}", column.index() + 1),
    }
}
