//! Planned releases of `privbayes` and `pb-pgm`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use chacha20::ChaCha8Rng;
use rand::RngExt;
use scumble_pgm::JunctionTree;
use scumble_schema::{AdjacencyKind, Clique, Domain};
use scumble_vault::Selecting;
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;

use super::noisy_tables::measured;
use super::{Candidate, Columns, Learning, Public, ROWS_SHARE, Shape, constant};
use crate::error::MechanismError;
use crate::mechanism::terms::MethodAdjacency;
use crate::methods::privbayes::options::{Options, Score};
use crate::planning::outline::{Events, Extent, Outline, plan_rngs, real};

/// Number of candidates after which no further network is drawn.
const ENOUGH_CANDIDATES: usize = 10_000;
/// Number of candidates that are tried until one leaves the tree small enough.
const TRIES: usize = 20;

/// Plans the releases, with random selections in place of those by rows. If the number of rows is
/// public, all networks of binary columns have equally many tables; otherwise their number depends
/// on the network, or on the noisy number of rows.
pub(crate) fn outline<A: MethodAdjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    columns: &Columns,
    options: &Options,
    amount: Amount<M>,
    shape: Shape<'_>,
) -> Result<(), MechanismError> {
    let domain = columns.domain();
    let amount = match A::KIND {
        AdjacencyKind::ReplaceOne => amount,
        AdjacencyKind::AddRemove => {
            let (for_rows, rest) = amount.split(ROWS_SHARE);
            outline.measure(domain, &[Clique::empty()], for_rows)?;
            rest
        }
    };
    let is_public = A::KIND == AdjacencyKind::ReplaceOne;
    let public = Public { rows: outline.row_count(), unit: outline.unit(), amount };
    // Whether a candidate leaves the tree small is checked for those that are drawn: for all of
    // them it would take the time of a fit.
    let learning = public.learning::<A>(columns, options, Shape::Any)?;
    let (mut drawn, for_tables) = if learning.has_alternatives() {
        let (for_network, for_tables) = amount.split(options.network_share()?);
        let drawn = Drawn::several(&learning, domain, shape)?;
        let steps = learning.steps();
        let each = for_network.divided(steps);
        let candidates = || drawn.candidates.iter().copied().filter(|&found| found > 0);
        let selections = vec![each; candidates().count()];
        if let Some(found) = Extent::of(candidates()) {
            let events = if is_public && selections.len() == steps {
                Events::certain(steps)
            } else {
                Events::about(selections.len(), steps)
            };
            outline.select(kind(learning.score()), NonZeroU32::MIN, found, &selections, events)?;
        }
        (drawn, for_tables)
    } else {
        (Drawn { pairs: learning.only_network(), ..Drawn::default() }, amount)
    };
    let Drawn { pairs, scored, .. } = &mut drawn;
    pairs.extend(constant(columns));
    let cliques = measured(columns, pairs);
    let each = for_tables.divided(cliques.len());
    let tables: Vec<(Clique, Amount<M>)> = cliques.iter().map(|clique| (clique.clone(), each)).collect();
    let informative: Vec<u32> = columns.drawn().map(|column| domain.size(column)).filter(|&size| size > 1).collect();
    let is_certain = is_public && (!learning.has_alternatives() || informative.iter().all(|&size| size == 2));
    let events =
        if is_certain { Events::certain(tables.len()) } else { Events::about(tables.len(), informative.len()) };
    outline.measure_each(domain, &tables, events)?;

    let rows = outline.row_count();
    let work = &mut outline.work;
    let counted: BTreeSet<Clique> =
        scored.iter().map(|(child, parents)| parents.union(&Clique::single(*child))).collect();
    work.counted = rows * counted.iter().chain(&cliques).map(|clique| real(clique.len() as u128)).sum::<f64>();
    let of_parents = |(_, parents): &Candidate| real(domain.cells(parents));
    let of_tables = |(child, parents): &Candidate| real(domain.cells(&parents.union(&Clique::single(*child))));
    match learning.score() {
        // The dynamic programme keeps reachable sums as bits of words.
        Score::F => work.maximised = scored.iter().map(of_parents).sum::<f64>() * rows / 64.0,
        _ => work.scored = scored.iter().map(of_tables).sum(),
    }
    work.counted_cells = counted.iter().map(|clique| real(domain.cells(clique))).sum();
    if let Shape::SmallTree { .. } = shape {
        work.sized = real(scored.len() as u128) * real(domain.len() as u128);
        work.model_cells = if learning.has_alternatives() {
            drawn.tree_cells
        } else {
            real(JunctionTree::predicted_cells(domain, &cliques))
        };
    }
    Ok(())
}

/// A random network, and the candidates that were considered for it.
#[derive(Debug, Default)]
struct Drawn {
    pairs: Vec<Candidate>,
    scored: BTreeSet<Candidate>,
    /// Number of candidates of each step.
    candidates: Vec<u64>,
    /// Number of cells of the tree of the network's tables; the mean over several networks.
    tree_cells: f64,
}

impl Drawn {
    /// Draws several networks, up to a limit on candidates. Returns the first, with the mean size
    /// of trees.
    fn several(learning: &Learning, domain: &Domain, shape: Shape<'_>) -> Result<Self, MechanismError> {
        let mut networks: Vec<Self> = Vec::new();
        for rng in plan_rngs() {
            if networks.iter().map(|network| network.scored.len()).sum::<usize>() > ENOUGH_CANDIDATES {
                break;
            }
            networks.push(Self::one(learning, domain, shape, rng)?);
        }
        let mean = networks.iter().map(|network| network.tree_cells).sum::<f64>() / real(networks.len() as u128);
        let first = networks.swap_remove(0);
        Ok(Self { tree_cells: mean, ..first })
    }

    fn one(
        learning: &Learning,
        domain: &Domain,
        shape: Shape<'_>,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, MechanismError> {
        let (mut scored, mut candidates, mut cliques) = (BTreeSet::new(), Vec::new(), Vec::new());
        let pairs = learning.grow(|found| {
            scored.extend(found.iter().cloned());
            candidates.push(found.len() as u64);
            if found.is_empty() {
                return Ok(None);
            }
            let mut selected = rng.random_range(0..found.len());
            if let Shape::SmallTree { cells, .. } = shape {
                let mut fits_tree = |place: usize| {
                    let (child, parents) = &found[place];
                    cliques.push(parents.union(&Clique::single(*child)));
                    let fits = JunctionTree::predicted_cells(domain, &cliques) <= cells;
                    if !fits {
                        cliques.pop();
                    }
                    fits
                };
                let again = (0..TRIES).map(|_| rng.random_range(0..found.len()));
                selected = std::iter::once(selected).chain(again).find(|&place| fits_tree(place)).unwrap_or(selected);
            }
            Ok(Some(selected))
        })?;
        let tree_cells = match shape {
            Shape::Any => 0.0,
            Shape::SmallTree { .. } => real(JunctionTree::predicted_cells(domain, &cliques)),
        };
        Ok(Self { pairs, scored, candidates, tree_cells })
    }
}

fn kind(score: Score) -> ScoreKind {
    match score {
        Score::F => ScoreKind::MaximalJoint,
        Score::I => ScoreKind::MutualInformation,
        Score::R | Score::Auto => ScoreKind::TotalVariation,
    }
}
