//! Algorithm 4: rounds that measure the tables that a model explains badly.

use chacha20::ChaCha8Rng;
use scumble_pgm::{Estimate, Estimator, JunctionTree, Measurement, Search, Stop, StructuralZeros, Total};
use scumble_schema::{Clique, Domain};
use scumble_vault::score::L1Error;
use scumble_vault::{Accounting, Budget, Vault, VaultError};

use super::SELECTION_PARTS;
use super::candidates::Candidates;
use super::options::{Fit, Options, Rounds};
use crate::error::MechanismError;
use crate::learning::expected::expected_counts;
use crate::learning::noisy::measurements;
use crate::mechanism::budget_parts::BudgetParts;
use crate::mechanism::terms::MethodAdjacency;

/// Search and stopping rule of a fit.
#[derive(Debug, Clone, Copy)]
struct Fitting {
    search: Search,
    stop: Stop,
}

/// Fits to convergence, by the faster search: the result does not depend on the search.
const CONVERGED: Fitting =
    Fitting { search: Search::Proximal, stop: Stop { at_noise: None, settled: 1e-3, passes: 300 } };
/// Fits between rounds up to the noise of the tables.
const TO_NOISE: Fitting =
    Fitting { search: Search::MirrorDescent, stop: Stop { at_noise: Some(1.0), settled: 1e-2, passes: 200 } };
/// Fits somewhat beyond the noise at the end: a model is nearer to its tables than the truth, since
/// it fits some of their noise.
const BEYOND_NOISE: Fitting =
    Fitting { search: Search::MirrorDescent, stop: Stop { at_noise: Some(0.7), settled: 1e-3, passes: 400 } };

/// Numbers of tables and rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RefinementPlan {
    /// Number of first tables.
    pub(super) initial: usize,
    /// Number of tables that are selected by the errors of the model.
    pub(super) selected: usize,
    /// Number of lists of noisy scores that they are selected from.
    pub(super) rounds: usize,
}

impl RefinementPlan {
    pub(super) fn new(columns: usize, initial: usize, selected: usize, rounds: Rounds) -> Self {
        let rounds = match rounds {
            Rounds::OneTable => selected,
            Rounds::SeveralTables => (columns / 2).clamp(1, 8).min(selected),
        };
        Self { initial, selected, rounds }
    }

    /// Returns the number of parts of one table and of one list of scores. All tables together have
    /// `table_parts` for every [`SELECTION_PARTS`] of all lists: 79 for 10, or more if the number
    /// of rows is public.
    fn parts(&self, table_parts: u32) -> (u32, u32) {
        let count = |count: usize| u32::try_from(count).expect("there are at most 5,000 tables");
        (table_parts * count(self.rounds), SELECTION_PARTS * count(self.initial + self.selected))
    }

    /// Number of tables that a round selects: as equal as possible, larger ones first.
    fn tables_in(&self, round: usize) -> usize {
        self.selected / self.rounds + usize::from(round < self.selected % self.rounds)
    }
}

/// Parameters of the rounds.
pub(super) struct Refinement<'a> {
    pub(super) domain: &'a Domain,
    /// Combinations that rules forbid.
    pub(super) rules: &'a [StructuralZeros],
    /// Maximum number of cells of the model, including those that rules alone need.
    pub(super) model_cells: u128,
    pub(super) options: &'a Options,
    /// The released number of rows, at least one.
    pub(super) rows: f64,
    /// Number of parts of all tables, where all lists of scores have [`SELECTION_PARTS`].
    pub(super) table_parts: u32,
}

