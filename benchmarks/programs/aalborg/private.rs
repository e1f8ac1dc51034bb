//! The two methods with the noise that they need. Everything about rows comes from the vault.

use std::num::{NonZeroU32, NonZeroUsize};

use chacha20::ChaCha8Rng;
use scumble_mechanisms::smoothed_histogram::Options;
use scumble_mechanisms::{Distribution, Method};
use scumble_schema::{AttributeId, Clique, Domain, cells};
use scumble_vault::account::Share;
use scumble_vault::score::MutualInformation;
use scumble_vault::{
    ApproxDp, Budget, Certificate, CountTable, Delta, Epsilon, MarginalSource, Private, Pure, ReplaceOne, SourceError,
    Vault,
};

use super::network::{Conditional, family, joint, parent_sets};
use super::rows::{ATTRIBUTES, CELLS, Counts, ROWS, sample};
use scumble_benchmarks::Result;

/// What a run leaves: synthetic rows, and what may be claimed for them.
pub(crate) struct Run {
    pub(crate) synthetic: Counts,
    pub(crate) certificate: Certificate,
}

/// Rows that only the vault gets counts of, as counts of all cells.
struct Source {
    domain: Domain,
    counts: Vec<u64>,
}

impl MarginalSource for Source {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let all = cells::strides(&self.domain, &Clique::new(self.domain.attributes()));
        let table = |clique: &Clique| {
            let strides = cells::strides(&self.domain, clique);
            let mut table = vec![0; self.domain.table_len(clique).expect("the tables of the study are small")];
            for (cell, count) in self.counts.iter().enumerate() {
                let code =
                    |attribute: &AttributeId| cell / all[attribute.index()] % self.domain.size(*attribute) as usize;
                let steps =
                    clique.attributes().iter().zip(&strides).map(|(attribute, stride)| code(attribute) * stride);
                table[steps.sum::<usize>()] += count;
            }
            CountTable::new(clique.clone(), table)
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

type Opened = (Vault<ReplaceOne, Pure>, Budget<ReplaceOne, Pure>, Domain);

fn open(sizes: Vec<u32>, counts: Vec<u64>, epsilon: f64) -> Result<Opened> {
    let domain = Domain::new(sizes)?;
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::ZERO };
    let source = Source { domain: domain.clone(), counts };
    let (vault, budget) = Vault::open(Box::new(source), goal, NonZeroU32::MIN)?;
    Ok((vault, budget, domain))
}

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().copied().map(AttributeId::new))
}

/// The report's `PrivBayes` with joint tables noised instead of conditionals: a share `beta` of the
/// budget chooses parents, the rest measures one table per attribute.
///
/// # Privacy
/// Four choices by mutual information and five tables, each table at `2 * 5 / epsilon2` rows of
/// Laplace noise: one row that is replaced leaves one cell of a table and enters another.
pub(crate) fn privbayes(counts: &Counts, epsilon: f64, beta: Share, rng: &mut ChaCha8Rng) -> Result<Run> {
    let (mut vault, budget, _) = open(vec![2; ATTRIBUTES], counts.to_vec(), epsilon)?;
    let (for_network, for_tables) = budget.split(beta);
    let mut parents = vec![vec![]];
    let choices = NonZeroUsize::new(ATTRIBUTES - 1).expect("five attributes");
    for (child, share) in (1..).zip(for_network.split_evenly(choices)) {
        let mut sets = parent_sets(child);
        let score = |set: &Vec<usize>| MutualInformation::between(clique(&[child]), clique(set));
        let scores = sets.iter().map(score).collect::<Result<Vec<_>, _>>()?;
        let chosen = *vault.select(&scores, share)?;
        parents.push(sets.swap_remove(chosen));
    }
    let families: Vec<Clique> =
        parents.iter().enumerate().map(|(child, parents)| clique(&family(child, parents))).collect();
    let tables = vault.measure(&families, for_tables)?;
    let mut tables = parents.into_iter().zip(tables.iter());
    let conditionals = std::array::from_fn(|_| {
        let (parents, table) = tables.next().expect("one table per attribute");
        Conditional {
            parents,
            one: table.values().chunks_exact(2).map(|pair| share_of_one(pair[0], pair[1])).collect(),
        }
    });
    Ok(Run { synthetic: sample(&joint(&conditionals), ROWS, rng), certificate: vault.close() })
}

/// The conditional probability of a one, from noisy counts of both. What is negative counts as
/// none; where none are left, both are alike.
fn share_of_one(zeros: i64, ones: i64) -> f64 {
    let [zeros, ones] = [zeros, ones].map(|count| count.max(0) as f64);
    if zeros + ones > 0.0 { ones / (zeros + ones) } else { 0.5 }
}

/// Rows of the smoothed histogram as columns of codes, and what may be claimed for them.
pub(crate) struct DrawnRows {
    pub(crate) columns: Vec<Vec<u32>>,
    certificate: Certificate,
}

/// Draws `rows` rows, or the number that the method selects, from a table of all cells.
pub(crate) fn smoothed_rows(sizes: Vec<u32>, counts: Vec<u64>, epsilon: f64, rows: Option<u64>) -> Result<DrawnRows> {
    let (mut vault, budget, _) = open(sizes, counts, epsilon)?;
    let fitted = Method::SmoothedHistogram(Options { rows }).fit_columns(&mut vault, budget)?;
    let Distribution::Rows(drawn) = fitted.distribution else { return Err("it releases rows".into()) };
    Ok(DrawnRows { columns: drawn.iter().map(|column| column.iter().collect()).collect(), certificate: vault.close() })
}

/// Draws rows of the five attributes.
pub(crate) fn smoothed(counts: &Counts, epsilon: f64, rows: Option<u64>) -> Result<Run> {
    let DrawnRows { columns, certificate } = smoothed_rows(vec![2; ATTRIBUTES], counts.to_vec(), epsilon, rows)?;
    let mut synthetic = [0; CELLS];
    for row in 0..columns[0].len() {
        synthetic[columns.iter().fold(0, |cell, column| 2 * cell + column[row] as usize)] += 1;
    }
    Ok(Run { synthetic, certificate })
}
