//! Kinds of columns: categorical or ordered.

use scumble_schema::{Attribute, FieldType};

/// Whether the codes of a column have an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Codes have no order.
    Categorical,
    /// Codes have an order, such as those of numbers, dates and bins.
    Ordered {
        /// Code of missing values, which has no place in the order. Unless it is the first code,
        /// the codes after it have none either: in schemas, the code of unknown values follows.
        missing: Option<u32>,
    },
}

impl ColumnKind {
    /// Returns the kind of a column of a schema. Listed categories have no order, even if they are
    /// numbers.
    pub fn of(attribute: &Attribute) -> Self {
        let has_order = !matches!(attribute.field_type(), FieldType::String | FieldType::Boolean);
        if has_order && attribute.spec().constraints.categories.is_none() {
            Self::Ordered { missing: attribute.missing_code().or(attribute.unknown_code()) }
        } else {
            Self::Categorical
        }
    }

    /// Whether a code has a place in an order.
    pub(crate) fn has_place(self, code: u32) -> bool {
        match self {
            Self::Categorical => false,
            Self::Ordered { missing: None } => true,
            Self::Ordered { missing: Some(0) } => code > 0,
            Self::Ordered { missing: Some(missing) } => code < missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(kind: ColumnKind) -> [bool; 4] {
        [0, 1, 2, 3].map(|code| kind.has_place(code))
    }

    #[test]
    fn missing_and_unknown_values_have_no_place_in_the_order() {
        assert_eq!(places(ColumnKind::Ordered { missing: Some(2) }), [true, true, false, false]);
        assert_eq!(places(ColumnKind::Ordered { missing: Some(0) }), [false, true, true, true]);
        assert_eq!(places(ColumnKind::Ordered { missing: None }), [true; 4]);
        assert_eq!(places(ColumnKind::Categorical), [false; 4]);
    }
}
