//! Converts the rows of a sheet to CSV, for any contents of cells.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use quick_xml::events::{BytesStart, Event};
use scumble_schema::Dialect;
use scumble_schema::limits::{COLUMNS, FIELD_BYTES};

use super::cell_format::{CellFormat, Epoch};
use super::xml::{attribute, failed, push_reference, reader};

/// Text of a cell that refers to a missing shared text.
const NO_TEXT: &[u8] = b"#REF!";
/// Maximum columns of a sheet.
const SHEET_COLUMNS: usize = 16_384;

/// Texts that cells refer to by number.
#[derive(Debug, Default)]
pub(super) struct SharedTexts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl SharedTexts {
    pub(super) fn read(bytes: &mut dyn BufRead) -> io::Result<Self> {
        let mut texts = Self::default();
        let mut text = TextParts::default();
        let mut reader = reader(bytes);
        let mut buffer = vec![];
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer).map_err(failed)?;
            match &event {
                Event::Eof => return Ok(texts),
                Event::End(element) if element.local_name().as_ref() == b"si" => {
                    texts.bytes.extend_from_slice(&text.bytes);
                    texts.ends.push(texts.bytes.len());
                    text = TextParts::default();
                }
                _ => text.take(&event),
            }
        }
    }

    fn get(&self, number: usize) -> Option<&[u8]> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[start..end])
    }
}

/// A text that may consist of several runs, each in a `t` element. Phonetic hints are skipped.
#[derive(Debug, Default)]
struct TextParts {
    bytes: Vec<u8>,
    in_text: bool,
    in_pronunciation: bool,
}

impl TextParts {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                b"t" => self.in_text = true,
                b"rPh" => self.in_pronunciation = true,
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                b"t" => self.in_text = false,
                b"rPh" => self.in_pronunciation = false,
                _ => {}
            },
            event if self.in_text && !self.in_pronunciation => push_text(event, &mut self.bytes),
            _ => {}
        }
    }
}

/// Appends the text of an event. One byte more than a field may have is kept, to mark it as too
/// long.
fn push_text(event: &Event<'_>, text: &mut Vec<u8>) {
    match event {
        Event::Text(part) => text.extend_from_slice(part),
        Event::CData(part) => text.extend_from_slice(part),
        Event::GeneralRef(reference) => push_reference(reference, text),
        _ => {}
    }
    text.truncate(FIELD_BYTES + 1);
}

/// What cells refer to: shared texts and formats.
pub(super) struct Cells<'a> {
    pub(super) texts: &'a SharedTexts,
    pub(super) formats: &'a [CellFormat],
    pub(super) epoch: Epoch,
}

impl Cells<'_> {
    /// Returns the text of a cell of this kind and style, from its raw value.
    fn text<'v>(&'v self, kind: Option<&str>, style: Option<usize>, value: &'v [u8]) -> Cow<'v, [u8]> {
        let written = std::str::from_utf8(value).unwrap_or_default().trim();
        match kind {
            Some("s") if written.is_empty() => Cow::Borrowed(b""),
            Some("s") => {
                let text = written.parse().ok().and_then(|number| self.texts.get(number));
                Cow::Borrowed(text.unwrap_or(NO_TEXT))
            }
            Some("b") => match written {
                "1" => Cow::Borrowed(b"true"),
                "0" => Cow::Borrowed(b"false"),
                _ => Cow::Borrowed(value),
            },
            None | Some("n") => {
                let format = style.and_then(|style| self.formats.get(style)).copied().unwrap_or_default();
                match format.text(written, self.epoch) {
                    Some(time) => Cow::Owned(time.into_bytes()),
                    None => Cow::Borrowed(value),
                }
            }
            // Texts, results of formulas, error values, ISO 8601 dates and unknown kinds stand for
            // themselves.
            Some(_) => Cow::Borrowed(value),
        }
    }
}

