//! Reading tables through the engine, as methods read them.

use scumble_engine::exact::code_columns;
use scumble_engine::{Input, ReadOptions, TableScan};
use scumble_schema::Schema;

use crate::error::EvaluateError;
use crate::table::Columns;

impl Columns {
    /// Reads all rows of `inputs`, each value as its code in `schema`. A synthetic table has no
    /// column of the privacy unit, so read it with [`Schema::without_unit`].
    ///
    /// One thread reads, so that rows keep the order of the inputs and seeded draws repeat.
    ///
    /// # Errors
    /// If an input cannot be read, or lacks a column of the schema.
    pub fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EvaluateError> {
        let options = ReadOptions { threads: Some(1), ..options.clone() };
        let codes = code_columns(&TableScan::open(inputs, schema, &options)?)?;
        Self::of_codes(schema.domain().clone(), codes)
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::{AttributeId, CodeColumn};

    use super::*;

    #[test]
    fn values_become_the_codes_of_the_schema() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("people.csv");
        std::fs::write(&path, "sex,age\nf,36\nm,41\n,beyond counting\n").unwrap();
        let schema = Schema::parse(
            "fields:\n  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 40}}}\n  \
             - {name: sex, type: string, constraints: {enum: [f, m]}}\n",
        )
        .unwrap();
        let table = Columns::read(&[path.into()], &schema, &ReadOptions::default()).unwrap();
        assert_eq!((table.rows(), table.domain()), (3, schema.domain()));
        assert_eq!(table.codes(AttributeId::new(0)), &CodeColumn::U8(vec![0, 1, 3]));
        assert_eq!(table.codes(AttributeId::new(1)), &CodeColumn::U8(vec![0, 1, 2]));
        let nothing = Columns::read(&[Input::new("nowhere.csv")], &schema, &ReadOptions::default());
        assert!(matches!(nothing, Err(EvaluateError::Engine(_))));
    }
}
