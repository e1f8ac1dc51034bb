//! Sums tables over fewer attributes out of a table over more.

use std::borrow::Cow;

use scumble_schema::{AttributeId, Domain};

/// Gives the counts over each of the `wanted` cliques, with its number, out of the `counts` over `clique`, which contains
/// them all.
///
/// Axes are decided on one at a time, the first first. Cliques that agree on all axes so far share their sums: 220 triples
/// out of twelve columns take a twentieth of the additions that one after the other would. What is added are long runs
/// of neighbouring cells, and every axis that is summed out leaves a smaller table to the next.
pub(super) fn sum_out(
    domain: &Domain,
    clique: &[AttributeId],
    counts: &[u64],
    wanted: Vec<Wanted<'_>>,
    give: &mut impl FnMut(usize, &[u64]),
) {
    decide(domain, clique, counts.len(), counts.into(), wanted, give);
}

/// Those attributes of a wanted clique that are still to come, and its number.
pub(super) type Wanted<'a> = (&'a [AttributeId], usize);

/// `inner` is how many cells the axes of `clique`, which are still to be decided on, span.
fn decide(
    domain: &Domain,
    clique: &[AttributeId],
    mut inner: usize,
    mut counts: Cow<'_, [u64]>,
    mut wanted: Vec<Wanted<'_>>,
    give: &mut impl FnMut(usize, &[u64]),
) {
    for (position, attribute) in clique.iter().enumerate() {
        let size = domain.size(*attribute) as usize;
        inner /= size;
        let (mut with, mut without) = (vec![], vec![]);
        for (attributes, number) in wanted {
            match attributes.split_first() {
                Some((first, rest)) if first == attribute => with.push((rest, number)),
                _ => without.push((attributes, number)),
            }
        }
        if without.is_empty() {
            wanted = with;
            continue;
        }
        let summed = sum_axis(&counts, size, inner).into();
        let behind = &clique[position + 1..];
        // The shorter list gets a call of its own, so calls are nested no deeper than a list can be halved.
        if with.len() < without.len() {
            if !with.is_empty() {
                decide(domain, behind, inner, counts, with, give);
            }
            (counts, wanted) = (summed, without);
        } else {
            decide(domain, behind, inner, summed, without, give);
            wanted = with;
        }
    }
    for (_, number) in wanted {
        give(number, &counts);
    }
}

/// Sums out an axis of `size` codes, behind which others span `inner` cells.
fn sum_axis(counts: &[u64], size: usize, inner: usize) -> Vec<u64> {
    let mut summed = vec![0_u64; counts.len() / size];
    for (sums, part) in summed.chunks_exact_mut(inner).zip(counts.chunks_exact(inner * size)) {
        for slice in part.chunks_exact(inner) {
            for (sum, &count) in sums.iter_mut().zip(slice) {
                // No sum exceeds the number of rows, which `Counter` keeps below 2^64.
                *sum = sum.wrapping_add(count);
            }
        }
    }
    summed
}

#[cfg(test)]
mod tests {
    use scumble_schema::Clique;

    use super::*;

    #[test]
    fn every_subset_is_summed_as_by_hand() {
        let domain = Domain::new(vec![2, 3, 1, 4]).unwrap();
        let all = Clique::new(domain.attributes());
        let counts: Vec<u64> = (0..24).map(|cell| cell * cell + 1).collect();
        let codes = |cell: usize| [cell / 12, cell / 4 % 3, 0, cell % 4];
        let subsets: Vec<Clique> = (0_usize..16)
            .map(|subset| Clique::new(domain.attributes().filter(|axis| subset >> axis.index() & 1 == 1)))
            .collect();
        let expected = |wanted: &Clique| {
            let mut expected = vec![0; domain.table_len(wanted).unwrap()];
            for (cell, count) in counts.iter().enumerate() {
                let axes = wanted.attributes().iter();
                let at = axes.fold(0, |at, axis| at * domain.size(*axis) as usize + codes(cell)[axis.index()]);
                expected[at] += count;
            }
            expected
        };
        // Each by itself, and all at once, some of them twice.
        for question in subsets.chunks(1).chain([&[subsets.clone(), subsets[3..7].to_vec()].concat()[..]]) {
            let mut summed = vec![vec![]; question.len()];
            let wanted = question.iter().map(Clique::attributes).zip(0..).collect();
            sum_out(&domain, all.attributes(), &counts, wanted, &mut |number, counts| summed[number] = counts.to_vec());
            assert!(summed.iter().eq(&question.iter().map(expected).collect::<Vec<_>>()), "{question:?}");
        }
    }
}
