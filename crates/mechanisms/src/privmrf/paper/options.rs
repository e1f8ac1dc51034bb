//! What can be chosen.

use scumble_schema::{Domain, Recoding, limits};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;

/// What can be chosen. The defaults have the paper's parameters, and do as its authors' code does where that measured better than the
/// text: see `docs/reproduction/privmrf.md`. [`Options::letter`] is the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How many times the noise a cell of a table has to hold on average, the paper's theta: above 0.
    pub theta: f64,
    /// How many tables are added to those that it begins with, per column and rounded down, the paper's `t / d`: from 0 to 4, in whole
    /// thousandths.
    pub refinement: f64,
    /// How many candidates are scored for each choice, the paper's `k`: from 1 to 100,000.
    pub candidates: u32,
    /// Most cells of a clique of the attribute graph, the paper's `tau_c`: from 2 to 10,000,000.
    pub clique_cells: u32,
    /// Which pairs of columns become edges of the attribute graph.
    pub edges: Edges,
    /// Which tables it begins with.
    pub initial: Initial,
    /// The unit of scores in the paper's equation (8).
    pub redundancy: Redundancy,
    /// How many tables are chosen from one list of noisy scores.
    pub rounds: Rounds,
    /// Most columns of a table; no limit but the noise if there is none.
    pub most_columns: Option<u32>,
    /// How closely a model has to fit.
    pub fit: Fit,
    /// Most cells of the model, in all cliques of the tree of the measured tables: from 1,000 to 50,000,000. A table that would make it
    /// larger is passed over.
    pub model_cells: u32,
}

/// Which pairs of columns become edges of the attribute graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edges {
    /// The most related ones that fit: Algorithm 1.
    Related,
    /// Those after which all edges of the triangulated graph, also those that triangulation adds, have the largest sum of scores.
    RelatedWithFill,
}

/// Which tables it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// For every column the candidate with the largest score of equation (8): Algorithm 3.
    BestOfAll,
    /// For every column the best of the tables that a greedy Bayesian network in each clique gives it.
    Networks,
}

/// The unit of scores in equation (8), which decides how much relations between the other columns of a table count against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Redundancy {
    /// Rows, as in equation (6).
    Rows,
    /// Shares of the rows.
    Shares,
}

/// How many tables are chosen from one list of noisy scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// One: as many rounds as tables, Algorithm 4.
    OneTable,
    /// Several: half as many rounds as columns and at most eight, with the less noise on scores for it.
    SeveralTables,
}

/// When a fit ends. Mirror descent begins at equal probabilities and fits what is large before it fits noise, so that to end early is to
/// leave noise out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// When it gets no better: Algorithm 5.
    Converged,
    /// When the tables are met as closely as their noise allows, the last fit somewhat closer.
    ToNoise,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            theta: 6.0,
            refinement: 0.8,
            candidates: 400,
            clique_cells: 10_000_000,
            edges: Edges::Related,
            initial: Initial::Networks,
            redundancy: Redundancy::Shares,
            rounds: Rounds::SeveralTables,
            most_columns: Some(6),
            fit: Fit::ToNoise,
            model_cells: 500_000,
        }
    }
}

impl Options {
    /// The paper's text in every point.
    pub fn letter() -> Self {
        Self {
            initial: Initial::BestOfAll,
            redundancy: Redundancy::Rows,
            rounds: Rounds::OneTable,
            most_columns: None,
            fit: Fit::Converged,
            ..Self::default()
        }
    }
}

/// The share of tables per column is in whole parts of one in so many.
const UNITS: f64 = 1_000.0;

impl Options {
    /// The columns that are asked about: as they are.
    ///
    /// # Errors
    /// If an option is out of its range, or there are too many columns.
    pub fn recoding(&self, base: &Domain) -> Result<Recoding, MechanismError> {
        self.check()?;
        if base.len() > MOST_COLUMNS {
            let problem = format!("there are {} columns, at most {MOST_COLUMNS} can be scored in pairs", base.len());
            let hint = "leave out columns, or choose `privbayes` or `independent`".into();
            return Err(MechanismError::TooLarge { problem, hint });
        }
        Ok(Recoding::identity(base))
    }

    /// The paper's `t`.
    pub(super) fn refinement_tables(&self, columns: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 4,000")]
        let units = (self.refinement * UNITS).round() as usize;
        columns * units / 1_000
    }

    fn check(&self) -> Result<(), MechanismError> {
        let refuse = |option: &str, problem: &str| {
            Err(MechanismError::Option { option: option.into(), problem: problem.into() })
        };
        if !(self.theta.is_finite() && self.theta > 0.0) {
            return refuse("theta", "must be a number above zero");
        }
        if !(0.0..=4.0).contains(&self.refinement) {
            return refuse("refinement", "must be between 0 and 4");
        }
        if !(1..=100_000).contains(&self.candidates) {
            return refuse("candidates", "must be between 1 and 100000");
        }
        if !(2..=10_000_000).contains(&self.clique_cells) {
            return refuse("clique_cells", "must be between 2 and 10000000");
        }
        if self.most_columns == Some(0) {
            return refuse("most_columns", "must be at least 1");
        }
        if !(1_000..=limits::CELLS_PER_MODEL).contains(&u128::from(self.model_cells)) {
            return refuse("model_cells", "must be between 1000 and 50000000");
        }
        Ok(())
    }
}

/// Most columns. So many have half a million pairs, each of which may change the attribute graph.
const MOST_COLUMNS: usize = 1_000;
