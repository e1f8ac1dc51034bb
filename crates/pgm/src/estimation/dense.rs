//! Solution of dense positive definite equations.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, Slice};
use scumble_cancel::checkpoint;

/// Number of columns that are factorised at a time. The rest of the matrix is updated by
/// products of matrices, which are fast.
const BLOCK: usize = 64;
/// Number of columns of the lower triangle that are one product.
const COLUMNS: usize = 4 * BLOCK;

/// Returns the product of a matrix and its transpose, of which the lower triangle is meant.
pub(super) fn times_transposed(matrix: &Array2<f64>) -> Array2<f64> {
    let size = matrix.nrows();
    let mut product = Array2::zeros((size, size));
    for from in (0..size).step_by(COLUMNS) {
        checkpoint();
        let (to, all) = ((from + COLUMNS).min(size), 0..matrix.ncols());
        let (left, right) = (part(matrix, from..size, all.clone()), part(matrix, from..to, all));
        general_mat_mul(1.0, &left, &right.t(), 0.0, &mut part_mut(&mut product, from..size, from..to));
    }
    product
}

/// Solves `matrix x = right` for a symmetric positive definite matrix, of which the lower
/// triangle is read; `None` if it is not positive definite in floating point.
pub(super) fn solve(mut matrix: Array2<f64>, right: &Array1<f64>) -> Option<Array1<f64>> {
    factorise(&mut matrix)?;
    let mut solution = right.clone();
    for (row, factors) in matrix.rows().into_iter().enumerate() {
        let known: f64 = factors.iter().zip(&solution).take(row).map(|(factor, value)| factor * value).sum();
        solution[row] = (solution[row] - known) / factors[row];
    }
    // Row by row, because the factor is stored by rows: what is known is taken from the rest.
    for (row, factors) in matrix.rows().into_iter().enumerate().rev() {
        let value = solution[row] / factors[row];
        solution[row] = value;
        for (rest, factor) in solution.iter_mut().zip(factors).take(row) {
            *rest -= factor * value;
        }
    }
    Some(solution)
}

/// Replaces the lower triangle of a matrix by the factor whose product with its transpose is the
/// matrix. What is above the diagonal means nothing.
fn factorise(matrix: &mut Array2<f64>) -> Option<()> {
    let size = matrix.nrows();
    for from in (0..size).step_by(BLOCK) {
        checkpoint();
        let to = (from + BLOCK).min(size);
        factorise_columns(matrix, from..to)?;
        let panel = part(matrix, to..size, from..to).to_owned();
        for start in (to..size).step_by(COLUMNS) {
            let end = (start + COLUMNS).min(size);
            let below = part(&panel, start - to..size - to, 0..to - from);
            let right = part(&panel, start - to..end - to, 0..to - from);
            general_mat_mul(-1.0, &below, &right.t(), 1.0, &mut part_mut(matrix, start..size, start..end));
        }
    }
    Some(())
}

/// Factorises some columns, from which the effect of earlier ones is already taken.
fn factorise_columns(matrix: &mut Array2<f64>, columns: Range<usize>) -> Option<()> {
    let (from, size) = (columns.start, matrix.nrows());
    let cells = matrix.as_slice_mut().expect("the matrix is stored by rows");
    for row in from..size {
        let (above, own) = cells.split_at_mut(row * size);
        for column in columns.start..columns.end.min(row + 1) {
            let known = &own[from..column];
            if column < row {
                let other = &above[column * size..(column + 1) * size];
                let product: f64 = known.iter().zip(&other[from..column]).map(|(one, other)| one * other).sum();
                own[column] = (own[column] - product) / other[column];
            } else {
                let square = own[column] - known.iter().map(|value| value * value).sum::<f64>();
                own[column] = Some(square).filter(|&square| square > 0.0)?.sqrt();
            }
        }
    }
    Some(())
}

fn part(matrix: &Array2<f64>, rows: Range<usize>, columns: Range<usize>) -> ArrayView2<'_, f64> {
    let mut view = matrix.view();
    view.slice_axis_inplace(Axis(0), Slice::from(rows));
    view.slice_axis_inplace(Axis(1), Slice::from(columns));
    view
}

fn part_mut(matrix: &mut Array2<f64>, rows: Range<usize>, columns: Range<usize>) -> ArrayViewMut2<'_, f64> {
    let mut view = matrix.view_mut();
    view.slice_axis_inplace(Axis(0), Slice::from(rows));
    view.slice_axis_inplace(Axis(1), Slice::from(columns));
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes within a block, of one block, and of several.
    const SIZES: [usize; 5] = [1, 7, BLOCK, 3 * BLOCK + 5, 9 * BLOCK + 1];

    fn some(size: usize) -> Array2<f64> {
        Array2::from_shape_fn((size, size), |(row, column)| ((row * 31 + column * 17) % 101) as f64 / 101.0)
    }

    #[test]
    fn a_solution_solves_its_equations() {
        for size in SIZES {
            let some = some(size);
            let mut matrix = some.dot(&some.t());
            matrix.diag_mut().map_inplace(|value| *value += 1.0);
            let right = Array1::from_iter((0..size).map(|row| (row % 5) as f64 - 2.0));
            let solution = solve(matrix.clone(), &right).unwrap();
            assert!((matrix.dot(&solution) - &right).iter().all(|error| error.abs() < 1e-6), "size {size}");
        }
    }

    #[test]
    fn a_product_has_the_lower_triangle_of_the_whole() {
        for size in SIZES {
            let (some, product) = (some(size), times_transposed(&some(size)));
            let whole = some.dot(&some.t());
            let below = (0..size).flat_map(|row| (0..=row).map(move |column| [row, column]));
            assert!(below.into_iter().all(|place| (product[place] - whole[place]).abs() < 1e-9), "size {size}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_solution() {
        let right = Array1::ones(2);
        assert!(solve(Array2::zeros((2, 2)), &right).is_none());
        assert!(solve(Array2::from_elem((2, 2), f64::NAN), &right).is_none());
    }
}
