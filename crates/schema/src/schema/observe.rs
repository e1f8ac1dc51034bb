//! Counts declared, missing, unknown and out-of-range values separately.
//!
//! For a model, a closed column merges missing and unknown values, and puts values out of range
//! into its outermost bins. That would hide from a steward that a bound is too narrow, so here
//! every column has four more codes.

use crate::domain::Domain;
use crate::error::SchemaError;
use crate::schema::Schema;

/// Number of values of a column by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Observed {
    /// Declared values, or values within a bin.
    pub declared: u64,
    /// Nulls and texts that mean a missing value.
    pub missing: u64,
    /// Undeclared or unreadable values.
    pub unknown: u64,
    /// Values below the lower bound of a column with bins.
    pub below: u64,
    /// Values above the upper bound of a column with bins.
    pub above: u64,
}

/// A schema with separate codes for missing, unknown and out-of-range values.
///
/// ```
/// # use scumble_schema::{Observer, Schema};
/// let schema = Schema::parse("fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 9, required: true}}]")?;
/// let observer = Observer::new(&schema)?;
/// let encoder = observer.schema().attributes()[0].encoder();
/// let mut counts = vec![0; encoder.size() as usize];
/// for text in ["3", "", "x", "-1", "10", "11"] {
///     counts[encoder.text(text.as_bytes()) as usize] += 1;
/// }
/// let observed = observer.observed(&counts);
/// assert_eq!((observed.declared, observed.missing, observed.unknown), (1, 1, 1));
/// assert_eq!((observed.below, observed.above), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Observer(Schema);

impl Observer {
    /// Creates an observer for `schema`. It counts every row, without a limit per privacy unit.
    ///
    /// # Errors
    /// If a column with four more codes is too large.
    pub fn new(schema: &Schema) -> Result<Self, SchemaError> {
        let mut observed = schema.clone().without_unit();
        for attribute in observed.attributes_mut() {
            let declared = attribute.declared_codes();
            let encoder = &mut attribute.encoder;
            (encoder.missing, encoder.unknown) = (declared, declared + 1);
            encoder.below = declared + 2;
            // A top code covers everything above it.
            if encoder.values.top_code().is_none() {
                encoder.above = declared + 3;
            }
            encoder.size = declared + 4;
            // All kinds of missing values are counted together.
            encoder.missing_texts.merge_into(declared);
            attribute.unknown_code = Some(declared + 1);
        }
        let sizes = observed.attributes().iter().map(crate::Attribute::size).collect();
        observed.set_domain(Domain::new(sizes)?);
        Ok(Self(observed))
    }

    /// The schema for counting each column. It must not be used to decode, because the four extra
    /// codes have no value.
    pub fn schema(&self) -> &Schema {
        &self.0
    }

    /// Summarises the counts of one column's codes.
    pub fn observed(&self, counts: &[u64]) -> Observed {
        let [declared @ .., missing, unknown, below, above] = counts else { return Observed::default() };
        let (missing, unknown, below, above) = (*missing, *unknown, *below, *above);
        Observed { declared: declared.iter().sum(), missing, unknown, below, above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_values_keep_their_codes_and_others_have_separate_codes() {
        let schema = Schema::parse(
            "dp: {privacyUnit: person}
missingValues: ['', '-9']
fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {bins: {width: 10}}}
  - {name: b, type: number, constraints: {minimum: 0, maximum: 1}, dp: {bins: {count: 4}, open: true}}
  - {name: c, type: string, constraints: {enum: [x, y], required: true}, dp: {open: true}}
  - {name: d, type: integer, constraints: {enum: [1, 2]}}
  - {name: e, type: boolean, constraints: {required: true}}
  - {name: f, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}}
  - {name: g, type: integer, constraints: {minimum: 0}, dp: {bins: {width: 10, topCode: 50}}}
",
        )
        .unwrap();
        let observer = Observer::new(&schema).unwrap();
        assert_eq!(observer.schema().privacy().unit.column(), None, "every row counts");
        // For each column: a declared, a missing and an unknown value, then one below and one above
        // the bounds, if any.
        let values = [
            ["42", "-9", "4.5", "-1", "100"],
            ["0.5", "nan", "much", "-inf", "1.01"],
            ["y", "", "z", "", ""],
            ["2", "", "3", "", ""],
            ["true", " ", "perhaps", "", ""],
            ["2020-06-01", "", "soon", "2019-12-31", "2021-01-01"],
        ];
        for ((observed, attribute), values) in
            observer.schema().attributes().iter().zip(schema.attributes()).zip(values)
        {
            let code = |text: &str| observed.encoder().text(text.as_bytes());
            assert_eq!(code(values[0]), attribute.encoder().text(values[0].as_bytes()), "{}", observed.name());
            let last = observed.size();
            assert_eq!([code(values[1]), code(values[2])], [last - 4, last - 3], "{}", observed.name());
            if !values[3].is_empty() {
                assert_eq!([code(values[3]), code(values[4])], [last - 2, last - 1], "{}", observed.name());
            }
        }
        // Everything that a top code covers is declared.
        let top = observer.schema().attributes()[6].encoder();
        assert_eq!(["50", "999", "-1"].map(|text| top.text(text.as_bytes())), [5, 5, 8]);
    }
}