impl Refinement<'_> {
    /// Measures the first tables and those that are selected round by round, and fits a model to
    /// all of them.
    ///
    /// # Privacy
    /// The first tables (Δ₂ 1 under add/remove) and, for each round, one list of scores (L1 errors
    /// against a model of released values: Δ 1 each) and the tables selected by it.
    ///
    /// # Reference
    /// Algorithm 4.
    pub(super) fn run<A: MethodAdjacency, M: Accounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        plan: RefinementPlan,
        initial: &[Clique],
        candidates: &mut Candidates,
        rng: &mut ChaCha8Rng,
    ) -> Result<Estimate, MechanismError> {
        let (between, last) = match self.options.fit {
            Fit::Converged => (CONVERGED, CONVERGED),
            Fit::ToNoise => (TO_NOISE, BEYOND_NOISE),
        };
        if plan.selected == 0 {
            let measured = self.measure(vault, initial, budget)?;
            return self.fit(&measured, None, last);
        }
        let (per_table, per_list) = plan.parts(self.table_parts);
        let tables = |count: usize| per_table * u32::try_from(count).expect("there are at most 5,000 tables");
        let parts = BudgetParts::new(
            budget,
            tables(plan.initial + plan.selected) + per_list * u32::try_from(plan.rounds).expect("at most the tables"),
        );
        let (for_initial, mut parts) = parts.take(tables(initial.len()));
        let mut measured = self.measure(vault, initial, for_initial)?;
        let mut estimate = self.fit(&measured, None, between)?;
        for round in 0..plan.rounds {
            let is_last = round + 1 == plan.rounds;
            let drawn = self.draw(candidates, &measured, &estimate, rng);
            if drawn.is_empty() {
                // No candidate is left: the rest of the budget measures the first tables again.
                measured.extend(self.measure(vault, initial, parts.rest())?);
                return self.fit(&measured, Some(&estimate), last);
            }
            let (for_scores, rest) = parts.take(per_list);
            let scores = errors(&estimate, &drawn)?;
            let noisy = vault.measure_scores(&scores, for_scores)?;
            let selected = self.worst(&drawn, noisy.values(), plan.tables_in(round), &measured);
            let for_tables;
            (for_tables, parts) = if is_last {
                measured.extend(self.measure(vault, &selected, rest.rest())?);
                break;
            } else {
                rest.take(tables(plan.tables_in(round)))
            };
            measured.extend(self.measure(vault, &selected, for_tables)?);
            for set in selected {
                candidates.take(set);
            }
            estimate = self.fit(&measured, Some(&estimate), between)?;
        }
        self.fit(&measured, Some(&estimate), last)
    }

    fn measure<A: MethodAdjacency, M: Accounting>(
        &self,
        vault: &mut Vault<A, M>,
        cliques: &[Clique],
        budget: Budget<A, M>,
    ) -> Result<Vec<Measurement>, MechanismError> {
        Ok(measurements(self.domain, &vault.measure(cliques, budget)?)?)
    }

    /// Fits the distribution nearest to the tables.
    ///
    /// # Reference
    /// Algorithm 5, on the junction tree of the measured tables.
    fn fit(
        &self,
        measured: &[Measurement],
        earlier: Option<&Estimate>,
        how: Fitting,
    ) -> Result<Estimate, MechanismError> {
        let estimator = Estimator::new(self.domain.clone())
            .total(Total::Fixed(self.rows))
            .zeros(self.rules.to_vec())
            .search(how.search)
            .stop(how.stop);
        Ok(match earlier {
            Some(earlier) => estimator.estimate_from(measured, earlier)?,
            None => estimator.estimate(measured)?,
        })
    }

    /// Draws random candidates that leave the model small enough: line 5.
    fn draw(
        &self,
        candidates: &Candidates,
        measured: &[Measurement],
        estimate: &Estimate,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Clique> {
        let largest =
            candidates.cliques().iter().fold(0, |sum: u128, clique| sum.saturating_add(self.domain.cells(clique)));
        // Rules may join cliques.
        let all_fit = self.rules.is_empty() && largest <= self.model_cells;
        let tree: Vec<Clique> =
            estimate.model.nodes().iter().map(|node| node.separator().union(node.residual())).collect();
        let fits =
            |set: &Clique| all_fit || tree.iter().any(|clique| clique.holds(set)) || self.fits(measured, &[], set);
        candidates.draw(self.options.candidates as usize, rng, fits)
    }

    /// Returns whether the model stays within its cells with one more table.
    fn fits(&self, measured: &[Measurement], selected: &[Clique], set: &Clique) -> bool {
        let ruled = self.rules.iter().map(StructuralZeros::clique);
        let with: Vec<Clique> =
            measured.iter().map(Measurement::clique).chain(ruled).chain(selected).chain([set]).cloned().collect();
        JunctionTree::predicted_cells(self.domain, &with) <= self.model_cells
    }

    /// Returns the candidates with the largest noisy errors: lines 9 and 10. A subset of a selected
    /// one adds little in the same round, and is selected only if nothing else is left.
    fn worst(&self, drawn: &[Clique], noisy: &[f64], tables: usize, measured: &[Measurement]) -> Vec<Clique> {
        let mut order: Vec<usize> = (0..drawn.len()).collect();
        // Stable: of equal scores, the one that was drawn first.
        order.sort_by(|&left, &right| noisy[right].total_cmp(&noisy[left]));
        let mut selected = vec![drawn[order[0]].clone()];
        for with_subsets in [false, true] {
            for set in order.iter().map(|&place| &drawn[place]) {
                let is_new =
                    if with_subsets { !selected.contains(set) } else { !selected.iter().any(|one| one.holds(set)) };
                if selected.len() < tables && is_new && self.fits(measured, &selected, set) {
                    selected.push(set.clone());
                }
            }
        }
        selected
    }
}

/// Returns the errors of the model as questions to the vault: lines 7 and 8.
fn errors(estimate: &Estimate, drawn: &[Clique]) -> Result<Vec<L1Error>, MechanismError> {
    let expected = expected_counts(&estimate.model, drawn)?;
    let errors = drawn.iter().zip(&expected).map(|(clique, counts)| L1Error::against(clique.clone(), counts));
    Ok(errors.collect::<Result<_, VaultError>>()?)
}
