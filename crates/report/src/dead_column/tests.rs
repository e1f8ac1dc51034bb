//! Columns that were read wrongly, and columns that only look like it.

use scumble_mechanisms::{Method, Model, fit};
use scumble_schema::{Clique, Domain, Schema};
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

use super::*;

/// A table of one column: the number of rows of each code.
struct Counts(Domain, Vec<u64>);

impl MarginalSource for Counts {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| {
            let counts = if clique.is_empty() { vec![self.1.iter().sum()] } else { self.1.clone() };
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

/// Fits a model of one column. All rows but `others` have one code; the others have the second
/// code.
fn model(field: &str, code: impl Fn(&Attribute) -> u32, rows: u64, others: u64) -> Model {
    let schema = Schema::parse(&format!("fields: [{{name: income, {field}}}]")).unwrap();
    let attribute = &schema.attributes()[0];
    let mut counts = vec![0; attribute.size() as usize];
    counts[code(attribute) as usize] += rows - others;
    counts[1] += others;
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    let source = Counts(schema.domain().clone(), counts);
    fit(&schema, Box::new(source), &Method::INDEPENDENT, goal, None).unwrap()
}

const NUMBER: &str = "type: number, constraints: {minimum: 0, maximum: 100}, dp: {bins: {count: 5}}";
const CLOSED: &str = "type: string, constraints: {enum: [low, middle, high], required: true}";
const OPEN: &str = "type: string, constraints: {enum: [low, middle, high], required: true}, dp: {open: true}";
const DAYS: &str = "type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {by: month}}";

fn missing(attribute: &Attribute) -> u32 {
    attribute.missing_code().unwrap()
}

fn unknown(attribute: &Attribute) -> u32 {
    attribute.encoder().unknown()
}

/// A code of a column.
type CodeOf = fn(&Attribute) -> u32;

#[test]
fn a_column_that_could_not_be_read_is_named_with_what_to_look_at() {
    let cases: [(&str, CodeOf, Holds, &str); 6] = [
        (NUMBER, missing, Holds::Missing, "`missingValues` and the decimal and group characters"),
        (DAYS, missing, Holds::Missing, "the date `format`"),
        (OPEN, unknown, Holds::Unknown, "the categories under `enum`"),
        (CLOSED, unknown, Holds::Folded, "the categories under `enum`"),
        (NUMBER, |_| 0, Holds::FirstBin, "`minimum`, `maximum`, the unit"),
        (NUMBER, |_| 4, Holds::LastBin, "`minimum`, `maximum`, the unit"),
    ];
    for (field, code, holds, look_at) in cases {
        let found = dead_columns(&model(field, code, 10_000, 0));
        let [dead] = &found[..] else { panic!("{field}: {found:?}") };
        assert_eq!(dead.holds, holds, "{field}");
        let sentence = dead.to_string();
        assert!(
            sentence.starts_with("`income`: about 100 % of rows ") || sentence.contains("about 99 %"),
            "{sentence}"
        );
        assert!(sentence.contains(look_at) && sentence.contains("scumble schema check SCHEMA DATA"), "{sentence}");
    }
}

#[test]
fn a_column_with_some_values_is_not_reported() {
    // One row in ten has a value; noise is below a hundredth.
    assert_eq!(dead_columns(&model(NUMBER, missing, 10_000, 1_000)), []);
    // The usual value of a column may be the one that others are folded into.
    assert_eq!(dead_columns(&model(CLOSED, |_| 0, 10_000, 300)), []);
    // Two bins have no middle.
    let two = "type: number, constraints: {minimum: 0, maximum: 100}, dp: {bins: {count: 2}}";
    assert_eq!(dead_columns(&model(two, |_| 0, 10_000, 0)), []);
}

#[test]
fn nothing_is_reported_where_noise_explains_the_counts() {
    // Noise of several rows on a table of ten.
    for _ in 0..20 {
        assert_eq!(dead_columns(&model(NUMBER, missing, 10, 0)), []);
    }
}
