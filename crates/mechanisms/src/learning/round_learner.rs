//! Adaptive rounds: each selects a table by the errors of the model so far, measures it and refits.

use std::f64::consts::FRAC_2_PI;
use std::slice;

use scumble_pgm::{Estimate, Stop, TreeModel};
use scumble_schema::Clique;
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, NoisyTable, Selecting, Vault, VaultError};

use crate::error::MechanismError;
use crate::learning::expected::expected_counts;
use crate::learning::model_fitter::ModelFitter;
use crate::mechanism::terms::MethodAdjacency;

/// Stopping rule of the last fit.
const LAST_FIT: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };

/// The tables measured so far, and the model fitted to them.
#[derive(Debug)]
pub(crate) struct RoundLearner<'a> {
    fitter: ModelFitter<'a>,
    /// Stopping rule of the fits between rounds.
    between_rounds: Stop,
    tables: Vec<NoisyTable>,
    estimate: Estimate,
}

impl<'a> RoundLearner<'a> {
    /// Fits the model of the first tables.
    pub(crate) fn begin(
        fitter: ModelFitter<'a>,
        between_rounds: Stop,
        tables: Vec<NoisyTable>,
    ) -> Result<Self, MechanismError> {
        let estimate = fitter.model(&tables, None, between_rounds)?;
        Ok(Self { fitter, between_rounds, tables, estimate })
    }

    /// The model of the last fit.
    pub(crate) fn model(&self) -> &TreeModel {
        &self.estimate.model
    }

    /// All measured tables.
    pub(crate) fn tables(&self) -> &[NoisyTable] {
        &self.tables
    }

    /// Selects a table by its L1 distance from the counts that the model expects, and measures it.
    ///
    /// `candidate` weighs the distance of a table, or subtracts a public penalty. Returns the
    /// position of the selected table.
    ///
    /// # Privacy
    /// One selection among L1 errors against a model of released values, one table.
    pub(crate) fn select_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        (for_selection, for_table): (Budget<A, M>, Budget<A, M>),
        expected: &[(Clique, Vec<f64>)],
        candidate: impl Fn(usize, Candidate<L1Error>) -> Result<Candidate<L1Error>, VaultError>,
    ) -> Result<usize, MechanismError> {
        let score = |(place, (table, expected)): (usize, &(Clique, Vec<f64>))| {
            candidate(place, Candidate::new(L1Error::against(table.clone(), expected)?))
        };
        let scores = expected.iter().enumerate().map(score).collect::<Result<Vec<_>, VaultError>>()?;
        let selected = *vault.select(&scores, for_selection)?;
        self.measure(vault, slice::from_ref(&expected[selected].0), for_table)?;
        Ok(selected)
    }

    /// Pairs tables with their expected counts under the model.
    pub(crate) fn expected(&self, tables: Vec<Clique>) -> Result<Vec<(Clique, Vec<f64>)>, MechanismError> {
        let expected = expected_counts(self.model(), &tables)?;
        Ok(tables.into_iter().zip(expected).collect())
    }

    /// Measures tables, with equal shares of the budget.
    pub(crate) fn measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        tables: &[Clique],
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        self.add(vault.measure(tables, budget)?.into_inner());
        Ok(())
    }

    /// Adds measured tables.
    pub(crate) fn add(&mut self, tables: Vec<NoisyTable>) {
        self.tables.extend(tables);
    }

    /// Refits the model to all tables, well enough to select by.
    pub(crate) fn fit_between_rounds(&mut self) -> Result<(), MechanismError> {
        self.estimate = self.fitter.model(&self.tables, Some(&self.estimate), self.between_rounds)?;
        Ok(())
    }

    /// Returns the model of tables whose pairs have no cycle; `None` for other tables.
    pub(crate) fn forest(&self) -> Result<Option<TreeModel>, MechanismError> {
        self.fitter.forest(&self.tables)
    }

    /// Fits the final model to all tables.
    pub(crate) fn finish(&self) -> Result<TreeModel, MechanismError> {
        Ok(self.fitter.model(&self.tables, Some(&self.estimate), LAST_FIT)?.model)
    }
}

/// Returns the number of rounds for a number of columns.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a thousand columns at most")]
pub(crate) fn rounds_for(columns: usize, per_column: f64) -> usize {
    (per_column * columns as f64).round() as usize
}

/// Expected L1 norm of Gaussian noise of a standard deviation in a number of cells.
pub(crate) fn noise_of_cells(cells: f64, deviation: f64) -> f64 {
    FRAC_2_PI.sqrt() * deviation * cells
}
