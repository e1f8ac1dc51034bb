//! Arguments that describe text files and workbooks.

use std::path::{Path, PathBuf};

use clap::Args;
use scumble::schema::{AsciiSymbol, ColumnNames, Dialect, Encoding, HeaderRow, Problems};
use scumble::{Input, Schema};

use crate::failure::Failure;

/// The dialect of text files. Options that are not given default to the schema's `dialect`.
#[derive(Debug, Args)]
pub(crate) struct TextFiles {
    /// Field separator of CSV and TSV files: `;`, `,`, `|` or `tab`, as with `dialect: {delimiter:
    /// ";"}` in the schema. By default, inferred from the header line of each CSV file
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<AsciiSymbol>,
    /// Quote character of CSV and TSV files; by default, a double quote
    #[arg(long, value_name = "CHARACTER")]
    quote_char: Option<AsciiSymbol>,
    /// Character that starts a comment line in CSV and TSV files
    #[arg(long, value_name = "CHARACTER")]
    comment_char: Option<AsciiSymbol>,
    /// Line of CSV and TSV files, or row of a sheet, with the names of the columns, if others
    /// precede it, such as a title; by default, the first
    #[arg(long, value_name = "NUMBER")]
    header_row: Option<HeaderRow>,
    /// Names of the columns of files without a header, in order, separated by commas: `age,sex`.
    /// The first line is then a row
    #[arg(long, value_name = "NAMES", conflicts_with = "header_row")]
    column_names: Option<ColumnNames>,
    /// Encoding of CSV and TSV files: `utf-8`, `latin-1`, `windows-1252` or `utf-16`; by default
    /// `utf-8`
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Allow quoted fields of CSV and TSV files to span lines, as with `dialect: {multiline: true}`
    /// in the schema: the guarantee then assumes that the program that wrote the files closed every
    /// quote
    #[arg(long)]
    multiline: bool,
    /// Sheet of an Excel workbook; by default, the first
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

/// DATA argument that means standard input.
const STANDARD_INPUT: &str = "-";

/// Returns whether `data` is standard input.
pub(crate) fn is_standard_input(data: &Path) -> bool {
    data.as_os_str() == STANDARD_INPUT
}

impl TextFiles {
    /// Returns the inputs that `data` names. Standard input is copied into a private file, in
    /// `spill_directory` if given.
    pub(crate) fn inputs(&self, data: &[PathBuf], spill_directory: Option<&Path>) -> Result<Vec<Input>, Failure> {
        data.iter().map(|path| self.input(path, spill_directory)).collect()
    }

    /// Returns the input that `path` names.
    pub(crate) fn input(&self, path: &Path, spill_directory: Option<&Path>) -> Result<Input, Failure> {
        let input = if is_standard_input(path) { Input::of_standard_input(spill_directory)? } else { Input::new(path) };
        Ok(input.with_sheet(self.sheet.clone()))
    }

    /// Reads the schema at `path`, with the dialect of the command line.
    pub(crate) fn schema(&self, path: &Path) -> Result<Schema, Failure> {
        let schema = Schema::read(path)?;
        let dialect = self.over(schema.dialect().clone())?;
        Ok(schema.with_dialect(dialect))
    }

    /// Returns the dialect where there is no schema yet.
    pub(crate) fn dialect(&self) -> Result<Dialect, Failure> {
        self.over(Dialect::default())
    }

    /// Returns the dialect of the command line, with `declared` for the options that are not given.
    pub(crate) fn over(&self, declared: Dialect) -> Result<Dialect, Failure> {
        // One of the two excludes the other.
        let (header_row, column_names) = match (self.header_row, &self.column_names) {
            (None, None) => (declared.header_row, declared.column_names),
            (row, names) => (row.unwrap_or_default(), names.clone()),
        };
        let dialect = Dialect {
            delimiter: self.delimiter.or(declared.delimiter),
            quote_char: self.quote_char.or(declared.quote_char),
            comment_char: self.comment_char.or(declared.comment_char),
            header_row,
            column_names,
            encoding: self.encoding.unwrap_or(declared.encoding),
            multiline: self.multiline || declared.multiline,
        };
        dialect.check().map_err(Problems::from)?;
        Ok(dialect)
    }
}
