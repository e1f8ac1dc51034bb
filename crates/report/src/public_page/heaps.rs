//! Heaps: bins with far more rows than their neighbours, because people round.
//!
//! A frequent value such as 0 or 500 is spread over its bin when rows are drawn. With a code of its
//! own, by `points`, it is kept. Heaps are found in released counts.

use std::fmt;

use scumble_mechanisms::Model;
use scumble_schema::{Attribute, Scalar, Source};

use crate::counts_of::CountsOf;
use crate::noisy_table::noisy_tables;

/// Minimum ratio of the density of a heap to that of both neighbours, within the noise of all
/// three.
const TIMES_DENSER: f64 = 3.0;

/// A bin that is a heap, and its most likely value.
#[derive(Debug, Clone, PartialEq)]
pub struct Heap {
    /// The column.
    pub column: String,
    /// Label of the bin.
    pub bin: String,
    /// Roundest number of the bin.
    pub point: f64,
}

impl fmt::Display for Heap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, bin, point } = self;
        write!(
            formatter,
            "column `{column}` has a heap in {bin}, by its released counts: if many values are exactly {point}, \
             `points: [{point}]` among its bins lets them come back so"
        )
    }
}

/// Finds the heaps in the released counts of a model.
///
/// # Privacy
/// Post-processing of released tables and the schema.
pub fn heaps(model: &Model) -> Vec<Heap> {
    let tables = noisy_tables(model);
    let mut heaps = Vec::new();
    for (column, attribute) in model.schema().domain().attributes().zip(model.schema().attributes()) {
        // Learned bins follow the rows, and nobody is there to declare better ones.
        if attribute.spec().dp.source == Source::Dp {
            continue;
        }
        let widths: Vec<Option<(f64, f64, f64)>> = (0..attribute.size()).map(|code| bin(attribute, code)).collect();
        // A column without a wide bin between two others has no heap, so its counts are not summed.
        if !widths.windows(3).any(|three| three.iter().all(Option::is_some) && is_wide(three[1])) {
            continue;
        }
        let Some(counts) = CountsOf::column(model, &tables, column) else { continue };
        for (code, three) in (1..).zip(widths.windows(3)) {
            let [Some(before), Some(here), Some(after)] = *three else { continue };
            let density = |code: u32, (_, _, width): (f64, f64, f64)| {
                let (least, most) = counts.range(&[code]);
                (least / width, most / width)
            };
            let beside = density(code - 1, before).1.max(density(code + 1, after).1);
            if is_wide(Some(here)) && density(code, here).0 > TIMES_DENSER * beside.max(0.0) && beside > 0.0 {
                let (column, bin) = (attribute.name().to_owned(), attribute.label(code));
                heaps.push(Heap { column, bin, point: roundest(here.0, here.1) });
            }
        }
    }
    heaps
}

/// Returns the least and the greatest number of a bin, and its width; `None` if the code is not a
/// bin of numbers.
fn bin(attribute: &Attribute, code: u32) -> Option<(f64, f64, f64)> {
    match attribute.bin(code)? {
        (Scalar::Integer(first), Scalar::Integer(last)) => {
            Some((first as f64, last as f64, (last - first) as f64 + 1.0))
        }
        (Scalar::Number(from), Scalar::Number(to)) => Some((from, to.next_down(), to - from)),
        _ => None,
    }
}

/// Whether a bin holds more than one number, so that a point within it can have a code of its own.
fn is_wide(bin: Option<(f64, f64, f64)>) -> bool {
    bin.is_some_and(|(first, last, _)| first < last)
}

/// Returns the roundest number of a bin: zero, or the multiple of the greatest power of ten.
fn roundest(low: f64, high: f64) -> f64 {
    if low <= 0.0 && high >= 0.0 {
        return 0.0;
    }
    for exponent in (-9..=15).rev() {
        let power = 10_f64.powi(exponent);
        // A multiple of five is rounder than one of the next smaller power.
        for step in [power, power / 2.0] {
            let multiple = (low / step).ceil() * step;
            if multiple <= high {
                return multiple;
            }
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roundest_number_of_a_bin_is_found() {
        for (low, high, round) in [(-3.0, 4.0, 0.0), (480.0, 519.0, 500.0), (930.0, 1080.0, 1000.0), (41.0, 47.0, 45.0)]
        {
            assert!((roundest(low, high) - round).abs() < 1e-9, "{}", roundest(low, high));
        }
    }
}
