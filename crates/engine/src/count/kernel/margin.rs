//! Sums tables over few attributes from a table over more.

use std::borrow::Cow;

use scumble_schema::{AttributeId, Domain};

/// Calls `give` with the index and the counts of each `requested` clique, summed from `counts` over
/// `clique`, which contains them all.
///
/// Axes are processed in order. Cliques that agree on all axes so far share their sums: 220 triples
/// of twelve columns take a twentieth of the additions that summing each triple alone would take.
/// Additions run over long runs of neighbouring cells, and every axis that is summed out leaves a
/// smaller table.
pub(super) fn sum_out(
    domain: &Domain,
    clique: &[AttributeId],
    counts: &[u64],
    requested: Vec<Requested<'_>>,
    give: &mut impl FnMut(usize, &[u64]),
) {
    decide(domain, clique, counts.len(), counts.into(), requested, give);
}

/// The remaining attributes of a requested clique, and its index.
pub(super) type Requested<'a> = (&'a [AttributeId], usize);

/// Keeps or sums out the axes of `clique`, which span `inner` cells.
fn decide(
    domain: &Domain,
    clique: &[AttributeId],
    mut inner: usize,
    mut counts: Cow<'_, [u64]>,
    mut requested: Vec<Requested<'_>>,
    give: &mut impl FnMut(usize, &[u64]),
) {
    for (position, attribute) in clique.iter().enumerate() {
        let size = domain.size(*attribute) as usize;
        inner /= size;
        let (mut with, mut without) = (vec![], vec![]);
        for (attributes, number) in requested {
            match attributes.split_first() {
                Some((first, rest)) if first == attribute => with.push((rest, number)),
                _ => without.push((attributes, number)),
            }
        }
        if without.is_empty() {
            requested = with;
            continue;
        }
        let summed = sum_axis(&counts, size, inner).into();
        let after = &clique[position + 1..];
        // The shorter list is handled by recursion, so the depth is at most logarithmic.
        if with.len() < without.len() {
            if !with.is_empty() {
                decide(domain, after, inner, counts, with, give);
            }
            (counts, requested) = (summed, without);
        } else {
            decide(domain, after, inner, summed, without, give);
            requested = with;
        }
    }
    for (_, number) in requested {
        give(number, &counts);
    }
}

/// Sums out an axis of `size` codes; the axes after it span `inner` cells.
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
    fn every_subset_matches_a_sum_by_hand() {
        let domain = Domain::new(vec![2, 3, 1, 4]).unwrap();
        let all = Clique::new(domain.attributes());
        let counts: Vec<u64> = (0..24).map(|cell| cell * cell + 1).collect();
        let codes = |cell: usize| [cell / 12, cell / 4 % 3, 0, cell % 4];
        let subsets: Vec<Clique> = (0_usize..16)
            .map(|subset| Clique::new(domain.attributes().filter(|axis| subset >> axis.index() & 1 == 1)))
            .collect();
        let expected = |clique: &Clique| {
            let mut expected = vec![0; domain.table_len(clique).unwrap()];
            for (cell, count) in counts.iter().enumerate() {
                let axes = clique.attributes().iter();
                let at = axes.fold(0, |at, axis| at * domain.size(*axis) as usize + codes(cell)[axis.index()]);
                expected[at] += count;
            }
            expected
        };
        // Each alone, and all at once with some repeated.
        for query in subsets.chunks(1).chain([&[subsets.clone(), subsets[3..7].to_vec()].concat()[..]]) {
            let mut summed = vec![vec![]; query.len()];
            let requested = query.iter().map(Clique::attributes).zip(0..).collect();
            sum_out(&domain, all.attributes(), &counts, requested, &mut |number, counts| {
                summed[number] = counts.to_vec();
            });
            assert!(summed.iter().eq(&query.iter().map(expected).collect::<Vec<_>>()), "{query:?}");
        }
    }
}
