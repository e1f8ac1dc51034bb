//! Options of the paper's profile.

use scumble_schema::{Domain, Recoding, limits};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::option::{check_column_count, invalid};

/// Options of the paper's profile. The defaults have the paper's parameters, and follow its
/// authors' code where that has smaller errors than the text: see `docs/reproduction/privmrf.md`.
/// [`Options::letter`] is the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Minimum mean count of a cell, in multiples of its noise, the paper's theta: above 0.
    pub theta: f64,
    /// Number of further tables per column, rounded down, the paper's `t / d`: from 0 to 4, in
    /// whole thousandths.
    pub refinement: f64,
    /// Number of candidates that are scored for each selection, the paper's `k`: from 1 to 100,000.
    pub candidates: u32,
    /// Maximum number of cells of a clique of the attribute graph, the paper's `tau_c`: from 2 to
    /// 10,000,000.
    pub clique_cells: u32,
    /// Pairs of columns that become edges of the attribute graph.
    pub edges: Edges,
    /// Selection of the first tables.
    pub initial: Initial,
    /// Unit of scores in the paper's equation (8).
    pub redundancy: Redundancy,
    /// Number of tables that are selected from one list of noisy scores.
    pub rounds: Rounds,
    /// Maximum number of columns of a table; without it only the noise limits them.
    pub most_columns: Option<u32>,
    /// Stopping rule of fits.
    pub fit: Fit,
    /// Maximum number of cells of the model, in all cliques of the tree of the measured tables:
    /// from 1,000 to 50,000,000. A table that would make it larger is skipped.
    pub model_cells: u32,
}

/// Pairs of columns that become edges of the attribute graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edges {
    /// The most related ones that fit: Algorithm 1.
    Related,
    /// Those that give the edges of the triangulated graph, with its fill, the largest sum of
    /// scores.
    RelatedWithFill,
}

/// Selection of the first tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// For every column, the candidate with the largest score of equation (8): Algorithm 3.
    BestOfAll,
    /// For every column, the best of the tables that a greedy Bayesian network in each clique gives
    /// it.
    Networks,
}

/// Unit of scores in equation (8). It decides how much relations among the other columns of a table
/// count against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Redundancy {
    /// Rows, as in equation (6).
    Rows,
    /// Shares of the rows.
    Shares,
}

/// Number of tables that are selected from one list of noisy scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// One: as many rounds as tables, Algorithm 4.
    OneTable,
    /// Several: half as many rounds as columns and at most eight, which have less noise on scores.
    SeveralTables,
}

/// Stopping rule of fits. Mirror descent begins at equal probabilities and fits large deviations
/// before noise, so stopping early leaves noise out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Stops when the fit no longer improves: Algorithm 5.
    Converged,
    /// Stops when the distance to the tables is that of their noise; the last fit is somewhat
    /// closer.
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
    /// The paper's text in all options.
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

/// The number of tables per column is in whole thousandths.
const UNITS: f64 = 1_000.0;

/// Maximum number of columns. They have half a million pairs, each of which may change the
/// attribute graph.
const MAX_COLUMNS: usize = 1_000;

impl Options {
    /// Checks the options, and returns the columns of the domain, unchanged.
    ///
    /// # Errors
    /// If an option is out of its range, or there are too many columns.
    pub fn recoding(&self, base: &Domain) -> Result<Recoding, MechanismError> {
        self.check()?;
        let hint = "leave out columns, or choose `privbayes` or `independent`";
        check_column_count(base, MAX_COLUMNS, "scored in pairs", hint)?;
        Ok(Recoding::identity(base))
    }

    /// The paper's `t`.
    pub(super) fn refinement_tables(&self, columns: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 4,000")]
        let units = (self.refinement * UNITS).round() as usize;
        columns * units / 1_000
    }

    fn check(&self) -> Result<(), MechanismError> {
        let refuse = |option: &str, problem: &str| Err(invalid(option, problem));
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
