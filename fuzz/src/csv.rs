//! CSV files.

use std::sync::LazyLock;

use scumble_engine::Input;
use scumble_schema::Schema;
use tempfile::TempDir;

use crate::message;
use crate::rows::{Counts, counted, written};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A kind of table.
struct Kind {
    schema: Schema,
    /// Name of the file.
    name: &'static str,
    /// Whether a line is a row by itself, wherever it is.
    is_by_line: bool,
    /// First byte of comments, if there are any.
    comment: Option<u8>,
    /// Number of lines before the header.
    lines_before: usize,
    has_header: bool,
}

/// All kinds. The first byte of an input selects one, and seeds begin with its digit.
static KINDS: LazyLock<[Kind; 9]> = LazyLock::new(|| {
    let columns = "
fields:
  - {name: city, type: string, constraints: {enum: [Bergen, Oulu, 'a,b', 'say \"so\"']}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
  - {name: born, type: date, constraints: {minimum: '1900-01-01', maximum: '2020-12-31'}, dp: {bins: {count: 12}}}
";
    let kind = |schema: &str| {
        let schema = Schema::parse(schema).expect("the schema is sound");
        Kind { schema, name: "rows.csv", is_by_line: true, comment: None, lines_before: 0, has_header: true }
    };
    let with = |terms: &str| kind(&format!("{terms}{columns}"));
    [
        kind(columns),
        Kind { is_by_line: false, ..with("dialect: {multiline: true}") },
        with("dialect: {delimiter: ';', encoding: windows-1252}"),
        Kind { comment: Some(b'#'), ..with("dialect: {commentChar: '#', quoteChar: \"'\"}") },
        // Which rows of a unit are kept depends on all of them.
        Kind { is_by_line: false, ..with("dp: {privacyUnit: id, maxContributions: 2}") },
        kind("fields: [{name: city, type: string, constraints: {enum: [Bergen, Oulu]}}]"),
        Kind { name: "rows.csv.gz", is_by_line: false, ..kind(columns) },
        Kind { lines_before: 2, ..with("dialect: {headerRows: [3]}") },
        Kind { has_header: false, ..with("dialect: {delimiter: ',', columnNames: [born, city, other, age]}") },
    ]
});

/// Any text is counted, every line of it as one row, and any two halves of it, cut at the end of a
/// line, add up to it.
pub fn csv(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    let kind = &KINDS[usize::from(kind.wrapping_sub(b'0')) % KINDS.len()];
    let Ok(all) = read(kind, text, 2) else { return };
    if !kind.is_by_line {
        return;
    }
    let (header, body) = split_header(text, kind);
    if kind.schema.attributes().len() > 1 {
        // A blank line could be a row of one column only.
        let rows = lines(body).filter(|line| !is_skipped(line, kind.comment)).count();
        assert_eq!(all[0][0], rows as u64, "the text has another number of rows");
    }
    let (first, second) = body.split_at(middle(body));
    let parts = [first, second].map(|part| read(kind, &[header, part].concat(), 1).expect("the header is the same"));
    let sum: Counts = parts[0].iter().zip(&parts[1]).map(|(one, other)| add(one, other)).collect();
    assert_eq!(all, sum, "two halves of a file do not add up to it");
}

fn add(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().zip(other).map(|(one, other)| one + other).collect()
}

fn read(kind: &Kind, text: &[u8], threads: usize) -> Result<Counts, ()> {
    let directory = TempDir::new().expect("a temporary directory");
    let input = Input::new(written(&directory, kind.name, text));
    counted(&input, &kind.schema, threads).map_err(message::check_error)
}

/// Splits a text after its header: the first line that is neither blank nor a comment, after the
/// lines that are not read.
fn split_header<'t>(text: &'t [u8], kind: &Kind) -> (&'t [u8], &'t [u8]) {
    if !kind.has_header {
        return text.split_at(0);
    }
    let mut end = lines(text).take(kind.lines_before).map(<[u8]>::len).sum();
    if text[end..].starts_with(BYTE_ORDER_MARK) {
        end += BYTE_ORDER_MARK.len();
    }
    for line in lines(&text[end..]) {
        end += line.len();
        if !is_skipped(line, kind.comment) {
            break;
        }
    }
    text.split_at(end)
}

/// Returns whether a line is blank or a comment.
fn is_skipped(line: &[u8], comment: Option<u8>) -> bool {
    line.first().is_none_or(|first| matches!(first, b'\n' | b'\r') || comment == Some(*first))
}

/// Returns the place of the end of a line near the middle.
fn middle(body: &[u8]) -> usize {
    let ends = lines(body).scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    ends.min_by_key(|end| end.abs_diff(body.len() / 2)).unwrap_or(0)
}

/// Splits a text into lines, each with its end.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = end.map_or(text.len(), |end| end + if text[end..].starts_with(b"\r\n") { 2 } else { 1 });
        let (line, rest) = text.split_at(end);
        text = rest;
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_as_it_is_read() {
        let text = b"\xEF\xBB\xBF\r\n#x\na,b\r\rc\n\nd";
        assert_eq!(split_header(text, &KINDS[3]), (&text[..12], &b"\rc\n\nd"[..]));
        let titled = b"Title\r\n\n\n#a,b\nc";
        assert_eq!(split_header(titled, &KINDS[7]), (&titled[..14], &b"c"[..]));
        assert_eq!(split_header(b"a,b\nc", &KINDS[8]), (&b""[..], &b"a,b\nc"[..]));
        assert_eq!(lines(&text[12..]).collect::<Vec<_>>(), [&b"\r"[..], b"c\n", b"\n", b"d"]);
        assert_eq!(middle(b"\rc\n\nd"), 1);
        assert_eq!(middle(b""), 0);
    }
}
