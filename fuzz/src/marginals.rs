//! The file of external tables.

use std::sync::LazyLock;

use scumble_mechanisms::Model;
use scumble_mechanisms::marginals::{Marginals, MarginalsError, fit};
use scumble_schema::Schema;

use crate::message;

/// The schema of the tables.
pub(crate) const SCHEMA: &str = "
fields:
  - {name: sex, type: string, constraints: {enum: [female, male], required: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {bins: {width: 25}}}
  - {name: smokes, type: boolean}
";

static DECLARED: LazyLock<Schema> = LazyLock::new(|| Schema::parse(SCHEMA).expect("the schema is sound"));

/// Tables that are accepted are written and read back without a change, and a model of them is one
/// that a reader accepts.
pub fn marginals(bytes: &[u8]) {
    let schema = &*DECLARED;
    let tables = match Marginals::parse(bytes, schema) {
        Ok(tables) => tables,
        Err(error) => {
            if let MarginalsError::Syntax { problem } = &error {
                // The file may hold rows, and everything in our own words is plain.
                assert!(problem.is_ascii() && problem.len() < 300, "the file is quoted: {problem}");
            }
            message::check_error(error);
            return;
        }
    };
    let written = tables.to_json(schema);
    let again = Marginals::parse(written.as_bytes(), schema).expect("what was written is read");
    assert_eq!(again, tables, "they are other tables when written as {written}");
    match fit(schema, tables) {
        Ok(model) => drop(Model::from_bytes(&model.to_bytes()).expect("a model that was fitted is accepted")),
        Err(error) => message::check_error(error),
    }
}
