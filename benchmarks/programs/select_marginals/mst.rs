//! The selection of MST: a spanning tree of the pairs that independence explains worst.

use std::num::NonZeroUsize;

use scumble_pgm::simplex;
use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::score::HalfL1;
use scumble_vault::{NoisyTable, Share, VaultError};

use super::{Money, Vaulted, floats, total};

const THIRD: Share = Share::of(1, 3).expect("a third is a proper fraction");
const HALF: Share = Share::of(1, 2).expect("a half is a proper fraction");

/// All one-way tables and the pairs of a spanning tree, a third of the budget each, and a third for
/// choosing the tree.
///
/// Rare values are not merged, so that the files hold tables over the domain as it is.
///
/// # Privacy
/// `d` tables, `d - 1` selections by half the L1 error against products of released tables (Δ =
/// 1/2), `d - 1` tables; neighbours differ in one row.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 1 and 2.
pub(crate) fn measure(vault: &mut Vaulted, domain: &Domain, budget: Money) -> Result<(), VaultError> {
    let (for_one_way, rest) = budget.split(THIRD);
    let (for_selecting, for_pairs) = rest.split(HALF);
    let one_way = vault.measure(&domain.one_way(), for_one_way)?;
    let tree = spanning_tree(vault, domain, &one_way, for_selecting)?;
    vault.measure(&tree, for_pairs)?;
    Ok(())
}

/// One exponential mechanism per edge, among the pairs that join two parts of the forest so far.
fn spanning_tree(
    vault: &mut Vaulted,
    domain: &Domain,
    one_way: &[NoisyTable],
    budget: Money,
) -> Result<Vec<Clique>, VaultError> {
    let rows = total(one_way.iter().map(|table| (table.values(), table.standard_deviation()))).max(1.0);
    let expected: Vec<Vec<f64>> = one_way
        .iter()
        .map(|table| simplex::project(&floats(table), rows).into_iter().map(|share| share * rows).collect())
        .collect();
    let mut part: Vec<usize> = (0..domain.len()).collect();
    let edges = NonZeroUsize::new(domain.len() - 1).expect("a benchmark has more than one column");
    let mut tree = Vec::new();
    for share in budget.split_evenly(edges) {
        let all = (0..domain.len()).flat_map(|left| (left + 1..domain.len()).map(move |right| (left, right)));
        let joining: Vec<(usize, usize)> = all.filter(|&(left, right)| part[left] != part[right]).collect();
        let table = |attribute: usize| (Clique::single(AttributeId::new(attribute)), &*expected[attribute]);
        let score = |&(left, right): &(usize, usize)| HalfL1::against_product(table(left), table(right), rows);
        let scores = joining.iter().map(score).collect::<Result<Vec<_>, _>>()?;
        let (left, right) = joining[*vault.select(&scores, share)?];
        tree.push(Clique::new([left, right].map(AttributeId::new)));
        let (kept, joined) = (part[left], part[right]);
        part.iter_mut().filter(|part| **part == joined).for_each(|part| *part = kept);
    }
    Ok(tree)
}
