//! Sums a table over fewer attributes out of a table over more.

use scumble_schema::{Clique, Domain};

/// The counts over `wanted`, out of the `counts` over `clique`, which contains it.
///
/// Axes are summed out one at a time, the first first: what is added then are long runs of neighbouring cells, and every
/// step leaves a smaller table to the next.
pub(super) fn sum_out(domain: &Domain, clique: &Clique, counts: &[u64], wanted: &Clique) -> Vec<u64> {
    let mut counts = counts.to_vec();
    // How many cells the axes behind the current one span.
    let mut inner = counts.len();
    for &attribute in clique.attributes() {
        let size = domain.size(attribute) as usize;
        inner /= size;
        if wanted.attributes().binary_search(&attribute).is_ok() {
            continue;
        }
        let mut summed = vec![0_u64; counts.len() / size];
        for (sums, part) in summed.chunks_exact_mut(inner).zip(counts.chunks_exact(inner * size)) {
            for slice in part.chunks_exact(inner) {
                for (sum, &count) in sums.iter_mut().zip(slice) {
                    // No sum exceeds the number of rows, which `Counter` keeps below 2^64.
                    *sum = sum.wrapping_add(count);
                }
            }
        }
        counts = summed;
    }
    counts
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    #[test]
    fn every_subset_is_summed_as_by_hand() {
        let domain = Domain::new(vec![2, 3, 1, 4]).unwrap();
        let all = Clique::new(domain.attributes());
        let counts: Vec<u64> = (0..24).map(|cell| cell * cell + 1).collect();
        let codes = |cell: usize| [cell / 12, cell / 4 % 3, 0, cell % 4];
        for subset in 0_usize..16 {
            let kept: Vec<usize> = (0..4).filter(|axis| subset >> axis & 1 == 1).collect();
            let wanted = Clique::new(kept.iter().map(|&axis| AttributeId::new(axis)));
            let mut expected = vec![0; domain.table_len(&wanted).unwrap()];
            for (cell, count) in counts.iter().enumerate() {
                let at = kept.iter().fold(0, |at, &axis| at * domain.sizes()[axis] as usize + codes(cell)[axis]);
                expected[at] += count;
            }
            assert_eq!(sum_out(&domain, &all, &counts, &wanted), expected, "{kept:?}");
        }
    }
}
