//! Algorithm 4: tables that a model explains badly, round by round.

use chacha20::ChaCha8Rng;
use scumble_pgm::{Estimate, Estimator, JunctionTree, Measurement, Search, Stop, StructuralZeros, Total};
use scumble_schema::{Clique, Domain};
use scumble_vault::score::L1Error;
use scumble_vault::{Accounting, Budget, Vault, VaultError};

use super::SELECTION_PARTS;
use super::candidates::Candidates;
use super::options::{Fit, Options, Rounds};
use crate::budget_parts::BudgetParts;
use crate::error::MechanismError;
use crate::expected::expected_counts;
use crate::noisy::measurement;
use crate::terms::MethodAdjacency;

/// How a fit is searched for, and when it ends.
#[derive(Debug, Clone, Copy)]
struct Fitting {
    search: Search,
    stop: Stop,
}

/// To the nearest distribution there is, by the faster search: where it ends does not depend on the way.
const CONVERGED: Fitting =
    Fitting { search: Search::Proximal, stop: Stop { at_noise: None, settled: 1e-3, passes: 300 } };
/// Between rounds, to tables that are met as closely as their noise allows.
const TO_NOISE: Fitting =
    Fitting { search: Search::MirrorDescent, stop: Stop { at_noise: Some(1.0), settled: 1e-2, passes: 200 } };
/// Somewhat beyond that in the end: a model is nearer to its tables than the truth is, since it fits some of their noise.
const BEYOND_NOISE: Fitting =
    Fitting { search: Search::MirrorDescent, stop: Stop { at_noise: Some(0.7), settled: 1e-3, passes: 400 } };

/// How many tables are measured, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// Tables that it begins with.
    pub(super) initial: usize,
    /// Tables that are chosen by what the model explains badly.
    pub(super) chosen: usize,
    /// Lists of noisy scores that they are chosen from.
    pub(super) rounds: usize,
}

impl Plan {
    pub(super) fn new(columns: usize, initial: usize, chosen: usize, rounds: Rounds) -> Self {
        let rounds = match rounds {
            Rounds::OneTable => chosen,
            Rounds::SeveralTables => (columns / 2).clamp(1, 8).min(chosen),
        };
        Self { initial, chosen, rounds }
    }

    /// The parts that one table gets of the budget for tables and choices, and those that one list of scores gets: tables together
    /// 79 for every 10 of the lists, or as many more as rows did not need.
    fn parts(&self, table_parts: u32) -> (u32, u32) {
        let count = |count: usize| u32::try_from(count).expect("there are at most 5,000 tables");
        (table_parts * count(self.rounds), SELECTION_PARTS * count(self.initial + self.chosen))
    }

    /// How many tables the round with this number chooses: as equal as can be, the larger ones first.
    fn tables_in(&self, round: usize) -> usize {
        self.chosen / self.rounds + usize::from(round < self.chosen % self.rounds)
    }
}

/// A model that grows with every round.
pub(super) struct Refinement<'a> {
    pub(super) domain: &'a Domain,
    /// Combinations that cannot be.
    pub(super) rules: &'a [StructuralZeros],
    /// Most cells of the model, with those that rules alone take.
    pub(super) model_cells: u128,
    pub(super) options: &'a Options,
    /// The released number of rows, at least one.
    pub(super) rows: f64,
    /// What tables get where lists of scores get [`SELECTION_PARTS`].
    pub(super) table_parts: u32,
}

