//! One noisy table over all columns.

use std::borrow::Cow;
use std::slice;

use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::Epsilon;

use super::open;
use crate::columns::Columns;
use crate::distance::to_clipped;
use crate::error::EvaluateError;
use crate::marginal::{MarginalDistances, MarginalSets};

/// The distances of marginals of one noisy table over all columns from the real ones.
///
/// The noisy table is summed first and each marginal mended then, so that noise of both signs cancels as far as it can.
///
/// # Errors
/// If the sets are over another domain, or the table has more cells than a vault measures: ten million.
pub fn contingency(real: &Columns, sets: &MarginalSets, epsilon: Epsilon) -> Result<MarginalDistances, EvaluateError> {
    let all = Clique::new(real.domain().attributes());
    let (mut vault, budget) = open(real, epsilon)?;
    let tables = vault.measure(slice::from_ref(&all), budget)?;
    let values = tables[0].values();
    MarginalDistances::of_each(sets, |(): &mut (), clique| {
        let counts = real.counts(clique)?;
        Ok(to_clipped(&counts, &project(real.domain(), values, clique)))
    })
}

/// The sums of a table over all attributes for the cells of `clique`, both in the order of [`scumble_schema::cells`].
fn project(domain: &Domain, values: &[i64], clique: &Clique) -> Vec<i64> {
    let mut sums = Cow::Borrowed(values);
    // Cells of the kept attributes that come later, which vary faster.
    let mut inner = 1;
    // Neighbours that are all kept or all summed are one axis, from the fastest to the slowest: the first sum leaves
    // little for the others to do.
    let attributes: Vec<AttributeId> = domain.attributes().collect();
    for group in attributes.chunk_by(|&left, &right| clique.has(left) == clique.has(right)).rev() {
        let size: usize = group.iter().map(|&attribute| domain.size(attribute) as usize).product();
        if clique.has(group[0]) {
            inner *= size;
        } else {
            sums = Cow::Owned(without_axis(&sums, size, inner));
        }
    }
    sums.into_owned()
}

/// The sums over an axis of `size` codes that `inner` cells of later axes stand behind.
fn without_axis(values: &[i64], size: usize, inner: usize) -> Vec<i64> {
    // Noise that comes near the ends of `i64` has a chance of nil, so sums are not checked.
    let add = |sum: i64, value: &i64| sum.wrapping_add(*value);
    if inner == 1 {
        return values.chunks_exact(size).map(|block| block.iter().fold(0, add)).collect();
    }
    let mut sums = vec![0; values.len() / size];
    for (sums, block) in sums.chunks_exact_mut(inner).zip(values.chunks_exact(size * inner)) {
        for part in block.chunks_exact(inner) {
            sums.iter_mut().zip(part).for_each(|(sum, value)| *sum = add(*sum, value));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use scumble_vault::VaultError;

    use super::super::tests::{all_sets, table};
    use super::*;

    #[test]
    fn sums_of_the_whole_table_are_the_marginals() {
        let real = table(400);
        let whole = real.counts(&Clique::new(real.domain().attributes())).unwrap();
        let whole: Vec<i64> = whole.into_iter().map(|count| i64::try_from(count).unwrap()).collect();
        let all = Clique::new(real.domain().attributes());
        let sets = all_sets(&real);
        for clique in sets.orders().flat_map(|(_, cliques)| cliques).chain([&all, &Clique::empty()]) {
            let sums = project(real.domain(), &whole, clique);
            let due = real.counts(clique).unwrap().into_iter().map(|count| i64::try_from(count).unwrap());
            assert_eq!(sums, due.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_table_that_no_vault_measures_is_refused() {
        let domain = Domain::new(vec![1 << 10; 3]).unwrap();
        let sets = MarginalSets::new(domain.one_way());
        let real = Columns::new(domain, vec![vec![0]; 3]).unwrap();
        let refused = contingency(&real, &sets, Epsilon::new(1.0).unwrap());
        assert!(matches!(refused, Err(EvaluateError::Vault(VaultError::Schema(_)))));
    }
}
