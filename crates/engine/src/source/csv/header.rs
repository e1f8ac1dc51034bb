//! The header line, and which of its fields are columns of the schema.

use std::collections::HashMap;
use std::io::{self, Read};

use scumble_schema::{ColumnNames, Encoding};

use super::TextLayout;
use super::cut::{Cutter, Event};
use super::encoding::has_utf16_mark;
use crate::error::{ColumnProblem, EngineError};

/// Maximum bytes of a header.
const MAX_HEADER_BYTES: usize = 16 << 20;
/// Maximum bytes up to the end of the header, including quotes and blank lines, which are not held.
const MAX_HEADER_END: usize = 4 * MAX_HEADER_BYTES;

/// Why a header cannot be used.
#[derive(Debug)]
pub(crate) enum HeaderProblem {
    /// The file is empty, or has only blank lines.
    NoHeader,
    /// The header is longer than any schema needs.
    TooLong,
    /// A name is not UTF-8.
    NotText,
    /// The file begins with the byte order mark of UTF-16, which is not declared.
    Utf16,
    /// UTF-16 is declared, and the file does not begin with its byte order mark.
    NotUtf16,
    /// There is no header, and no delimiter is declared.
    NoDelimiter,
    /// A column of the schema is missing, or there more than once.
    Column { column: String, problem: ColumnProblem },
    /// The bytes could not be read.
    Io(io::Error),
}

impl HeaderProblem {
    /// Converts the problem to an error about the file at `path`.
    pub(crate) fn in_file(self, path: &str) -> EngineError {
        match self {
            Self::NoHeader => EngineError::config(
                format!("`{path}` has no header line"),
                "the first line must name the columns, as in `age,sex,region`, or the line that `--header-row` names; \
                 if the file has rows only, name its columns: `--column-names age,sex,region`",
            ),
            Self::TooLong => EngineError::config(
                format!("the header line of `{path}` is longer than {MAX_HEADER_BYTES} bytes"),
                "check that the file is CSV; name its format with `--format` if it is not",
            ),
            Self::NotText => EngineError::config(
                format!("the header line of `{path}` is not UTF-8"),
                "if the file is in the encoding of Western European Windows, add `--encoding windows-1252`, or \
                 `dialect: {encoding: windows-1252}` to the schema; else save it as UTF-8",
            ),
            Self::Utf16 => EngineError::config(
                format!("`{path}` is UTF-16"),
                "add `--encoding utf-16`, or `dialect: {encoding: utf-16}` to the schema",
            ),
            Self::NotUtf16 => EngineError::config(
                format!("`{path}` is not UTF-16: it does not begin with a byte order mark"),
                "declare its own encoding, or save it as UTF-8",
            ),
            Self::NoDelimiter => EngineError::config(
                format!("the delimiter of `{path}` is not known, because it has no header"),
                "add it, as in `--delimiter ,`, or `dialect: {delimiter: \",\"}` to the schema",
            ),
            Self::Column { column, problem } => EngineError::Schema { path: path.into(), column, problem },
            Self::Io(error) => EngineError::unreadable(path, &error),
        }
    }
}

/// Names found so far.
#[derive(Debug, Default)]
pub(super) struct Header {
    names: Vec<Vec<u8>>,
    bytes: usize,
}

impl Header {
    /// Handles an event of the cutter; returns `true` when the header is complete.
    pub(super) fn take(&mut self, event: &Event<'_>) -> Result<bool, HeaderProblem> {
        match event {
            Event::Field { value: Some(name), last } => {
                // An empty name uses memory too.
                self.bytes += name.len() + size_of::<Vec<u8>>();
                if self.bytes > MAX_HEADER_BYTES {
                    return Err(HeaderProblem::TooLong);
                }
                self.names.push(name.to_vec());
                Ok(*last)
            }
            Event::Field { value: None, .. } => Err(HeaderProblem::TooLong),
            Event::BlankLine | Event::NeedInput => Ok(false),
        }
    }

    /// Returns the names as text, in file order.
    fn into_names(self) -> Result<Vec<String>, HeaderProblem> {
        // No text in UTF-8 begins so.
        if self.names.first().is_some_and(|name| name.starts_with(&[0xFF, 0xFE]) || name.starts_with(&[0xFE, 0xFF])) {
            return Err(HeaderProblem::Utf16);
        }
        self.names.into_iter().map(|name| String::from_utf8(name).map_err(|_| HeaderProblem::NotText)).collect()
    }

    /// For every field of a line, the index of its column in `columns`, if it is one of them.
    pub(super) fn places(&self, columns: &[&str]) -> Result<Vec<Option<usize>>, HeaderProblem> {
        let mut requested: HashMap<&[u8], (usize, bool)> = HashMap::with_capacity(columns.len());
        requested.extend(columns.iter().enumerate().map(|(place, name)| (name.as_bytes(), (place, false))));
        let mut places = vec![None; self.names.len()];
        for (name, slot) in self.names.iter().zip(&mut places) {
            if let Some((place, seen)) = requested.get_mut(name.as_slice()) {
                if *seen {
                    let column = columns[*place].to_owned();
                    return Err(HeaderProblem::Column { column, problem: ColumnProblem::Repeated });
                }
                *seen = true;
                *slot = Some(*place);
            }
        }
        match columns.iter().find(|name| !requested[name.as_bytes()].1) {
            Some(&missing) => {
                let names = self.names.iter().filter_map(|name| str::from_utf8(name).ok());
                let problem = ColumnProblem::missing(missing, names);
                Err(HeaderProblem::Column { column: missing.to_owned(), problem })
            }
            None => Ok(places),
        }
    }
}

