//! A made-up table to try the program on: a household survey with its schema.
//!
//! Nobody in it exists: all people are drawn from made-up distributions, without any outside data.
//! It has the features of real surveys: columns of all seven types that depend on each other,
//! questions that are not asked of everybody, blanks, and answers that the questionnaire does not
//! list. It has no identifiers.
//!
//! ```
//! use scumble::demo;
//!
//! let schema = scumble::Schema::parse(demo::PEOPLE_SCHEMA)?;
//! let people: usize = demo::people(20_000, 0).map(|batch| batch.num_rows()).sum();
//! assert_eq!((people, schema.attributes().len()), (20_000, 14));
//! # Ok::<(), scumble::schema::Problems>(())
//! ```

mod dice;
mod form;
mod home;
mod person;
#[cfg(test)]
mod tests;
mod work;

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::SchemaRef;
use scumble_schema::{Decoder, Schema};

use self::dice::Dice;
use self::form::Form;

/// The schema file of [`people`], as YAML.
pub const PEOPLE_SCHEMA: &str = include_str!("demo/people.schema.yaml");

const BATCH_ROWS: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// Returns the first `rows` people of the survey with this seed.
///
/// Rows are generated on demand, so a table of any length needs the memory of one batch. A seed
/// gives the same people on every machine, and a longer table begins with the people of a shorter
/// one.
pub fn people(rows: u64, seed: u64) -> People {
    let schema = Schema::parse(PEOPLE_SCHEMA).expect("the schema of the demo is valid");
    People {
        dice: Dice::new(seed),
        rows_left: rows,
        batch_rows: BATCH_ROWS,
        arrow_schema: Arc::clone(Decoder::new(&schema).arrow_schema()),
    }
}

/// The made-up people, in batches; see [`people`].
#[derive(Debug)]
pub struct People {
    dice: Dice,
    rows_left: u64,
    batch_rows: NonZeroUsize,
    arrow_schema: SchemaRef,
}

impl People {
    /// Sets the number of rows of a batch, 8192 by default. The rows do not depend on it.
    #[must_use]
    pub fn in_batches_of(self, batch_rows: NonZeroUsize) -> Self {
        Self { batch_rows, ..self }
    }

    /// Returns names and types of the columns, which are those of a synthetic table made with
    /// [`PEOPLE_SCHEMA`].
    pub fn arrow_schema(&self) -> &SchemaRef {
        &self.arrow_schema
    }
}

impl Iterator for People {
    type Item = RecordBatch;

    fn next(&mut self) -> Option<RecordBatch> {
        let rows =
            usize::try_from(self.rows_left).map_or(self.batch_rows.get(), |left| left.min(self.batch_rows.get()));
        if rows == 0 {
            return None;
        }
        self.rows_left -= rows as u64;
        let forms: Vec<Form> = (0..rows).map(|_| Form::draw(&mut self.dice)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.arrow_schema), columns(&forms));
        Some(batch.expect("the columns are those of the schema of the demo"))
    }
}

/// Returns the answers column by column, in the order of the schema.
fn columns(forms: &[Form]) -> Vec<ArrayRef> {
    fn texts<'a>(forms: &'a [Form], answer: impl Fn(&'a Form) -> Option<&'a str>) -> ArrayRef {
        Arc::new(forms.iter().map(answer).collect::<StringArray>())
    }
    vec![
        Arc::new(forms.iter().map(|form| form.interview).collect::<TimestampMicrosecondArray>()),
        texts(forms, |form| Some(form.region)),
        texts(forms, |form| form.sex),
        Arc::new(forms.iter().map(|form| Some(form.age)).collect::<Int64Array>()),
        Arc::new(forms.iter().map(|form| form.birth_date).collect::<Date32Array>()),
        texts(forms, |form| form.marital_status),
        Arc::new(forms.iter().map(|form| Some(form.household_size)).collect::<Int64Array>()),
        texts(forms, |form| form.education),
        texts(forms, |form| form.occupation),
        Arc::new(forms.iter().map(|form| form.income).collect::<Int64Array>()),
        texts(forms, |form| form.housing),
        Arc::new(forms.iter().map(|form| form.moved_in).collect::<Int32Array>()),
        Arc::new(forms.iter().map(|form| form.smoker).collect::<BooleanArray>()),
        Arc::new(forms.iter().map(|form| form.height_cm).collect::<Float64Array>()),
    ]
}
