//! How files with rows are read, as far as the command line says.

use std::path::{Path, PathBuf};

use clap::Args;
use scumble::schema::{AsciiSymbol, Dialect, Encoding, Problems};
use scumble::{Input, Schema};

use crate::failure::Failure;

/// How text files are written. What is not said is as the schema's `dialect` has it.
#[derive(Debug, Args)]
pub(crate) struct TextFiles {
    /// What stands between two fields of CSV and TSV files: `;`, `,`, `|` or `tab`, as with `dialect: {delimiter: ";"}` in the
    /// schema. Without either, the header line of each CSV file decides
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<AsciiSymbol>,
    /// What opens and closes a quoted field of CSV and TSV files; a double quote without it
    #[arg(long, value_name = "CHARACTER")]
    quote_char: Option<AsciiSymbol>,
    /// Lines of CSV and TSV files that begin with this character are no rows
    #[arg(long, value_name = "CHARACTER")]
    comment_char: Option<AsciiSymbol>,
    /// The encoding of CSV and TSV files: `utf-8`, `latin-1` or `windows-1252`; `utf-8` without it
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Quoted fields of CSV and TSV files may span lines, as with `dialect: {multiline: true}` in the schema: the guarantee
    /// then assumes that the program that wrote the files closed every quote
    #[arg(long)]
    multiline: bool,
    /// The sheet to read of an Excel workbook; the first without it
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

/// What stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Whether DATA is standard input.
pub(crate) fn is_standard_input(data: &Path) -> bool {
    data.as_os_str() == STANDARD_INPUT
}

impl TextFiles {
    /// The inputs that `data` names. Standard input is copied into a private file, in `spill_directory` if there is one.
    pub(crate) fn inputs(&self, data: &[PathBuf], spill_directory: Option<&Path>) -> Result<Vec<Input>, Failure> {
        data.iter().map(|path| self.input(path, spill_directory)).collect()
    }

    /// The input that `path` names.
    pub(crate) fn input(&self, path: &Path, spill_directory: Option<&Path>) -> Result<Input, Failure> {
        let input = if is_standard_input(path) { Input::of_standard_input(spill_directory)? } else { Input::new(path) };
        Ok(input.with_sheet(self.sheet.clone()))
    }

    /// The schema at `path`, for text files that are written so.
    pub(crate) fn schema(&self, path: &Path) -> Result<Schema, Failure> {
        let schema = Schema::read(path)?;
        let dialect = self.over(schema.dialect())?;
        Ok(schema.with_dialect(dialect))
    }

    /// How text files are written, where there is no schema yet.
    pub(crate) fn dialect(&self) -> Result<Dialect, Failure> {
        self.over(Dialect::default())
    }

    /// What the command line says, and what was declared where it is silent.
    fn over(&self, declared: Dialect) -> Result<Dialect, Failure> {
        let dialect = Dialect {
            delimiter: self.delimiter.or(declared.delimiter),
            quote_char: self.quote_char.or(declared.quote_char),
            comment_char: self.comment_char.or(declared.comment_char),
            encoding: self.encoding.unwrap_or(declared.encoding),
            multiline: self.multiline || declared.multiline,
        };
        dialect.check().map_err(Problems::from)?;
        Ok(dialect)
    }
}