/// Writes the rows of a sheet as CSV. The first row with a value, from the header of `dialect` on,
/// has the names, unless `dialect` has them; columns without a name and rows without a value are
/// skipped.
pub(super) fn write_rows(
    bytes: &mut dyn BufRead,
    cells: &Cells<'_>,
    dialect: &Dialect,
    sink: &mut impl Write,
) -> io::Result<()> {
    let mut reader = reader(bytes);
    let mut buffer = vec![];
    let mut table = Table { rows_before: usize::from(dialect.header_row.lines_before()), ..Table::default() };
    if let Some(names) = &dialect.column_names {
        table.begin_row(None);
        table.row = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        table.has_value = true;
        table.end_row(sink)?;
    }
    let mut cell: Option<Cell> = None;
    let mut in_rows = false;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(failed)?;
        match &event {
            Event::Start(element) => match (element.local_name().as_ref(), &mut cell) {
                (b"sheetData", _) => in_rows = true,
                (b"row", _) if in_rows => table.begin_row(attribute(element, "r").and_then(|row| row.parse().ok())),
                (b"c", _) if in_rows => cell = Some(Cell::new(element, table.next_column)),
                (b"v", Some(cell)) => cell.in_value = true,
                (_, Some(cell)) => cell.inline.take(&event),
                _ => {}
            },
            Event::End(element) => match (element.local_name().as_ref(), &mut cell) {
                (b"sheetData", _) => return Ok(()),
                (b"row", _) if in_rows => table.end_row(sink)?,
                (b"c", _) => {
                    if let Some(cell) = cell.take() {
                        table.put(&cell, cells);
                    }
                }
                (b"v", Some(cell)) => cell.in_value = false,
                (_, Some(cell)) => cell.inline.take(&event),
                _ => {}
            },
            // A sheet that ends inside its rows is truncated.
            Event::Eof if in_rows => return Err(io::ErrorKind::UnexpectedEof.into()),
            Event::Eof => return Ok(()),
            event => match &mut cell {
                Some(cell) if cell.in_value => push_text(event, &mut cell.value),
                Some(cell) => cell.inline.take(event),
                None => {}
            },
        }
    }
}

/// The cell that is being read.
struct Cell {
    column: usize,
    kind: Option<String>,
    style: Option<usize>,
    in_value: bool,
    value: Vec<u8>,
    inline: TextParts,
}

impl Cell {
    /// Returns the cell that an element opens, in `next_column` unless it states its place.
    fn new(element: &BytesStart<'_>, next_column: usize) -> Self {
        let place = attribute(element, "r").and_then(|place| column_of(&place));
        let style = attribute(element, "s").and_then(|style| style.parse().ok());
        Self {
            column: place.unwrap_or(next_column),
            kind: attribute(element, "t"),
            style,
            in_value: false,
            value: vec![],
            inline: TextParts::default(),
        }
    }
}

/// Returns the column of a place such as `B7`, from 0 on.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let digit = |letter: u8| usize::from(letter.to_ascii_uppercase() - b'A') + 1;
    letters.fold(0, |column, letter| column * 26 + digit(letter)).checked_sub(1)
}

/// The rows read so far, of which one is held.
#[derive(Debug, Default)]
struct Table {
    /// For every column of the sheet, its index among the named columns; empty before the row of
    /// names.
    places: Vec<Option<usize>>,
    has_names: bool,
    /// Rows of the sheet before the row of names.
    rows_before: usize,
    /// Number of the current row of the sheet, from 1 on.
    number: usize,
    row: Vec<Vec<u8>>,
    has_value: bool,
    next_column: usize,
}

impl Table {
    /// Begins the row of this number, or the next one if it states none.
    fn begin_row(&mut self, number: Option<usize>) {
        self.number = number.unwrap_or(self.number.saturating_add(1));
        self.row.iter_mut().for_each(Vec::clear);
        (self.has_value, self.next_column) = (false, 0);
    }

    fn put(&mut self, cell: &Cell, cells: &Cells<'_>) {
        let text = match cell.kind.as_deref() {
            Some("inlineStr" | "is") => Cow::Borrowed(&cell.inline.bytes[..]),
            kind => cells.text(kind, cell.style, &cell.value),
        };
        self.next_column = cell.column.saturating_add(1);
        if text.is_empty() {
            return;
        }
        self.has_value = true;
        if cell.column >= SHEET_COLUMNS {
            return;
        }
        let place = if self.has_names { self.places.get(cell.column).copied().flatten() } else { Some(cell.column) };
        if let Some(place) = place {
            if self.row.len() <= place {
                self.row.resize(place + 1, vec![]);
            }
            self.row[place] = text.into_owned();
        }
    }

    fn end_row(&mut self, sink: &mut impl Write) -> io::Result<()> {
        // Once there are names, no number that a row states drops it.
        if !self.has_value || (!self.has_names && self.number <= self.rows_before) {
            return Ok(());
        }
        if !self.has_names {
            self.has_names = true;
            let mut places = 0..COLUMNS;
            self.places = self.row.iter().map(|name| if name.is_empty() { None } else { places.next() }).collect();
            self.row.retain(|name| !name.is_empty());
        }
        for (index, value) in self.row.iter().enumerate() {
            if index > 0 {
                sink.write_all(b",")?;
            }
            // A single empty value must not become an empty line.
            let is_quoted = value.is_empty() || value.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'));
            if !is_quoted {
                sink.write_all(value)?;
                continue;
            }
            sink.write_all(b"\"")?;
            for (part, text) in value.split(|byte| *byte == b'"').enumerate() {
                sink.write_all(if part == 0 { b"" } else { b"\"\"" })?;
                sink.write_all(text)?;
            }
            sink.write_all(b"\"")?;
        }
        sink.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sheet: &str, texts: &[&str]) -> Result<String, io::ErrorKind> {
        rows_of(&Dialect::default(), sheet, texts)
    }

