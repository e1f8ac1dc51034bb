//! The selection of AIM: round by round, the table that the model so far explains worst for its size.

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroU32;
use std::slice;

use scumble_pgm::{Estimate, Estimator, Factor, JunctionTree, Measurement, ModelError, Stop};
use scumble_schema::{Clique, Domain};
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{NoisyTable, Share, VaultError};

use crate::{Money, Vaulted, floats, one_way};

/// Rounds per attribute that the budget would last for if no round were ever worth less than it costs.
const ROUNDS_PER_ATTRIBUTE: f64 = 16.0;
/// What a round spends on selecting; the rest measures.
const SELECTING: Share = Share::of(1, 10).expect("a tenth is a proper fraction");
const MEASURING: f64 = 0.9;
/// The workload is all tables over so many attributes.
const WORKLOAD_ATTRIBUTES: usize = 3;
/// The model's cells when all is spent: 80 MB, as the paper has it. Before, as many as the share that is spent.
const MOST_CELLS: f64 = 80e6 / 8.0;
/// How well each round's model fits; the next round starts from it.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 200 };

/// All one-way tables, then one table a round until the budget is spent.
///
/// # Privacy
/// `d` tables; then a selection (weighted L1 errors against the released model, less a public penalty; Δ = the largest
/// weight) and a table per round; neighbours differ in one row. How much a round spends follows from released values.
///
/// # Reference
/// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Algorithm 2 and 3, for the workload of all triples.
pub(crate) fn measure(
    vault: &mut Vaulted,
    domain: &Domain,
    budget: Money,
) -> Result<Vec<NoisyTable>, Box<dyn std::error::Error>> {
    let whole = budget.amount().to_f64();
    let attributes = domain.len() as f64;
    let mut per_round = whole / (ROUNDS_PER_ATTRIBUTE * attributes);
    let (for_one_way, mut left) = take(budget, MEASURING * per_round * attributes);
    let mut tables = one_way(vault, domain, for_one_way)?;
    let mut estimate = fit(domain, &tables, None)?;
    let closure = closure(domain);
    loop {
        let last = left.amount().to_f64() <= 2.0 * per_round;
        let (now, later) = if last {
            (left, None)
        } else {
            let (now, later) = take(left, per_round);
            (now, Some(later))
        };
        let spent = 1.0 - later.as_ref().map_or(0.0, |later| later.amount().to_f64()) / whole;
        let (for_selecting, for_measuring) = now.split(SELECTING);
        // The L1 error that this round's noise alone would make.
        let standard_deviation = (0.5 / for_measuring.amount().to_f64()).sqrt();
        let noise = |clique: &Clique| FRAC_2_PI.sqrt() * standard_deviation * domain.cells(clique) as f64;

        let candidates = fitting(domain, &closure, &tables, MOST_CELLS * spent);
        let expected = expected(&estimate, &candidates)?;
        let score = |(clique, expected): (&Clique, &Vec<f64>)| {
            let error = L1Error::against(clique.clone(), expected)?;
            Candidate::new(error).weighing(weight(clique)).less(noise(clique))
        };
        let scores = candidates.iter().zip(&expected).map(score).collect::<Result<Vec<_>, VaultError>>()?;
        let chosen = *vault.select(&scores, for_selecting)?;
        let clique = &candidates[chosen];
        tables.extend(vault.measure(slice::from_ref(clique), for_measuring)?.into_inner());
        estimate = fit(domain, &tables, Some(&estimate))?;

        let Estimate { loss, noise_level, .. } = estimate;
        println!(
            "{clique:?}, one of {}: {spent:.3} spent, loss {loss:.0} ({noise_level:.0} by noise)",
            candidates.len()
        );
        let fitted = &self::expected(&estimate, slice::from_ref(clique))?[0];
        let moved: f64 = fitted.iter().zip(&expected[chosen]).map(|(now, before)| (now - before).abs()).sum();
        if moved <= noise(clique) {
            // Twice the epsilon of the selection, half the standard deviation of the table.
            per_round *= 4.0;
        }
        match later {
            Some(later) => left = later,
            None => return Ok(tables),
        }
    }
}

/// The candidates that leave the model within so many cells.
fn fitting(domain: &Domain, candidates: &[Clique], tables: &[NoisyTable], cells: f64) -> Vec<Clique> {
    let measured: Vec<Clique> = tables.iter().map(|table| table.clique().clone()).collect();
    let fits = |clique: &&Clique| {
        let with: Vec<Clique> = measured.iter().chain([*clique]).cloned().collect();
        JunctionTree::predicted_cells(domain, &with) as f64 <= cells
    };
    candidates.iter().filter(fits).cloned().collect()
}

/// The counts that the model expects of each of these tables.
fn expected(estimate: &Estimate, cliques: &[Clique]) -> Result<Vec<Vec<f64>>, ModelError> {
    let rows = estimate.model.total();
    let counts = |marginal: &Factor| marginal.values().iter().map(|share| share * rows).collect();
    Ok(estimate.model.marginals(cliques)?.iter().map(counts).collect())
}

/// The tables of the workload and all that follow from them.
fn closure(domain: &Domain) -> Vec<Clique> {
    let mut closure = vec![Clique::empty()];
    for attribute in domain.attributes() {
        let smaller = closure.iter().filter(|clique| clique.len() < WORKLOAD_ATTRIBUTES);
        let with = |clique: &Clique| Clique::new(clique.attributes().iter().copied().chain([attribute]));
        let larger: Vec<Clique> = smaller.map(with).collect();
        closure.extend(larger);
    }
    closure.retain(|clique| !clique.is_empty());
    closure
}

/// How much of the workload a table overlaps with, up to a factor that all share: by symmetry, its number of attributes.
fn weight(clique: &Clique) -> NonZeroU32 {
    u32::try_from(clique.len()).ok().and_then(NonZeroU32::new).expect("candidates have attributes")
}

fn fit(domain: &Domain, tables: &[NoisyTable], earlier: Option<&Estimate>) -> Result<Estimate, ModelError> {
    let measurement = |table: &NoisyTable| {
        Measurement::new(domain, table.clique().clone(), floats(table), table.standard_deviation())
    };
    let measurements = tables.iter().map(measurement).collect::<Result<Vec<_>, _>>()?;
    let estimator = Estimator::new(domain.clone()).stop(STOP);
    match earlier {
        Some(earlier) => estimator.estimate_from(&measurements, earlier),
        None => estimator.estimate(&measurements),
    }
}

/// `rho` of a budget, and the rest. The share is rounded to 2^-31, which moves it by less than that of the whole.
fn take(budget: Money, rho: f64) -> (Money, Money) {
    const PARTS: u32 = 1 << 31;
    let parts = rho / budget.amount().to_f64() * f64::from(PARTS);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
    let share = Share::of(parts as u32, PARTS).expect("a round costs some of what is left");
    budget.split(share)
}