impl Refinement<'_> {
    /// Measures the initial tables and those that are chosen round by round, and fits a model to all of them.
    ///
    /// # Privacy
    /// The initial tables (Δ₂ 1 under add/remove) and, for each round, one list of scores (L1 errors against a model made of released
    /// values: Δ 1 each) and the tables chosen by it.
    ///
    /// # Reference
    /// Algorithm 4.
    pub(super) fn run<A: MethodAdjacency, M: Accounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        plan: Plan,
        initial: &[Clique],
        candidates: &mut Candidates,
        rng: &mut ChaCha8Rng,
    ) -> Result<Estimate, MechanismError> {
        let (between, last) = match self.options.fit {
            Fit::Converged => (CONVERGED, CONVERGED),
            Fit::ToNoise => (TO_NOISE, BEYOND_NOISE),
        };
        if plan.chosen == 0 {
            let measured = self.measure(vault, initial, budget)?;
            return self.fit(&measured, None, last);
        }
        let (per_table, per_list) = plan.parts(self.table_parts);
        let tables = |count: usize| per_table * u32::try_from(count).expect("there are at most 5,000 tables");
        let parts = BudgetParts::new(
            budget,
            tables(plan.initial + plan.chosen) + per_list * u32::try_from(plan.rounds).expect("as many"),
        );
        let (for_initial, mut parts) = parts.take(tables(initial.len()));
        let mut measured = self.measure(vault, initial, for_initial)?;
        let mut estimate = self.fit(&measured, None, between)?;
        for round in 0..plan.rounds {
            let is_last = round + 1 == plan.rounds;
            let drawn = self.draw(candidates, &measured, &estimate, rng);
            if drawn.is_empty() {
                // Nothing is left to choose: what was meant for it makes the first tables better.
                measured.extend(self.measure(vault, initial, parts.rest())?);
                return self.fit(&measured, Some(&estimate), last);
            }
            let (for_scores, rest) = parts.take(per_list);
            let scores = errors(&estimate, &drawn)?;
            let noisy = vault.measure_scores(&scores, for_scores)?;
            let chosen = self.worst(&drawn, noisy.values(), plan.tables_in(round), &measured);
            let for_tables;
            (for_tables, parts) = if is_last {
                measured.extend(self.measure(vault, &chosen, rest.rest())?);
                break;
            } else {
                rest.take(tables(plan.tables_in(round)))
            };
            measured.extend(self.measure(vault, &chosen, for_tables)?);
            for set in chosen {
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
        let tables = vault.measure(cliques, budget)?;
        Ok(tables.iter().map(|table| measurement(self.domain, table)).collect::<Result<_, _>>()?)
    }

    /// The distribution nearest to the tables.
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

    /// Line 5: candidates at random, of those that do not make the model too large.
    fn draw(
        &self,
        candidates: &Candidates,
        measured: &[Measurement],
        estimate: &Estimate,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Clique> {
        let largest =
            candidates.cliques().iter().fold(0, |sum: u128, clique| sum.saturating_add(self.domain.cells(clique)));
        // Rules may join what the cliques keep apart.
        let all_fit = self.rules.is_empty() && largest <= self.model_cells;
        let tree: Vec<Clique> =
            estimate.model.nodes().iter().map(|node| node.separator().union(node.residual())).collect();
        let fits =
            |set: &Clique| all_fit || tree.iter().any(|clique| clique.holds(set)) || self.fits(measured, &[], set);
        candidates.draw(self.options.candidates as usize, rng, fits)
    }

    /// Whether the model stays within its cells with one table more.
    fn fits(&self, measured: &[Measurement], chosen: &[Clique], set: &Clique) -> bool {
        let ruled = self.rules.iter().map(StructuralZeros::clique);
        let with: Vec<Clique> =
            measured.iter().map(Measurement::clique).chain(ruled).chain(chosen).chain([set]).cloned().collect();
        JunctionTree::predicted_cells(self.domain, &with) <= self.model_cells
    }

    /// Lines 9 and 10: the candidates that are explained worst, as far as noise tells. One that is part of a worse one tells little in the
    /// same round, and is chosen only if nothing else is left.
    fn worst(&self, drawn: &[Clique], noisy: &[f64], tables: usize, measured: &[Measurement]) -> Vec<Clique> {
        let mut order: Vec<usize> = (0..drawn.len()).collect();
        // Stable: of equal scores, the one that was drawn first.
        order.sort_by(|&left, &right| noisy[right].total_cmp(&noisy[left]));
        let mut chosen = vec![drawn[order[0]].clone()];
        for with_parts in [false, true] {
            for set in order.iter().map(|&place| &drawn[place]) {
                let is_new = if with_parts { !chosen.contains(set) } else { !chosen.iter().any(|one| one.holds(set)) };
                if chosen.len() < tables && is_new && self.fits(measured, &chosen, set) {
                    chosen.push(set.clone());
                }
            }
        }
        chosen
    }
}

/// Lines 7 and 8: how far the model is off, without noise yet.
fn errors(estimate: &Estimate, drawn: &[Clique]) -> Result<Vec<L1Error>, MechanismError> {
    let expected = expected_counts(&estimate.model, drawn)?;
    let errors = drawn.iter().zip(&expected).map(|(clique, counts)| L1Error::against(clique.clone(), counts));
    Ok(errors.collect::<Result<_, VaultError>>()?)
}
