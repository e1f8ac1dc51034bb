//! Distributions in which columns are independent.

use scumble_schema::{Clique, cells};

use crate::columns::{Columns, index};
use crate::error::EvaluateError;
use crate::marginal::count::Workspace;
use crate::marginal::{MarginalDistances, MarginalSets};

/// The distances of the uniform distribution from the real table.
///
/// # Errors
/// If the sets are over another domain, or a marginal has more than 2^62 cells.
pub fn uniform(real: &Columns, sets: &MarginalSets) -> Result<MarginalDistances, EvaluateError> {
    let column = |&size: &u32| vec![1.0 / f64::from(size); size as usize];
    product(real, sets, &real.domain().sizes().iter().map(column).collect::<Vec<_>>())
}

/// The distances of the product of the real one-way distributions from the real table.
///
/// # Errors
/// As those of [`uniform`].
pub fn independent(real: &Columns, sets: &MarginalSets) -> Result<MarginalDistances, EvaluateError> {
    let rows = f64::from(real.rows().max(1));
    let column = |clique: &Clique| -> Result<Vec<f64>, EvaluateError> {
        #[expect(clippy::cast_precision_loss, reason = "a table has fewer than 2^32 rows")]
        let shares = real.counts(clique)?.into_iter().map(|count| count as f64 / rows);
        Ok(shares.collect())
    };
    let columns: Vec<Vec<f64>> = real.domain().one_way().iter().map(column).collect::<Result<_, _>>()?;
    product(real, sets, &columns)
}

/// The distances of the product of these distributions, one per column.
fn product(real: &Columns, sets: &MarginalSets, columns: &[Vec<f64>]) -> Result<MarginalDistances, EvaluateError> {
    MarginalDistances::of_each(sets, |workspace: &mut Workspace, clique| {
        if real.rows() == 0 {
            return Ok(1.0);
        }
        real.check(clique)?;
        let strides = cells::strides(real.domain(), clique);
        let axes: Vec<(&[f64], u64)> = clique
            .attributes()
            .iter()
            .zip(strides)
            .map(|(attribute, stride)| (columns[attribute.index()].as_slice(), stride as u64))
            .collect();
        let probability = |cell: u64| -> f64 {
            axes.iter().map(|(shares, stride)| shares[index(cell / stride % shares.len() as u64)]).product()
        };
        let (mut differences, mut covered) = (0.0, 0.0);
        workspace.for_each_occupied(real, clique, |cell, count| {
            let probability = probability(cell);
            #[expect(clippy::cast_precision_loss, reason = "a table has fewer than 2^32 rows")]
            let share = count as f64 / f64::from(real.rows());
            differences += (share - probability).abs();
            covered += probability;
        })?;
        // Cells without rows, of which there may be far too many to visit, differ by the probability that is left.
        Ok(f64::midpoint(differences, (1.0 - covered).max(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::super::tests::{all_sets, table};
    use super::*;

    /// The same by visiting every cell.
    fn brute(real: &Columns, clique: &Clique, columns: &[Vec<f64>]) -> f64 {
        let shape: Vec<&Vec<f64>> = clique.attributes().iter().map(|attribute| &columns[attribute.index()]).collect();
        let mut probabilities = vec![1.0];
        for column in shape {
            probabilities =
                probabilities.iter().flat_map(|before| column.iter().map(move |now| before * now)).collect();
        }
        let counts = real.counts(clique).unwrap();
        #[expect(clippy::cast_precision_loss, reason = "few rows")]
        let shares = counts.iter().map(|&count| count as f64 / f64::from(real.rows()));
        shares.zip(probabilities).map(|(share, probability)| (share - probability).abs()).sum::<f64>() / 2.0
    }

    #[test]
    fn cells_without_rows_are_counted_without_a_visit() {
        // Few rows for 48 cells: most are empty.
        let real = table(20);
        let sets = all_sets(&real);
        let columns = [vec![0.9, 0.1], vec![0.2, 0.3, 0.5], vec![0.5, 0.5], vec![0.0, 0.25, 0.5, 0.25]];
        let distances = product(&real, &sets, &columns).unwrap();
        for (order, cliques) in sets.orders() {
            let due: Vec<f64> = cliques.iter().map(|clique| brute(&real, clique, &columns)).collect();
            #[expect(clippy::cast_precision_loss, reason = "few sets")]
            let mean = due.iter().sum::<f64>() / due.len() as f64;
            assert!((distances.order(order).unwrap().mean - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn a_product_of_the_real_columns_agrees_with_each_of_them() {
        let real = table(300);
        let sets = all_sets(&real);
        let (independent, uniform) = (independent(&real, &sets).unwrap(), uniform(&real, &sets).unwrap());
        assert!(independent.order(1).unwrap().max < 1e-12);
        assert!(independent.order(2).unwrap().mean > 0.05, "the columns depend on one another");
        assert!(
            uniform.order(1).unwrap().mean > 0.05
                && uniform.order(3).unwrap().mean > independent.order(3).unwrap().mean
        );
    }

    #[test]
    fn a_marginal_of_very_many_cells_is_far_from_uniform() {
        let domain = Domain::new(vec![1 << 20; 3]).unwrap();
        let sets = MarginalSets::new([Clique::new(domain.attributes())]);
        let real = Columns::new(domain, vec![vec![5, 7]; 3]).unwrap();
        assert!((uniform(&real, &sets).unwrap().order(3).unwrap().mean - 1.0).abs() < 1e-12);
        // The product of two values in each column: one in eight for each of 8 cells, of which the rows are in two.
        assert!((independent(&real, &sets).unwrap().order(3).unwrap().mean - 0.75).abs() < 1e-12);
    }
}
