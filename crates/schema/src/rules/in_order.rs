//! Values of several columns that have to be in order.
//!
//! Codes are in order already as far as bins can be: for any two columns of an order some values of their bins ascend. Here the values
//! that were drawn from those bins are made to.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use rand::Rng;

use super::line::{Codes, Line};
use crate::clique::AttributeId;
use crate::codes::CodeColumn;
use crate::cut::Draw;
use crate::schema::Schema;

/// How often values of a row are drawn anew until they are in order by chance, which leaves them uniform. Two values of one bin are
/// in order in half of all draws, so hardly any row needs more.
const DRAWS: usize = 32;

/// Columns that orders tie together, directly or through others.
#[derive(Debug)]
pub(crate) struct InOrder {
    /// Places of the columns in the schema; none before one that its values may not be below.
    columns: Vec<usize>,
    lines: Vec<Line>,
    /// For every column, those before it in `columns` that its values may not be below.
    below: Vec<Vec<usize>>,
}

impl InOrder {
    /// The orders of a schema.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        let ascending = schema.ascending();
        let mut left: Vec<AttributeId> = ascending.iter().flat_map(|&(first, second)| [first, second]).collect();
        left.sort_unstable();
        left.dedup();
        let mut all = Vec::new();
        while let Some(&first) = left.first() {
            let mut tied = vec![first];
            let mut next = 0;
            while let Some(&column) = tied.get(next) {
                for &(one, other) in ascending {
                    for (here, there) in [(one, other), (other, one)] {
                        if here == column && !tied.contains(&there) {
                            tied.push(there);
                        }
                    }
                }
                next += 1;
            }
            left.retain(|column| !tied.contains(column));
            // Orders are checked to hold all pairs that follow from others, so a later column has more before it.
            let before = |column: AttributeId| ascending.iter().filter(|&&(_, later)| later == column).count();
            tied.sort_by_key(|&column| (before(column), column));
            let place = |column: AttributeId| tied.iter().position(|&other| other == column).expect("tied");
            let below = |&column: &AttributeId| {
                let earlier = ascending.iter().filter(|&&(_, later)| later == column).map(|&(earlier, _)| earlier);
                earlier.map(place).collect()
            };
            let line = |&column: &AttributeId| Line::of(schema.attribute(column)).expect("an order was checked");
            all.push(Self {
                columns: tied.iter().map(|column| column.index()).collect(),
                lines: tied.iter().map(line).collect(),
                below: tied.iter().map(below).collect(),
            });
        }
        all
    }

    /// Draws values of rows that are out of order anew, such that they are in order. Their codes stay what they are.
    pub(crate) fn mend(&self, codes: &[CodeColumn], arrays: &mut [ArrayRef], rng: &mut impl Rng) {
        let codes: Vec<&CodeColumn> = self.columns.iter().map(|&column| &codes[column]).collect();
        let own: Vec<&ArrayRef> = self.columns.iter().map(|&column| &arrays[column]).collect();
        let mended: Vec<ArrayRef> = match &self.lines[0] {
            Line::Whole(_) => {
                let lines =
                    self.lines.iter().filter_map(|line| if let Line::Whole(codes) = line { Some(codes) } else { None });
                let mut values: Vec<Vec<Option<i64>>> = own.iter().map(|array| wholes(array)).collect();
                self.mend_values(&codes, &lines.collect::<Vec<_>>(), &mut values, rng);
                own.iter().zip(values).map(|(array, values)| with_wholes(array, values)).collect()
            }
            Line::Real(_) => {
                let lines =
                    self.lines.iter().filter_map(|line| if let Line::Real(codes) = line { Some(codes) } else { None });
                let mut values: Vec<Vec<Option<f64>>> =
                    own.iter().map(|array| array.as_primitive::<Float64Type>().iter().collect()).collect();
                self.mend_values(&codes, &lines.collect::<Vec<_>>(), &mut values, rng);
                let array =
                    |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(PrimitiveArray::<Float64Type>::from(values)) };
                values.into_iter().map(array).collect()
            }
        };
        for (&column, array) in self.columns.iter().zip(mended) {
            arrays[column] = array;
        }
    }

    fn mend_values<T: Copy + PartialOrd, D: Draw<T>>(
        &self,
        codes: &[&CodeColumn],
        lines: &[&Codes<T, D>],
        values: &mut [Vec<Option<T>>],
        rng: &mut impl Rng,
    ) {
        let mut row_values = vec![None; values.len()];
        let mut row_codes = vec![0; values.len()];
        for row in 0..codes[0].len() {
            for (value, column) in row_values.iter_mut().zip(&*values) {
                *value = column[row];
            }
            if self.is_in_order(&row_values) {
                continue;
            }
            for (code, column) in row_codes.iter_mut().zip(codes) {
                *code = column.get(row);
            }
            self.draw_in_order(&row_codes, lines, &mut row_values, rng);
            for (value, column) in row_values.iter().zip(&mut *values) {
                column[row] = *value;
            }
        }
    }

    fn is_in_order<T: Copy + PartialOrd>(&self, values: &[Option<T>]) -> bool {
        let holds = |value: Option<T>, earlier: Option<T>| match (value, earlier) {
            (Some(value), Some(earlier)) => earlier <= value,
            _ => true,
        };
        self.below.iter().zip(values).all(|(below, &value)| below.iter().all(|&earlier| holds(value, values[earlier])))
    }

    fn draw_in_order<T: Copy + PartialOrd, D: Draw<T>>(
        &self,
        codes: &[u32],
        lines: &[&Codes<T, D>],
        values: &mut [Option<T>],
        rng: &mut impl Rng,
    ) {
        let spans: Vec<Option<(T, T)>> =
            codes.iter().zip(lines).map(|(&code, line)| line.spans[code as usize]).collect();
        for _ in 0..DRAWS {
            for (place, value) in values.iter_mut().enumerate() {
                *value = spans[place].map(|(low, high)| lines[place].draw.draw_within(codes[place], low, high, rng));
            }
            if self.is_in_order(values) {
                return;
            }
        }
        // One after the other, each at least what those before it became and at most what leaves room for those behind it. Of three
        // and more columns, one that keeps weekdays or months may find none of its days there, and takes another.
        let mut highest: Vec<Option<T>> = spans.iter().map(|span| span.map(|(_, high)| high)).collect();
        for (place, below) in self.below.iter().enumerate() {
            let Some((_, high)) = spans[place] else { continue };
            for &earlier in below {
                highest[earlier] = highest[earlier].map(|other| if high < other { high } else { other });
            }
        }
        for place in 0..spans.len() {
            let (Some((mut low, _)), Some(high)) = (spans[place], highest[place]) else { continue };
            for &earlier in &self.below[place] {
                if let Some(value) = values[earlier].filter(|&value| low < value) {
                    low = value;
                }
            }
            values[place] = Some(lines[place].draw.draw_within(codes[place], low, high, rng));
        }
    }
}

