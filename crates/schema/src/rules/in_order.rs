//! Draws the values of ordered columns in order.
//!
//! Codes already keep an order as far as bins can: the bins of any two columns have values that
//! ascend. Here the drawn values are made to ascend.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use rand::Rng;

use super::line::{Codes, Line};
use crate::bins::cut::Draw;
use crate::domain::clique::AttributeId;
use crate::domain::codes::CodeColumn;
use crate::schema::Schema;

/// Number of rejection draws per row, which keep values uniform. Two values of one bin are in order
/// in half of all draws, so hardly any row needs more.
const DRAWS: usize = 32;

/// A connected component of ordered columns.
#[derive(Debug)]
pub(crate) struct InOrder {
    /// Indices of the columns in the schema, in topological order: the smallest values first.
    columns: Vec<usize>,
    lines: Vec<Line>,
    /// For every column, the columns before it in `columns` whose values it may not be below.
    below: Vec<Vec<usize>>,
}

impl InOrder {
    /// All components of ordered columns of a schema.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        let ascending = &schema.rule_set().ascending;
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
            // Orders are checked to be transitively closed, so a later column has more before it.
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

    /// Redraws the values of rows that are out of order. Codes do not change.
    pub(crate) fn enforce(&self, codes: &[CodeColumn], arrays: &mut [ArrayRef], rng: &mut impl Rng) {
        let codes: Vec<&CodeColumn> = self.columns.iter().map(|&column| &codes[column]).collect();
        let own: Vec<&ArrayRef> = self.columns.iter().map(|&column| &arrays[column]).collect();
        let ordered: Vec<ArrayRef> = match &self.lines[0] {
            Line::Whole(_) => {
                let lines =
                    self.lines.iter().filter_map(|line| if let Line::Whole(codes) = line { Some(codes) } else { None });
                let mut values: Vec<Vec<Option<i64>>> = own.iter().map(|array| wholes(array)).collect();
                self.enforce_values(&codes, &lines.collect::<Vec<_>>(), &mut values, rng);
                own.iter().zip(values).map(|(array, values)| with_wholes(array, values)).collect()
            }
            Line::Real(_) => {
                let lines =
                    self.lines.iter().filter_map(|line| if let Line::Real(codes) = line { Some(codes) } else { None });
                let mut values: Vec<Vec<Option<f64>>> =
                    own.iter().map(|array| array.as_primitive::<Float64Type>().iter().collect()).collect();
                self.enforce_values(&codes, &lines.collect::<Vec<_>>(), &mut values, rng);
                let array =
                    |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(PrimitiveArray::<Float64Type>::from(values)) };
                values.into_iter().map(array).collect()
            }
        };
        for (&column, array) in self.columns.iter().zip(ordered) {
            arrays[column] = array;
        }
    }

    fn enforce_values<T: Copy + PartialOrd, D: Draw<T>>(
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
        // One column after the other: at least the values before it, and at most what leaves room
        // for those after it. With three or more columns, one that keeps weekdays or months may
        // find none of its days there and takes another day.
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
        DataType::Time64(_) => array.as_primitive::<Time64MicrosecondType>().iter().collect(),
        _ => array.as_primitive::<Int64Type>().iter().collect(),
    }
}

/// Builds an array of the same type from other values.
pub(super) fn with_wholes(array: &ArrayRef, values: Vec<Option<i64>>) -> ArrayRef {
    let narrow = |value: Option<i64>| value.map(|value| i32::try_from(value).expect("checked bounds fit 32 bits"));
    match array.data_type() {
        DataType::Date32 => Arc::new(values.into_iter().map(narrow).collect::<PrimitiveArray<Date32Type>>()),
        DataType::Int32 => Arc::new(values.into_iter().map(narrow).collect::<PrimitiveArray<Int32Type>>()),
        DataType::Timestamp(_, zone) => {
            Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(values).with_timezone_opt(zone.clone()))
        }
        DataType::Time64(_) => Arc::new(PrimitiveArray::<Time64MicrosecondType>::from(values)),
        _ => Arc::new(PrimitiveArray::<Int64Type>::from(values)),
    }
}
