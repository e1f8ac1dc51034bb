//! Products of two tables with attributes summed out.
//!
//! The whole product is never stored: it is computed as a matrix product whose inner index runs
//! over the attributes summed out. So the memory is that of the two tables and the result.

use std::borrow::Cow;

use scumble_schema::{AttributeId, Clique};

use crate::table::projection::{Axis, Projection};

/// Numbers in a cache line.
const LINE: usize = 8;

/// A table whose axes are in any order, the last varying fastest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) axes: Vec<Axis>,
    pub(crate) values: Vec<f64>,
}

impl Table {
    /// Returns the table over no attribute, with the value one.
    pub(crate) fn one() -> Self {
        Self { axes: Vec::new(), values: vec![1.0] }
    }

    /// Returns the table over `onto`, ascending, with all other attributes summed out.
    pub(crate) fn project(&self, onto: &Clique) -> Self {
        let projection = Projection::new(&self.axes, onto);
        let mut values = vec![0.0; projection.onto_cells()];
        projection.sum(&self.values, &mut values);
        Self { axes: onto.attributes().iter().map(|&attribute| self.axis(attribute)).collect(), values }
    }

    /// Returns a copy of the table with its axes in this order.
    pub(crate) fn permuted(&self, order: &[AttributeId]) -> Self {
        let axes: Vec<Axis> = order.iter().map(|&attribute| self.axis(attribute)).collect();
        Self { values: self.ordered(&axes).into_owned(), axes }
    }

    /// Returns the values with the axes in this order.
    pub(crate) fn into_order(self, order: &[AttributeId]) -> Vec<f64> {
        if order.iter().eq(self.axes.iter().map(|axis| &axis.attribute)) {
            self.values
        } else {
            self.permuted(order).values
        }
    }

    /// Divides each cell by the cell of the smaller table that it falls in; 0 / 0 is 0.
    pub(crate) fn divided(&self, smaller: &Clique, divisors: &[f64]) -> Self {
        let mut values = self.values.clone();
        Projection::new(&self.axes, smaller).divide(divisors, &mut values);
        Self { axes: self.axes.clone(), values }
    }

    /// Returns the product of two tables, summed over all shared axes that `kept` lacks.
    pub(crate) fn contract(&self, other: &Self, kept: &Clique) -> Self {
        // The inner loop runs over the right table's own axes, so the right table should have the
        // longer rows.
        let own = |table: &Self, other: &Self| -> Vec<Axis> {
            table.axes.iter().copied().filter(|axis| !other.axes.contains(axis)).collect()
        };
        let (mut left, mut left_own) = (self, own(self, other));
        let (mut right, mut right_own) = (other, own(other, self));
        if cells(&left_own) > cells(&right_own) {
            std::mem::swap(&mut left, &mut right);
            std::mem::swap(&mut left_own, &mut right_own);
        }
        let shared = right.axes.iter().copied().filter(|axis| left.axes.contains(axis));
        let (both, summed): (Vec<Axis>, Vec<Axis>) = shared.partition(|axis| kept.has(axis.attribute));

        let (rows, inner, columns) = (cells(&left_own), cells(&summed), cells(&right_own));
        let left = left.ordered(&[&both[..], &left_own, &summed].concat());
        let right = right.ordered(&[&both[..], &summed, &right_own].concat());
        let mut values = vec![0.0; cells(&both) * rows * columns];
        let matrices = left.chunks_exact(rows * inner).zip(right.chunks_exact(inner * columns));
        for (product, (left, right)) in values.chunks_exact_mut(rows * columns).zip(matrices) {
            for (product, left) in product.chunks_exact_mut(columns).zip(left.chunks_exact(inner)) {
                add_row(left, right, product);
            }
        }
        Self { axes: [both, left_own, right_own].concat(), values }
    }

    fn axis(&self, attribute: AttributeId) -> Axis {
        *self.axes.iter().find(|axis| axis.attribute == attribute).expect("the table has the attribute")
    }

    /// Returns the values with the axes in `order`, borrowed if they are in that order already.
    fn ordered(&self, order: &[Axis]) -> Cow<'_, [f64]> {
        if order == self.axes {
            return Cow::Borrowed(&self.values);
        }
        let mut strides = vec![1; self.axes.len()];
        for axis in (1..self.axes.len()).rev() {
            strides[axis - 1] = strides[axis] * self.axes[axis].size as usize;
        }
        let stride = |axis: &Axis| strides[self.axes.iter().position(|own| own == axis).expect("a permutation")];
        Cow::Owned(gather(&self.values, order.iter().map(|axis| (axis.size as usize, stride(axis)))))
    }
}