pub(super) fn wholes(array: &ArrayRef) -> Vec<Option<i64>> {
    match array.data_type() {
        DataType::Date32 => array.as_primitive::<Date32Type>().iter().map(|day| day.map(i64::from)).collect(),
        DataType::Int32 => array.as_primitive::<Int32Type>().iter().map(|year| year.map(i64::from)).collect(),
        DataType::Timestamp(..) => array.as_primitive::<TimestampMicrosecondType>().iter().collect(),
        _ => array.as_primitive::<Int64Type>().iter().collect(),
    }
}

/// An array of the same type with other values.
pub(super) fn with_wholes(array: &ArrayRef, values: Vec<Option<i64>>) -> ArrayRef {
    let narrow = |value: Option<i64>| value.map(|value| i32::try_from(value).expect("checked bounds fit 32 bits"));
    match array.data_type() {
        DataType::Date32 => Arc::new(values.into_iter().map(narrow).collect::<PrimitiveArray<Date32Type>>()),
        DataType::Int32 => Arc::new(values.into_iter().map(narrow).collect::<PrimitiveArray<Int32Type>>()),
        DataType::Timestamp(_, zone) => {
            Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(values).with_timezone_opt(zone.clone()))
        }
        _ => Arc::new(PrimitiveArray::<Int64Type>::from(values)),
    }
}
