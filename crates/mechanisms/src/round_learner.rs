//! Models that grow table by table, for methods that choose each table by what the model so far gets wrong.

use std::f64::consts::FRAC_2_PI;
use std::slice;

use scumble_pgm::{Estimate, Stop, TreeModel};
use scumble_schema::Clique;
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, NoisyTable, Selecting, Vault, VaultError};

use crate::error::MechanismError;
use crate::expected::expected_counts;
use crate::model_fitter::ModelFitter;
use crate::terms::MethodAdjacency;

/// When the last fit ends.
const AT_THE_END: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };

/// The tables that were measured so far, and the model of them.
#[derive(Debug)]
pub(crate) struct RoundLearner<'a> {
    fitter: ModelFitter<'a>,
    /// When a fit ends that the next selection is made by.
    between_rounds: Stop,
    tables: Vec<NoisyTable>,
    estimate: Estimate,
}

impl<'a> RoundLearner<'a> {
    /// Begins with the model of the first tables.
    pub(crate) fn begin(
        fitter: ModelFitter<'a>,
        between_rounds: Stop,
        tables: Vec<NoisyTable>,
    ) -> Result<Self, MechanismError> {
        let estimate = fitter.model(&tables, None, between_rounds)?;
        Ok(Self { fitter, between_rounds, tables, estimate })
    }

    /// The model of the tables up to the last fit.
    pub(crate) fn model(&self) -> &TreeModel {
        &self.estimate.model
    }

    /// All tables that were measured.
    pub(crate) fn tables(&self) -> &[NoisyTable] {
        &self.tables
    }

    /// Selects one of these tables by how far it is from what the model expects, and measures it. `candidate` weighs an error, or subtracts
    /// a public penalty. Returns the place of the table.
    ///
    /// # Privacy
    /// One selection among L1 errors against a model of released values, one table.
    pub(crate) fn choose_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        (for_choice, for_table): (Budget<A, M>, Budget<A, M>),
        expected: &[(Clique, Vec<f64>)],
        candidate: impl Fn(usize, Candidate<L1Error>) -> Result<Candidate<L1Error>, VaultError>,
    ) -> Result<usize, MechanismError> {
        let score = |(place, (table, expected)): (usize, &(Clique, Vec<f64>))| {
            candidate(place, Candidate::new(L1Error::against(table.clone(), expected)?))
        };
        let scores = expected.iter().enumerate().map(score).collect::<Result<Vec<_>, VaultError>>()?;
        let chosen = *vault.select(&scores, for_choice)?;
        self.measure(vault, slice::from_ref(&expected[chosen].0), for_table)?;
        Ok(chosen)
    }

    /// What the model expects of these tables.
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
        self.tables.extend(vault.measure(tables, budget)?.into_inner());
        Ok(())
    }

    /// Fits the model to all tables, well enough to select by.
    pub(crate) fn fit_between_rounds(&mut self) -> Result<(), MechanismError> {
        self.estimate = self.fitter.model(&self.tables, Some(&self.estimate), self.between_rounds)?;
        Ok(())
    }

    /// The model of all tables.
    pub(crate) fn finish(&self) -> Result<TreeModel, MechanismError> {
        Ok(self.fitter.model(&self.tables, Some(&self.estimate), AT_THE_END)?.model)
    }
}

/// The L1 error that noise of this standard deviation is expected to make in a number of cells.
pub(crate) fn noise_of_cells(cells: f64, deviation: f64) -> f64 {
    FRAC_2_PI.sqrt() * deviation * cells
}