/// Transposes `values`: `order` gives the size and stride of each axis of the result, the last
/// varying fastest.
fn gather(values: &[f64], order: impl Iterator<Item = (usize, usize)>) -> Vec<f64> {
    // Axes that are adjacent in both orders are merged.
    let mut axes: Vec<(usize, usize)> = Vec::new();
    for (size, step) in order.filter(|(size, _)| *size > 1) {
        match axes.last_mut() {
            Some((merged, last)) if *last == size * step => (*merged, *last) = (*merged * size, step),
            _ => axes.push((size, step)),
        }
    }
    let (columns, step) = axes.pop().unwrap_or((1, 1));
    // If the fastest axis of the result is not that of the source, the two are a matrix to be
    // transposed. A few rows at a time, so that a cache line is still cached when its neighbours
    // are read.
    let fast = if step == 1 { None } else { axes.iter().position(|(_, step)| *step == 1) };
    let (rows, row_step) = fast
        .map_or((1, 0), |fast| (axes[fast].0, axes[fast + 1..].iter().map(|axis| axis.0).product::<usize>() * columns));
    let mut gathered = vec![0.0; values.len()];
    let mut codes = vec![0; axes.len()];
    let mut start = 0;
    let mut place = 0;
    while place < gathered.len() {
        if step == 1 {
            gathered[place..place + columns].copy_from_slice(&values[start..start + columns]);
        } else if fast.is_none_or(|fast| codes[fast] == 0) {
            for top in (0..rows).step_by(LINE) {
                for column in 0..columns {
                    let source = start + column * step;
                    for row in top..rows.min(top + LINE) {
                        gathered[place + row * row_step + column] = values[source + row];
                    }
                }
            }
        }
        place += columns;
        for (code, (size, step)) in codes.iter_mut().zip(&axes).rev() {
            *code += 1;
            start += step;
            if *code < *size {
                break;
            }
            start -= *code * step;
            *code = 0;
        }
    }
    gathered
}

/// Adds one row of a matrix product: four rows of the right matrix at a time, so that the product's
/// row is read and written once for four of them.
fn add_row(left: &[f64], right: &[f64], product: &mut [f64]) {
    let columns = product.len();
    let (fours, rest) = left.as_chunks::<4>();
    for (&[a, b, c, d], right) in fours.iter().zip(right.chunks_exact(4 * columns)) {
        let (first, second) = right.split_at(2 * columns);
        let (first, third) = (first.split_at(columns), second.split_at(columns));
        let right = first.0.iter().zip(first.1).zip(third.0.iter().zip(third.1));
        for (cell, ((first, second), (third, fourth))) in product.iter_mut().zip(right) {
            *cell += (a * first + b * second) + (c * third + d * fourth);
        }
    }
    for (&value, right) in rest.iter().zip(right[fours.len() * 4 * columns..].chunks_exact(columns)) {
        for (cell, right) in product.iter_mut().zip(right) {
            *cell += value * right;
        }
    }
}

fn cells(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.size as usize).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: [u32; 5] = [2, 3, 5, 4, 1];

    fn table(attributes: &[usize], values: &[f64]) -> Table {
        let axes: Vec<Axis> = attributes
            .iter()
            .map(|&attribute| Axis { attribute: AttributeId::new(attribute), size: SIZES[attribute] })
            .collect();
        let values = (0..cells(&axes)).map(|cell| values[cell % values.len()]).collect();
        Table { axes, values }
    }

    /// Returns the value of the table's cell that a row falls in.
    fn at(table: &Table, row: &[u32; 5]) -> f64 {
        let cell = table.axes.iter().fold(0, |cell, axis| cell * axis.size + row[axis.attribute.index()]);
        table.values[cell as usize]
    }

    fn rows() -> impl Iterator<Item = [u32; 5]> {
        (0..2 * 3 * 5 * 4).map(|row| [row / 60, row / 20 % 3, row / 4 % 5, row % 4, 0])
    }

    proptest! {
        #[test]
        fn a_contraction_is_the_product_summed(
            left in Just(vec![0, 1, 2, 3, 4]).prop_shuffle(), left_axes in 0..6_usize,
            right in Just(vec![0, 1, 2, 3, 4]).prop_shuffle(), right_axes in 0..6_usize,
            summed in prop::collection::vec(any::<bool>(), 5),
            values in prop::collection::vec(-1.0..1.0_f64, 17), others in prop::collection::vec(-1.0..1.0_f64, 23),
        ) {
            let left = table(&left[..left_axes], &values);
            let right = table(&right[..right_axes], &others);
            let has = |table: &Table, attribute: usize| {
                table.axes.iter().any(|axis| axis.attribute == AttributeId::new(attribute))
            };
            let is_kept = |attribute: &usize| match (has(&left, *attribute), has(&right, *attribute)) {
                (true, true) => !summed[*attribute],
                (left, right) => left || right,
            };
            let kept: Vec<AttributeId> = (0..5).filter(is_kept).map(AttributeId::new).collect();
            let kept = Clique::from(kept);
            let result = left.contract(&right, &kept).permuted(kept.attributes());

            let mut expected = vec![0.0; result.values.len()];
            for row in rows() {
                let cell = result.axes.iter().fold(0, |cell, axis| cell * axis.size + row[axis.attribute.index()]);
                // Rows that differ only in attributes of neither table count once.
                let once = (0..5).all(|attribute| has(&left, attribute) || has(&right, attribute) || row[attribute] == 0);
                if once {
                    expected[cell as usize] += at(&left, &row) * at(&right, &row);
                }
            }
            for (value, expected) in result.values.iter().zip(&expected) {
                prop_assert!((value - expected).abs() < 1e-12);
            }
        }
    }
}
