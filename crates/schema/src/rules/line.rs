//! The ranges of values of codes.

use crate::bins::cut::{Draw, RealDraw, WholeDraw};
use crate::schema::attribute::Attribute;
use crate::values::encode::Values;

/// The codes of an ordered column.
#[derive(Debug)]
pub(crate) enum Line {
    /// Whole numbers, years, days, or microseconds.
    Whole(Codes<i64, WholeDraw>),
    /// Real numbers.
    Real(Codes<f64, RealDraw>),
}

/// The value ranges of codes, and how values are drawn.
#[derive(Debug)]
pub(crate) struct Codes<T, D> {
    /// The least and the greatest value drawn for each code; `None` for missing and unknown codes.
    pub(super) spans: Vec<Option<(T, T)>>,
    pub(super) draw: D,
}

impl<T, D: Draw<T>> Codes<T, D> {
    fn new(attribute: &Attribute, draw: D) -> Self {
        let mut spans: Vec<Option<(T, T)>> =
            (0..attribute.declared_codes()).map(|code| Some(draw.ends(code))).collect();
        spans.resize_with(attribute.size() as usize, || None);
        Self { spans, draw }
    }
}

impl Line {
    /// The codes of a column; `None` for text and booleans.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let encoder = attribute.encoder();
        match &encoder.values {
            Values::Text(_) | Values::Boolean { .. } => None,
            Values::Whole { line, cut } => Some(Self::Whole(Codes::new(
                attribute,
                WholeDraw::new(line, cut, &encoder.missing_texts, attribute.step()),
            ))),
            Values::Real(cut) => {
                let draw = RealDraw::new(cut, attribute.declared_codes(), &encoder.missing_texts, attribute.step());
                Some(Self::Real(Codes::new(attribute, draw)))
            }
        }
    }

    /// Whether some value of a code is at most some value of another column's code. Missing and
    /// unknown codes are compatible with all.
    pub(super) fn may_be_in_order(&self, code: u32, other: &Self, other_code: u32) -> bool {
        match (self, other) {
            (Self::Whole(first), Self::Whole(second)) => {
                may_ascend(first.spans[code as usize], second.spans[other_code as usize])
            }
            (Self::Real(first), Self::Real(second)) => {
                may_ascend(first.spans[code as usize], second.spans[other_code as usize])
            }
            _ => unreachable!("columns of an order are of one type"),
        }
    }
}

fn may_ascend<T: PartialOrd>(first: Option<(T, T)>, second: Option<(T, T)>) -> bool {
    match (first, second) {
        (Some((low, _)), Some((_, high))) => low <= high,
        _ => true,
    }
}