/// Delimiters to try if none is declared. The one that splits a header into the most names is used;
/// the first of them on a tie.
pub(crate) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The header of a file, and the layout of the file.
#[derive(Debug)]
pub(crate) struct FoundHeader {
    /// The names, in file order.
    pub(crate) names: Vec<String>,
    pub(crate) layout: TextLayout,
}

/// Reads the header of a file with the best of several layouts: one that splits no quoted name, and
/// gives the most names; the first of them on a tie.
///
/// No byte after the header's chunk is read, and only the header decides.
pub(crate) fn read_header(mut reader: impl Read, layouts: &[TextLayout]) -> Result<FoundHeader, HeaderProblem> {
    let mut searches: Vec<Search> = layouts.iter().map(|&layout| Search::new(layout)).collect();
    let mut chunk = vec![0; 64 << 10];
    let mut read = 0;
    while searches.iter().any(|search| search.found.is_none()) {
        let length = match reader.read(&mut chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(HeaderProblem::Io(error)),
        };
        read += length;
        let is_too_long = read > MAX_HEADER_END;
        for search in searches.iter_mut().filter(|search| search.found.is_none()) {
            search.take(&chunk[..length]);
            if is_too_long {
                search.found.get_or_insert(Err(HeaderProblem::TooLong));
            }
        }
    }
    let found = searches.into_iter().filter_map(|search| {
        let layout = search.layout;
        Some(search.found?.and_then(Header::into_names).map(|names| FoundHeader { names, layout }))
    });
    // A quote within a name most likely means that the layout splits a quoted name. `max_by_key`
    // would return the last of several.
    let fitness = |found: &FoundHeader| {
        let quote = char::from(found.layout.quote);
        (!found.names.iter().any(|name| name.contains(quote)), found.names.len())
    };
    let better = |first: FoundHeader, next: FoundHeader| if fitness(&next) > fitness(&first) { next } else { first };
    let best = found.reduce(|first, next| match (first, next) {
        (Ok(first), Ok(next)) => Ok(better(first, next)),
        (Err(_), Ok(found)) | (Ok(found), Err(_)) => Ok(found),
        (Err(first), Err(_)) => Err(first),
    });
    let is_utf16 = layouts.first().is_some_and(|layout| layout.encoding == Encoding::Utf16);
    match best {
        // A file without a byte order mark has no text.
        None | Some(Err(HeaderProblem::NoHeader)) if is_utf16 => Err(HeaderProblem::NotUtf16),
        best => best.unwrap_or(Err(HeaderProblem::NoHeader)),
    }
}

/// Returns the header of a file without one, whose columns have `names`. Reads no row.
///
/// A row must not decide on the delimiter, so there can be one layout only.
pub(crate) fn without_header(
    reader: impl Read,
    names: &ColumnNames,
    layouts: &[TextLayout],
) -> Result<FoundHeader, HeaderProblem> {
    let [layout] = *layouts else { return Err(HeaderProblem::NoDelimiter) };
    if layout.encoding == Encoding::Utf16 && !has_utf16_mark(reader).map_err(HeaderProblem::Io)? {
        return Err(HeaderProblem::NotUtf16);
    }
    Ok(FoundHeader { names: names.iter().map(str::to_owned).collect(), layout })
}

/// The search for the header of a file under one layout.
struct Search {
    layout: TextLayout,
    cutter: Cutter,
    header: Header,
    found: Option<Result<Header, HeaderProblem>>,
}

impl Search {
    fn new(layout: TextLayout) -> Self {
        Self { layout, cutter: Cutter::new(layout), header: Header::default(), found: None }
    }

    /// Reads a chunk of the file, which is empty at the end.
    fn take(&mut self, mut chunk: &[u8]) {
        let is_over = chunk.is_empty();
        if is_over {
            self.cutter.end();
        }
        loop {
            let taken = match self.cutter.next(&mut chunk) {
                Event::NeedInput if is_over => Err(HeaderProblem::NoHeader),
                Event::NeedInput => return,
                event => self.header.take(&event),
            };
            match taken {
                Ok(false) => {}
                Ok(true) => {
                    self.found = Some(Ok(std::mem::take(&mut self.header)));
                    return;
                }
                Err(problem) => {
                    self.found = Some(Err(problem));
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Dialect;

    use super::*;

    /// Returns the delimiter that the header decides on, and its names.
    fn decided(text: &str) -> (char, Vec<String>) {
        let dialect = Dialect { comment_char: "#".parse().ok(), ..Dialect::default() };
        let layouts = DELIMITERS.map(|delimiter| TextLayout::new(&dialect, delimiter));
        let found = read_header(text.as_bytes(), &layouts).unwrap();
        (found.layout.delimiter.into(), found.names)
    }

    #[test]
    fn the_delimiter_is_the_one_that_cuts_the_header_into_the_most_names() {
        assert_eq!(decided("a;b;c\n1,2;3,4;5,6\n").0, ';');
        assert_eq!(decided("a\tb\n").0, '\t');
        assert_eq!(decided("a|b|c\n").0, '|');
        assert_eq!(decided("a,b\n1;2;3;4\n").0, ',', "rows do not decide");
        assert_eq!(decided("a\n1;2\n").0, ',', "one name, whatever the rows");
        assert_eq!(decided("a,b;c\n").0, ',', "comma if as many names come of it");
    }

    #[test]
    fn quoted_text_and_comments_do_not_decide() {
        let (delimiter, names) = decided("# x;y;z\n\"net; gross; tax\",b\n");
        assert_eq!((delimiter, names[0].as_str()), (',', "net; gross; tax"));
        assert_eq!(decided("\u{feff}\"a\";\"b, c, d\"\r\n").1, ["a", "b, c, d"]);
    }
}
