//! Planned releases of `privbayes-nist`.

use rand::RngExt;
use scumble_schema::{AdjacencyKind, Clique, Recoding};
use scumble_vault::Selecting;
use scumble_vault::account::{Amount, Share};
use scumble_vault::score::ScoreKind;

use super::structure::{Learner, UNSCORED};
use super::versions::Versions;
use super::{Options, Shares, check_columns, tau};
use crate::error::MechanismError;
use crate::learning::pair_scores::PairScores;
use crate::mechanism::terms::MethodAdjacency;
use crate::planning::outline::{Events, Outline, plan_rng, real};

/// Plans the releases for a network of random scores. The number and sizes of its tables are
/// expectations.
pub(super) fn outline<A: MethodAdjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    recoding: &Recoding,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    check_columns(recoding)?;
    let versions = Versions::of_recoding(recoding);
    let domain = versions.domain();
    let mut pairs = versions.pairs();
    let network = options.share_units()?;
    let (shares, amount) = match A::KIND {
        AdjacencyKind::ReplaceOne => (Shares::after_public_rows(pairs.len(), network), amount),
        AdjacencyKind::AddRemove if pairs.is_empty() => (Shares { scores: None }, amount),
        AdjacencyKind::AddRemove => {
            let (for_rows, shares) = Shares::after_noisy_rows(pairs.len(), network);
            let (for_rows, rest) = amount.split(for_rows);
            outline.measure(domain, &[Clique::empty()], for_rows)?;
            (shares, rest)
        }
    };
    let tau = tau::<A, M>(outline.unit(), outline.row_count(), shares.for_tables(amount), &versions);
    pairs.retain(|&[left, right]| versions.cells(left) * versions.cells(right) <= tau);
    let fraction = shares.scores.filter(|_| !pairs.is_empty());
    let share = fraction.and_then(|fraction| Share::of(fraction.numerator, fraction.denominator));
    let for_tables = match share {
        None => amount,
        Some(share) => {
            let (for_scores, rest) = amount.split(share);
            outline.score(ScoreKind::TotalVariation, 2, pairs.len(), &[for_scores])?;
            rest
        }
    };
    let mut rng = plan_rng();
    let scores = pairs.iter().map(|&pair| (pair, rng.random_range(0.0..1.0)));
    let scores = PairScores::new(domain.len(), UNSCORED, scores);
    let cliques: Vec<Clique> =
        Learner::new(&versions, &scores, tau).network().into_iter().map(|drawn| drawn.table).collect();
    let each = for_tables.divided(cliques.len());
    let tables: Vec<(Clique, Amount<M>)> = cliques.into_iter().map(|clique| (clique, each)).collect();
    let events = match pairs.len() {
        0 => Events::certain(tables.len()),
        _ => Events::about(tables.len(), versions.max_tables()),
    };
    outline.measure_each(domain, &tables, events)?;

    let rows = outline.row_count();
    let cells = |pair: &[scumble_schema::AttributeId; 2]| real(domain.cells(&Clique::new(*pair)));
    outline.work.scored = pairs.iter().map(cells).sum();
    outline.work.counted_cells = outline.work.scored;
    let looked_up = 2 * pairs.len() + tables.iter().map(|(clique, _)| clique.len()).sum::<usize>();
    outline.work.counted = rows * real(looked_up as u128);
    Ok(())
}
