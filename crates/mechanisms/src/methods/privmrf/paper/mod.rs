#![doc = include_str!("paper.md")]

mod attribute_graph;
mod candidates;
mod initial;
mod options;
pub(crate) mod outline;
mod refinement;

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroUsize;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_schema::{AttributeId, Clique, Domain, limits};
use scumble_vault::account::Amount;
use scumble_vault::{Budget, Selecting, Vault};

use self::attribute_graph::attribute_graph;
use self::candidates::{Candidates, SetLimits};
use self::initial::InitialSelection;
pub use self::options::{Edges, Fit, Initial, Options, Redundancy, Rounds};
use self::refinement::{Refinement, RefinementPlan};

use crate::error::MechanismError;
use crate::learning::merging::non_constant_columns;
use crate::learning::noisy::{counts, whole};
use crate::learning::pair_scores::{PairScores, pairs};
use crate::learning::rules::{cliques as cliques_of, tree_cells};
use crate::mechanism::ModelTerms;
use crate::mechanism::budget_parts::BudgetParts;
use crate::mechanism::terms::{MethodAdjacency, RowTotal};
use crate::model::fitted::{Distribution, Fitted};

/// Number of parts of the budget.
const PARTS: u32 = 100;
/// Number of parts for the scores of pairs, section 3.6.
const SCORE_PARTS: u32 = 10;
/// Number of parts for the number of rows.
const ROW_PARTS: u32 = 1;
/// Number of parts for selecting tables.
const SELECTION_PARTS: u32 = 10;

/// Public seed of random draws that are not noise: which candidates are scored, where a network
/// begins. A resumed fit has to draw the same.
const SEED: u64 = 2021;

/// Finds related columns, measures a first table for each column, then tables that the model
/// explains badly, and fits the Markov random field that is nearest to all of them. It gives no
/// probability to combinations that rules forbid.
///
/// # Privacy
/// All releases are inside the vault and all have Gaussian noise: a score per pair of columns (Δ 2
/// under add/remove; up to 3 + 2/n under replace-one); under add/remove the number of rows (Δ 1);
/// per round, up to `k` L1 errors against a model of released values (Δ 1; 2 under replace-one);
/// and the tables (Δ₂ 1; √2 under replace-one). All decisions in between, and all that follows,
/// read released values and the schema.
///
/// # Reference
/// Cai, Lei, Wei, Xiao, Data synthesis via differentially private Markov random fields, PVLDB
/// 14(11), 2021, Algorithm 6.
///
/// # Errors
/// If the vault refuses.
pub(super) fn fit<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    ModelTerms { recoding, rules }: &ModelTerms,
    options: &Options,
) -> Result<Fitted, MechanismError> {
    let domain = recoding.domain();
    let columns = non_constant_columns(domain);
    if columns.is_empty() {
        return crate::methods::independent::fit(vault, budget, domain);
    }
    let (scores, budget) = pair_scores(vault, BudgetParts::new(budget, PARTS), domain, &columns)?;
    let (rows, budget) = released_rows(vault, budget)?;

    let cliques = attribute_graph(domain, &columns, &scores, options.clique_cells.into(), options.edges);
    let planned = options.refinement_tables(columns.len());
    let limits = SetLimits {
        cells: useful_cells(vault, &budget, rows, columns.len() + planned, planned > 0, options.theta),
        columns: options.most_columns.map_or(usize::MAX, |max| max as usize),
    };
    let mut candidates = Candidates::new(domain, &cliques, limits);

    let tied = cliques_of(rules);
    let model_cells = u128::from(options.model_cells) + tree_cells(domain, &tied);
    let unit = match options.redundancy {
        Redundancy::Rows => 1.0,
        Redundancy::Shares => rows.max(1.0).recip(),
    };
    let first_tables = InitialSelection { columns: &columns, scores: &scores.scaled(unit), ruled: &tied, model_cells };
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let initial = match options.initial {
        Initial::BestOfAll => first_tables.best_of_all(&mut candidates),
        Initial::Networks => first_tables.networks(&mut candidates, &mut rng),
    };

    let selected = planned.min(candidates.left(planned));
    let plan = RefinementPlan::new(columns.len(), initial.len(), selected, options.rounds);
    let refinement = Refinement {
        domain,
        rules,
        model_cells,
        options,
        rows: rows.max(1.0),
        table_parts: budget.parts() - SELECTION_PARTS,
    };
    let estimate = refinement.run(vault, budget.rest(), plan, &initial, &mut candidates, &mut rng)?;
    Ok(Fitted::new(Distribution::Tree(estimate.model), whole(rows)))
}

/// Measures a noisy score for each pair of columns. Also returns the budget that is left.
///
/// # Reference
/// Algorithm 1, lines 1 and 2.
fn pair_scores<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: BudgetParts<Budget<A, M>>,
    domain: &Domain,
    columns: &[AttributeId],
) -> Result<(PairScores, BudgetParts<Budget<A, M>>), MechanismError> {
    let pairs = pairs(columns);
    if pairs.is_empty() {
        return Ok((PairScores::new(domain.len(), 0.0, []), budget));
    }
    let (for_scores, budget) = budget.take(SCORE_PARTS);
    Ok((PairScores::measure(vault, domain.len(), 0.0, &pairs, for_scores)?, budget))
}

/// Returns the number of rows, which is public or measured, and the budget that is left.
///
/// # Reference
/// Algorithm 2, line 1.
fn released_rows<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: BudgetParts<Budget<A, M>>,
) -> Result<(f64, BudgetParts<Budget<A, M>>), MechanismError> {
    match A::row_total(vault)? {
        RowTotal::Public(rows) => Ok((*rows as f64, budget)),
        RowTotal::Estimated => {
            let (for_rows, budget) = budget.take(ROW_PARTS);
            let counted = vault.measure(&[Clique::empty()], for_rows)?;
            Ok((counted.iter().flat_map(counts).sum::<f64>().max(0.0), budget))
        }
    }
}

/// Returns the maximum number of cells of a useful table: on average a cell holds theta times the
/// mean magnitude of its noise.
///
/// # Reference
/// Algorithm 2, line 5, with the `g` of Algorithm 6.
fn useful_cells<A: MethodAdjacency, M: Selecting>(
    vault: &Vault<A, M>,
    budget: &BudgetParts<Budget<A, M>>,
    rows: f64,
    tables: usize,
    has_selections: bool,
    theta: f64,
) -> u64 {
    let parts = if has_selections { budget.parts() - SELECTION_PARTS } else { budget.parts() };
    let amount: Amount<M> = budget.amount_of(parts);
    let noise = NonZeroUsize::new(tables).and_then(|tables| vault.planned_noise(tables, amount));
    let sigma = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates; a fraction of a cell is none"
    )]
    let cells = (rows / (theta * sigma * FRAC_2_PI.sqrt())) as u64;
    cells.min(u64::try_from(limits::CELLS_PER_TABLE).unwrap_or(u64::MAX))
}
