//! A schema for watching what a table holds, as against encoding it: what the encoder folds together has codes of its own.
//!
//! A closed column folds missing and unknown values together, and values out of range into its outermost bins. That is
//! right for a model, and hides from a steward that a bound is too narrow. Here every column has four more codes.

use crate::domain::Domain;
use crate::error::SchemaError;
use crate::schema::Schema;

/// How many values of a column there were of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Observed {
    /// One of the declared values, or within a bin.
    pub declared: u64,
    /// Absent, or a text that stands for a missing value.
    pub missing: u64,
    /// Not declared, or not readable.
    pub unknown: u64,
    /// Below the least value of a number line that is cut into bins.
    pub below: u64,
    /// Above its greatest value.
    pub above: u64,
}

/// A schema for watching.
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
    /// Watches every row of tables that `schema` describes, whosever they are.
    ///
    /// # Errors
    /// If a column with four more codes is too large.
    pub fn new(schema: &Schema) -> Result<Self, SchemaError> {
        let mut watching = schema.clone().without_unit();
        for attribute in watching.attributes_mut() {
            let declared = attribute.declared_codes();
            let encoder = &mut attribute.encoder;
            (encoder.missing, encoder.unknown) = (declared, declared + 1);
            encoder.below = declared + 2;
            // A top code holds everything above it, however far.
            if encoder.values.top_code().is_none() {
                encoder.above = declared + 3;
            }
            encoder.size = declared + 4;
            // All kinds of missing values are one here.
            encoder.missing_texts.become_one(declared);
            attribute.unknown_code = Some(declared + 1);
        }
        let sizes = watching.attributes().iter().map(crate::Attribute::size).collect();
        watching.set_domain(Domain::new(sizes)?);
        Ok(Self(watching))
    }

    /// What to count a table with, column by column, and for nothing else: the codes behind the declared ones have no value
    /// to come back as.
    pub fn schema(&self) -> &Schema {
        &self.0
    }

    /// What the counts of one column's codes say.
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
    fn declared_values_keep_their_codes_and_all_others_are_told_apart() {
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
        // For each column: a declared value, a missing, an unknown, one below and one above, where there is such.
        let values = [
            ["42", "-9", "4.5", "-1", "100"],
            ["0.5", "nan", "much", "-inf", "1.01"],
            ["y", "", "z", "", ""],
            ["2", "", "3", "", ""],
            ["true", " ", "perhaps", "", ""],
            ["2020-06-01", "", "soon", "2019-12-31", "2021-01-01"],
        ];
        for ((watched, attribute), values) in observer.schema().attributes().iter().zip(schema.attributes()).zip(values)
        {
            let code = |text: &str| watched.encoder().text(text.as_bytes());
            assert_eq!(code(values[0]), attribute.encoder().text(values[0].as_bytes()), "{}", watched.name());
            let last = watched.size();
            assert_eq!([code(values[1]), code(values[2])], [last - 4, last - 3], "{}", watched.name());
            if !values[3].is_empty() {
                assert_eq!([code(values[3]), code(values[4])], [last - 2, last - 1], "{}", watched.name());
            }
        }
        // All that a top code stands for is declared.
        let top = observer.schema().attributes()[6].encoder();
        assert_eq!(["50", "999", "-1"].map(|text| top.text(text.as_bytes())), [5, 5, 8]);
    }
}