    fn rows_of(dialect: &Dialect, sheet: &str, texts: &[&str]) -> Result<String, io::ErrorKind> {
        let shared: Vec<String> = texts.iter().map(|text| format!("<si><t>{text}</t></si>")).collect();
        let shared = shared.concat();
        let shared =
            SharedTexts::read(&mut format!("<sst uniqueCount=\"99999999999\">{shared}</sst>").as_bytes()).unwrap();
        let cells = Cells { texts: &shared, formats: &[CellFormat::Number, CellFormat::Date], epoch: Epoch::Of1900 };
        let mut csv = vec![];
        write_rows(&mut sheet.as_bytes(), &cells, dialect, &mut csv).map_err(|error| error.kind())?;
        Ok(String::from_utf8(csv).unwrap())
    }

    #[test]
    fn cells_of_every_kind_become_texts() {
        let sheet = r#"<worksheet><sheetData>
            <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><r><t>b</t></r><r><t>orn</t></r></is></c><c t="str"><v>c</v></c></row>
            <row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>45943</v></c><c r="C2" t="b"><v>1</v></c></row>
            <row r="3"><c r="A3" t="e"><v>#SPILL!</v></c><c r="B3" s="1"><v>x</v></c><c r="C3" t="z"><v>&lt;&unknown;&#65;</v></c></row>
            <row r="4"><c r="A4" t="s"><v>7</v></c><c r="B4" t="n"/><c r="C4" t="d"><v>2020-01-02</v><extLst/></c></row>
            <row r="5"><c r="A5" s="9"/></row>
            <row r="9"><c r="C9" t="s"><v>1</v></c><c r="ZZZZZZ9"><v>1</v></c><c r="E9"><v>beyond</v></c></row>
        </sheetData></worksheet>"#;
        let expected = "a,born,c\n1.5,2025-10-13,true\n#SPILL!,x,<&unknown;A\n#REF!,\"\",2020-01-02\n\"\",\"\",\"say \"\"so\"\", twice\"\n";
        assert_eq!(rows(sheet, &["a", "say &quot;so&quot;, twice"]).unwrap(), expected);
    }

    #[test]
    fn columns_without_a_name_are_skipped() {
        let sheet = r#"<sheetData><row><c r="B1"><v>x</v></c><c r="D1"><v>y</v></c></row>
            <row><c r="A2"><v>1</v></c><c r="D2"><v>2</v></c></row><row><c r="A3"><v>1</v></c></row></sheetData>"#;
        assert_eq!(rows(sheet, &[]).unwrap(), "x,y\n\"\",2\n\"\",\"\"\n");
    }

    #[test]
    fn rows_before_the_header_are_skipped_by_their_number() {
        let sheet = r#"<sheetData><row r="1"><c><v>Title</v></c></row><row r="4"><c><v>x</v></c><c><v>y</v></c></row>
            <row r="2"><c><v>1</v></c></row><row><c><v>2</v></c></row></sheetData>"#;
        let dialect = |row: &str| Dialect { header_row: row.parse().unwrap(), ..Dialect::default() };
        let from = |row: &str| rows_of(&dialect(row), sheet, &[]).unwrap();
        assert_eq!(from("1"), "Title\nx\n1\n2\n");
        assert_eq!(from("2"), "x,y\n1,\"\"\n2,\"\"\n");
        assert_eq!(from("4"), from("2"));
        let unnumbered = "<sheetData><row><c><v>Title</v></c></row><row/><row><c><v>x</v></c></row></sheetData>";
        assert_eq!(rows_of(&dialect("3"), unnumbered, &[]).unwrap(), "x\n");
    }

    #[test]
    fn a_sheet_without_a_header_has_the_given_names() {
        let sheet = r#"<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>beyond</v></c></row>
            <row r="3"><c r="B3"><v>2</v></c></row></sheetData>"#;
        let dialect = Dialect { column_names: "x,y".parse().ok(), ..Dialect::default() };
        assert_eq!(rows_of(&dialect, sheet, &[]).unwrap(), "x,y\n1,\"\"\n\"\",2\n");
        assert_eq!(rows_of(&dialect, "<sheetData></sheetData>", &[]).unwrap(), "x,y\n");
    }

    #[test]
    fn a_truncated_sheet_is_an_error_and_not_a_shorter_table() {
        assert_eq!(rows("<sheetData><row><c><v>a</v></c></row><row>", &[]), Err(io::ErrorKind::UnexpectedEof));
    }
}
