//! Names and types of the columns of an input, and whether the names may be a row.

use datafusion::arrow::datatypes::{Field, Schema};

use super::scan::short_name;
use crate::codes::encode::supports;
use crate::error::EngineError;

/// What the names of columns were taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The first line of a text file or row of a sheet, which is a row of the table if there is no
    /// header.
    FirstLine,
    /// The dialect, for a file without a header.
    Dialect,
    /// Metadata of the file, or the catalog of the database.
    Table,
    /// A table in memory, whose library may have taken them from the first line of a file.
    Frame,
}

/// Why a column cannot be learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// It has no name: it holds row numbers that a library wrote, or what follows a delimiter at
    /// the end of the header.
    Nameless,
    /// Its values are of this type, which has no codes.
    Type(String),
}

/// The names and Arrow types of the columns of an input.
#[derive(Debug, Clone)]
pub struct ColumnTypes {
    /// The columns, in the order of the input.
    pub types: Schema,
    /// What their names were taken from.
    pub named_by: NamedBy,
}

impl ColumnTypes {
    pub(crate) fn new(types: Schema, named_by: NamedBy) -> Self {
        Self { types, named_by }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.types.fields().iter().map(|column| column.name().as_str())
    }

    /// Returns the columns that cannot be learned, with their positions, from 1 on. Names and types
    /// are public.
    pub fn left_out(&self) -> impl Iterator<Item = (usize, LeftOut)> {
        (1..).zip(self.types.fields()).filter_map(|(position, column)| Some((position, self.why_left_out(column)?)))
    }

    /// Returns the columns that can be learned.
    pub fn learnable(&self) -> impl Iterator<Item = &Field> {
        self.types.fields().iter().map(AsRef::as_ref).filter(|column| self.why_left_out(column).is_none())
    }

    fn why_left_out(&self, column: &Field) -> Option<LeftOut> {
        if column.name().trim().is_empty() {
            return Some(LeftOut::Nameless);
        }
        // Values of a table in memory that have no codes are unknown, whatever their type.
        let has_codes = self.named_by == NamedBy::Frame || supports(column.data_type());
        (!has_codes).then(|| LeftOut::Type(short_name(column.data_type())))
    }

    /// Returns the position, from 1 on, of the first column whose name is a number, and so may be a
    /// value of a row. Years are names, and so are the positions that a library gives to columns
    /// without a name.
    pub fn numeric_name(&self) -> Option<usize> {
        let is_numbered = || self.names().zip(0_u32..).all(|(name, position)| name.parse() == Ok(position));
        match self.named_by {
            NamedBy::Dialect | NamedBy::Table => None,
            NamedBy::Frame if is_numbered() => None,
            NamedBy::FirstLine | NamedBy::Frame => self.names().position(is_number).map(|index| index + 1),
        }
    }

    /// Refuses names that may be a row of the input `shown`, because names of columns are public:
    /// [a name is a number](Self::numeric_name).
    ///
    /// # Errors
    /// States the position of the name, and not the name, which may be a value.
    pub fn check_header(&self, shown: &str) -> Result<(), EngineError> {
        let Some(position) = self.numeric_name() else {
            return Ok(());
        };
        let hint = if self.named_by == NamedBy::Frame {
            "if the file that it was read from has no header, read it again with names, as in `pandas.read_csv(path, \
             names=[\"age\", \"sex\"])`; if the names are right, rename the column or declare the columns in a schema"
        } else {
            "if the file has no header, name its columns: `--delimiter , --column-names age,sex,region`, or `dialect: \
             {delimiter: \",\", columnNames: [age, sex, region]}` in a schema; if it has, declare them in a schema"
        };
        Err(EngineError::config(
            format!("the header of `{shown}` may be a row: the name of column {position} is a number"),
            hint,
        ))
    }
}

/// Returns whether a name is a number and not a year.
fn is_number(name: &str) -> bool {
    let name = name.trim();
    let is_year = name.parse().is_ok_and(|year: u16| (1000..3000).contains(&year));
    name.ends_with(|last: char| last.is_ascii_digit()) && name.parse::<f64>().is_ok() && !is_year
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::DataType;

    use super::*;

    fn columns(names: &[&str], named_by: NamedBy) -> ColumnTypes {
        let fields: Vec<_> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
        ColumnTypes::new(Schema::new(fields), named_by)
    }

    #[test]
    fn a_number_for_a_name_may_be_a_value() {
        for (names, position) in [
            (["age", "sex", "region"], None),
            (["region", "2019", "2020"], None),
            (["male", " 39", "Capital"], Some(2)),
            (["-1.5", "x", "y"], Some(1)),
            // Words that a parser of numbers knows.
            (["inf", "nan", "infinity"], None),
        ] {
            for named_by in [NamedBy::FirstLine, NamedBy::Frame] {
                let columns = columns(&names, named_by);
                assert_eq!(columns.numeric_name(), position, "{names:?} {named_by:?}");
                assert_eq!(columns.check_header("people").is_err(), position.is_some());
            }
            for named_by in [NamedBy::Dialect, NamedBy::Table] {
                assert_eq!(columns(&names, named_by).numeric_name(), None);
            }
        }
    }

    #[test]
    fn a_column_may_have_no_name() {
        let left_out = |names: &[&str]| columns(names, NamedBy::FirstLine).left_out().collect::<Vec<_>>();
        assert_eq!(left_out(&["", "sex"]), [(1, LeftOut::Nameless)]);
        assert_eq!(left_out(&["age", " "]), [(2, LeftOut::Nameless)]);
        assert_eq!(left_out(&["age", "sex"]), []);
    }

    #[test]
    fn a_column_of_lists_cannot_be_learned() {
        let tags = DataType::List(Field::new("item", DataType::Utf8, true).into());
        let types = Schema::new(vec![Field::new("age", DataType::Int8, true), Field::new("tags", tags, true)]);
        let left_out = |named_by| ColumnTypes::new(types.clone(), named_by).left_out().collect::<Vec<_>>();
        assert_eq!(left_out(NamedBy::Table), [(2, LeftOut::Type("List".into()))]);
        assert_eq!(left_out(NamedBy::Frame), []);
    }

    #[test]
    fn a_library_may_number_columns_that_have_no_name() {
        let names = ["0", "1", "2"];
        assert_eq!(columns(&names, NamedBy::Frame).numeric_name(), None);
        assert_eq!(columns(&names, NamedBy::FirstLine).numeric_name(), Some(1));
        assert_eq!(columns(&["0", "2", "1"], NamedBy::Frame).numeric_name(), Some(1));
    }

    #[test]
    fn a_refused_header_is_not_shown() {
        let error = columns(&["secret", "39"], NamedBy::Frame).check_header("table").unwrap_err();
        let shown = format!("{error:?} {error}");
        assert!(!shown.contains("secret") && !shown.contains("39"), "{shown}");
    }
}
