//! The header line, and which of its fields are columns of the schema.

use std::collections::HashMap;
use std::io::{self, Read};

use super::TextLayout;
use super::cut::{Cutter, Event};
use crate::error::{ColumnProblem, EngineError};

/// Most bytes of a header that are held.
const HEADER_BYTES: usize = 16 << 20;
/// Most bytes in which a header must have come to its end: quotes and blank lines around it are not held.
const HEADER_END: usize = 4 * HEADER_BYTES;

/// Why a header cannot be used.
#[derive(Debug)]
pub(crate) enum HeaderProblem {
    /// The file is empty, or has only blank lines.
    NoHeader,
    /// The header is longer than any schema needs.
    TooLong,
    /// A name is not UTF-8.
    NotText,
    /// A column of the schema is not there, or more than once.
    Column { column: String, problem: ColumnProblem },
    /// The bytes could not be had.
    Io(io::Error),
}

impl HeaderProblem {
    /// As an error about the file at `path`.
    pub(crate) fn in_file(self, path: &str) -> EngineError {
        match self {
            Self::NoHeader => EngineError::config(
                format!("`{path}` has no header line"),
                "the first line must name the columns, as in `age,sex,region`",
            ),
            Self::TooLong => EngineError::config(
                format!("the header line of `{path}` is longer than {HEADER_BYTES} bytes"),
                "check that the file is CSV; name its format with `--format` if it is not",
            ),
            Self::NotText => EngineError::config(
                format!("the header line of `{path}` is not UTF-8"),
                "save the file as UTF-8, or check that it is CSV",
            ),
            Self::Column { column, problem } => EngineError::Schema { path: path.into(), column, problem },
            Self::Io(error) => EngineError::io(path, &error),
        }
    }
}

/// Names met so far.
#[derive(Debug, Default)]
pub(super) struct Header {
    names: Vec<Vec<u8>>,
    bytes: usize,
}

impl Header {
    /// Takes what the cutter met; `true` when the header is complete.
    pub(super) fn take(&mut self, event: &Event<'_>) -> Result<bool, HeaderProblem> {
        match event {
            Event::Field { value: Some(name), last } => {
                // An empty name takes room too.
                self.bytes += name.len() + size_of::<Vec<u8>>();
                if self.bytes > HEADER_BYTES {
                    return Err(HeaderProblem::TooLong);
                }
                self.names.push(name.to_vec());
                Ok(*last)
            }
            Event::Field { value: None, .. } => Err(HeaderProblem::TooLong),
            Event::BlankLine | Event::NeedInput => Ok(false),
        }
    }

    /// The names as text, in file order.
    fn into_names(self) -> Result<Vec<String>, HeaderProblem> {
        self.names.into_iter().map(|name| String::from_utf8(name).map_err(|_| HeaderProblem::NotText)).collect()
    }

    /// For every field of a line, the place of its column in `columns`, if it is one of them.
    pub(super) fn places(&self, columns: &[&str]) -> Result<Vec<Option<usize>>, HeaderProblem> {
        let mut wanted: HashMap<&[u8], (usize, bool)> = HashMap::with_capacity(columns.len());
        wanted.extend(columns.iter().enumerate().map(|(place, name)| (name.as_bytes(), (place, false))));
        let mut places = vec![None; self.names.len()];
        for (name, slot) in self.names.iter().zip(&mut places) {
            if let Some((place, met)) = wanted.get_mut(name.as_slice()) {
                if *met {
                    let column = columns[*place].to_owned();
                    return Err(HeaderProblem::Column { column, problem: ColumnProblem::Repeated });
                }
                *met = true;
                *slot = Some(*place);
            }
        }
        match columns.iter().find(|name| !wanted[name.as_bytes()].1) {
            Some(&missing) => {
                let names = self.names.iter().filter_map(|name| str::from_utf8(name).ok());
                let problem = ColumnProblem::missing(missing, names);
                Err(HeaderProblem::Column { column: missing.to_owned(), problem })
            }
            None => Ok(places),
        }
    }
}

/// The names in the header of a file, in file order. No byte behind the header's chunk is read.
pub(crate) fn read_header(mut reader: impl Read, layout: TextLayout) -> Result<Vec<String>, HeaderProblem> {
    let mut cutter = Cutter::new(layout);
    let mut header = Header::default();
    let mut chunk = vec![0; 64 << 10];
    let (mut read, mut is_over) = (0, false);
    while !is_over {
        let length = match reader.read(&mut chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(HeaderProblem::Io(error)),
        };
        is_over = length == 0;
        if is_over {
            cutter.end();
        }
        read += length;
        if read > HEADER_END {
            return Err(HeaderProblem::TooLong);
        }
        let mut input = &chunk[..length];
        loop {
            match cutter.next(&mut input) {
                Event::NeedInput => break,
                event => {
                    if header.take(&event)? {
                        return header.into_names();
                    }
                }
            }
        }
    }
    Err(HeaderProblem::NoHeader)
}
