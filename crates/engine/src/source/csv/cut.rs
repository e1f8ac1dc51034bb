//! Splits a stream of bytes into fields, for any bytes and any chunk boundaries.

use super::TextLayout;
use super::lines::LineCutter;
use super::records::RecordCutter;

pub(super) const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// An event in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// A field ended. `value` is `None` if it was too long to hold; `last` is set if its record
    /// ended too.
    Field { value: Option<&'a [u8]>, last: bool },
    /// An empty line.
    BlankLine,
    /// All input so far is consumed.
    NeedInput,
}

/// The state between two chunks.
#[derive(Debug)]
pub(super) enum Cutter {
    /// A line is a record.
    Lines(LineCutter),
    /// A record may span lines, inside quotes.
    Records(Box<RecordCutter>),
}

impl Cutter {
    pub(super) fn new(layout: TextLayout) -> Self {
        if layout.multiline {
            Self::Records(Box::new(RecordCutter::new(layout)))
        } else {
            Self::Lines(LineCutter::new(layout))
        }
    }

    /// Returns the next event, and advances `input` past the consumed bytes.
    pub(super) fn next<'e, 's: 'e, 'i: 'e>(&'s mut self, input: &mut &'i [u8]) -> Event<'e> {
        match self {
            Self::Lines(lines) => lines.next(input),
            Self::Records(records) => records.next(input),
        }
    }

    /// Marks the end of the stream. Remaining events follow from calls without input.
    pub(super) fn end(&mut self) {
        match self {
            Self::Lines(lines) => lines.end(),
            Self::Records(records) => records.end(),
        }
    }

    /// Skips the rest of the record; the next event is its last field.
    ///
    /// Must be called between two fields of a record.
    pub(super) fn skip_record(&mut self) {
        match self {
            Self::Lines(lines) => lines.skip_line(),
            Self::Records(records) => records.skip_line(),
        }
    }

    /// Bytes of the longest line that was too long to hold; 0 if there was none, or if records may
    /// span lines.
    pub(super) fn overlong_bytes(&self) -> u64 {
        match self {
            Self::Lines(lines) => lines.overlong_bytes(),
            Self::Records(_) => 0,
        }
    }
}

/// Length of the longest prefix of `input` whose bytes all satisfy `accept`.
pub(super) fn run(input: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    if input.first().is_none_or(|first| !accept(*first)) {
        return 0;
    }
    // Without an early exit, the loop over a block is vectorised.
    let blocks = input.chunks_exact(64);
    let whole = blocks.take_while(|block| block.iter().fold(true, |all, byte| all & accept(*byte))).count() * 64;
    whole + input[whole..].iter().take_while(|byte| accept(**byte)).count()
}

#[cfg(test)]
mod tests {
    use scumble_schema::Encoding;
    use scumble_schema::limits::FIELD_BYTES;

    use super::super::MAX_LINE_BYTES;
    use super::*;

    const LINES: TextLayout = TextLayout {
        delimiter: b',',
        quote: b'"',
        comment: None,
        multiline: false,
        encoding: Encoding::Utf8,
        lines_before_header: 0,
        has_header: true,
    };
    const RECORDS: TextLayout = TextLayout { multiline: true, ..LINES };

    /// Lines of fields; `None` is a field that was too long, an empty line is a blank one.
    type Lines = Vec<Vec<Option<Vec<u8>>>>;

    fn cut(layout: TextLayout, bytes: &[u8], chunk: usize) -> Lines {
        let mut cutter = Cutter::new(layout);
        let mut lines = vec![];
        let mut line = vec![];
        let mut keep = |event: Event<'_>| match event {
            Event::Field { value, last } => {
                line.push(value.map(<[u8]>::to_vec));
                if last {
                    lines.push(std::mem::take(&mut line));
                }
                true
            }
            Event::BlankLine => {
                lines.push(vec![]);
                true
            }
            Event::NeedInput => false,
        };
        for mut input in bytes.chunks(chunk) {
            while keep(cutter.next(&mut input)) {}
            assert!(input.is_empty());
        }
        cutter.end();
        while keep(cutter.next(&mut &[][..])) {}
        assert!(line.is_empty());
        lines
    }

    fn text(lines: &[&[&str]]) -> Lines {
        lines.iter().map(|line| line.iter().map(|field| Some(field.as_bytes().to_vec())).collect()).collect()
    }

    /// Edge cases, with the expected lines.
    fn awkward() -> Vec<(TextLayout, &'static [u8], Lines)> {
        let both =
            of_both().into_iter().flat_map(|(bytes, lines)| [(LINES, bytes, lines.clone()), (RECORDS, bytes, lines)]);
        let lines = of_lines().into_iter().map(|(bytes, lines)| (LINES, bytes, lines));
        let records = of_records().into_iter().map(|(bytes, lines)| (RECORDS, bytes, lines));
        both.chain(lines).chain(records).collect()
    }

    /// Quotes that span lines or do not close, where each line is a record.
    fn of_lines() -> Vec<(&'static [u8], Lines)> {
        vec![
            (b"\"a,\r\n\n\"\"b\",c\r\nd", text(&[&["\"a", ""], &[], &["b\"", "c"], &["d"]])),
            (b"\"a\r\",b\r\n", text(&[&["\"a"], &["\"", "b"]])),
            (b"\"never closed,\n\n1,2\n", text(&[&["\"never closed", ""], &[], &["1", "2"]])),
            (b"1,\"x,\"\"y\"\",z\n\"\n", text(&[&["1", "\"x", "y\"\"", "z"], &["\""]])),
            (b"\"\"\"\n\"\"\"\"\n\"\"\"a,b", text(&[&["\"\"\""], &["\""], &["\"\"\"a", "b"]])),
            (b"\"a\"\"b\"c\"d,\"e\"", text(&[&["a\"bc\"d", "e"]])),
            (b"\"x", text(&[&["\"x"]])),
            (b"\xEF\xBB\xBF\"x\n\xEF\xBB\xBFy", text(&[&["\"x"], &["\u{feff}y"]])),
            (b"\xEF\xBB\xBF\r\n\"", text(&[&[], &["\""]])),
        ]
    }

    /// Cases where a record may span lines.
    fn of_records() -> Vec<(&'static [u8], Lines)> {
        vec![
            (b"\"a,\r\n\n\"\"b\",c\r\nd", text(&[&["a,\r\n\n\"b", "c"], &["d"]])),
            (b"\"a\r\",b\r\n", text(&[&["a\r", "b"]])),
            (b"\"never closed,\n\n1,2\n", text(&[&["never closed,\n\n1,2\n"]])),
        ]
    }

    fn of_both() -> Vec<(&'static [u8], Lines)> {
        vec![
            (b"", text(&[])),
            (b"a,b\n1,2\n", text(&[&["a", "b"], &["1", "2"]])),
            (b"a,b\r\n1,2\r\n", text(&[&["a", "b"], &["1", "2"]])),
            (b"a,b\r1,2\r", text(&[&["a", "b"], &["1", "2"]])),
            (b"a,b\n1,2", text(&[&["a", "b"], &["1", "2"]])),
            (b"a,b\n1,", text(&[&["a", "b"], &["1", ""]])),
            (b"a\n\n\nb\n", text(&[&["a"], &[], &[], &["b"]])),
            (b"a\r\n\r\n\r\nb\r\n\r\n", text(&[&["a"], &[], &[], &["b"], &[]])),
            (b"a\r\r\rb", text(&[&["a"], &[], &[], &["b"]])),
            (b"a\n\r\nb", text(&[&["a"], &[], &["b"]])),
            (b"\n\r\n\ra", text(&[&[], &[], &[], &["a"]])),
            (b"\"\"\n", text(&[&[""]])),
            (b"a\"b,\"c\"d\n", text(&[&["a\"b", "cd"]])),
            (b"\xEF\xBB\xBFa,b\n1,2\n", text(&[&["a", "b"], &["1", "2"]])),
            (b"\xEF\xBB\xBF\"a\",b\n", text(&[&["a", "b"]])),
            (b"\xEF\xBB\xBF", text(&[])),
            (b"\xEF\xBB\xBF\xEF\xBB\xBFa\n", text(&[&["\u{feff}a"]])),
            (b"\xEF\xBBa\n", vec![vec![Some(b"\xEF\xBBa".to_vec())]]),
            (b"\xEF\n", vec![vec![Some(b"\xEF".to_vec())]]),
            (b"\xEF", vec![vec![Some(b"\xEF".to_vec())]]),
            (b"\xFF\xFE,\x00\n", vec![vec![Some(b"\xFF\xFE".to_vec()), Some(b"\0".to_vec())]]),
            (b",\n,,\n", text(&[&["", ""], &["", "", ""]])),
        ]
    }

    #[test]
    fn lines_do_not_depend_on_where_chunks_end() {
        for (layout, bytes, lines) in awkward() {
            for chunk in [1, 2, 3, 7, 4096] {
                assert_eq!(cut(layout, bytes, chunk), lines, "{} in chunks of {chunk}", bytes.escape_ascii());
            }
        }
    }

    /// Another quote, another delimiter, and lines that are comments.
    fn of_other_symbols() -> Vec<(&'static [u8], Lines)> {
        vec![
            (b"a;'b;c';\"d\"\n'';e''f\n", text(&[&["a", "b;c", "\"d\""], &["", "e''f"]])),
            (b"'it''s';1\n", text(&[&["it's", "1"]])),
            (b"# one;two\na;b\n#\n1;#2\n", text(&[&["a", "b"], &["1", "#2"]])),
            (b"\xEF\xBB\xBF#x\r\n#y\r\na\r\n\r\n#z", text(&[&["a"], &[]])),
            (b"#'\na\n'#'\n #\n", text(&[&["a"], &["#"], &[" #"]])),
            (b"#only", text(&[])),
        ]
    }

    #[test]
    fn quotes_delimiters_and_comments_are_those_of_the_dialect() {
        for multiline in [false, true] {
            let layout = TextLayout { delimiter: b';', quote: b'\'', comment: Some(b'#'), multiline, ..LINES };
            for (bytes, lines) in of_other_symbols() {
                for chunk in [1, 2, 3, 7, 4096] {
                    assert_eq!(cut(layout, bytes, chunk), lines, "{} in chunks of {chunk}", bytes.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn an_overlong_comment_is_not_a_row() {
        let bytes = format!("a\n#{}\nb\n", ",".repeat(2 * MAX_LINE_BYTES));
        for multiline in [false, true] {
            let layout = TextLayout { comment: Some(b'#'), multiline, ..LINES };
            assert_eq!(cut(layout, bytes.as_bytes(), 1 << 20), text(&[&["a"], &["b"]]));
        }
    }

    #[test]
    fn skipping_a_long_field_loses_no_lines() {
        let long = "a".repeat(FIELD_BYTES + 70);
        for (field, ends) in [
            (format!("\"{long}\"\"{long},\n{long}\""), true),
            (format!("\"{long}\"{long}"), true),
            (format!("{long}\"{long}"), true),
            (format!("\"{long}{}{long}\"", "\"\"".repeat(FIELD_BYTES)), true),
            (format!("\"{}\"", "\"\"".repeat(2 * FIELD_BYTES)), true),
            (format!("\"{long}\"{long},\"\""), true),
            (format!("\"{long},{long}\r\n"), false),
        ] {
            let bytes = format!("x,{field},y\nz\n");
            for chunk in [5, 64, 1000, 1 << 18] {
                let lines = cut(RECORDS, bytes.as_bytes(), chunk);
                assert_eq!(lines[0][..2], [Some(b"x".to_vec()), None]);
                let fields = if field.ends_with(",\"\"") { 4 } else { 3 };
                assert_eq!((lines.len(), lines[0].len()), if ends { (2, fields) } else { (1, 2) });
            }
        }
    }

    /// Drains all events, and skips the rest of a record if `skip` returns true.
    fn drain(cutter: &mut Cutter, input: &mut &[u8], mut skip: impl FnMut(&Event<'_>) -> bool) {
        loop {
            let event = cutter.next(input);
            if event == Event::NeedInput {
                return;
            }
            if skip(&event) {
                cutter.skip_record();
            }
        }
    }

    #[test]
    fn a_skipped_line_ends_where_it_would_have_ended() {
        // The same number of lines, and the same first fields, as if every field were cut.
        for (layout, bytes, lines) in awkward() {
            for chunk in [1, 2, 3, 7, 4096] {
                let mut cutter = Cutter::new(layout);
                let mut first_fields = vec![];
                let mut is_first = true;
                let mut keep = |event: &Event<'_>| {
                    let Event::Field { value, last } = event else {
                        if *event == Event::BlankLine {
                            first_fields.push(None);
                        }
                        return false;
                    };
                    if is_first {
                        first_fields.push(value.map(<[u8]>::to_vec));
                    }
                    is_first = *last;
                    !last
                };
                for mut input in bytes.chunks(chunk) {
                    drain(&mut cutter, &mut input, &mut keep);
                }
                cutter.end();
                drain(&mut cutter, &mut &[][..], &mut keep);
                let expected: Vec<_> = lines.iter().map(|line| line.first().cloned().flatten()).collect();
                assert_eq!(first_fields, expected, "{} in chunks of {chunk}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn a_field_of_the_maximum_length_is_held_and_a_longer_one_is_not() {
        for (layout, quote) in [(LINES, ""), (LINES, "\""), (RECORDS, ""), (RECORDS, "\"")] {
            for (length, held) in
                [(FIELD_BYTES - 1, true), (FIELD_BYTES, true), (FIELD_BYTES + 1, false), (3 * FIELD_BYTES, false)]
            {
                let bytes = format!("x,{quote}{}{quote},y\nz\n", "a".repeat(length));
                let lines = cut(layout, bytes.as_bytes(), 4096);
                assert_eq!(lines.len(), 2);
                assert_eq!(lines[0][1].as_ref().map(Vec::len), held.then_some(length));
                assert_eq!((&lines[0][0], &lines[0][2]), (&Some(b"x".to_vec()), &Some(b"y".to_vec())));
                assert_eq!(lines[1], [Some(b"z".to_vec())]);
            }
        }
    }

    #[test]
    fn quotes_of_a_line_that_is_too_long_to_hold_are_text() {
        let long = |bytes: usize| format!("\"{},\"\"y\",z", "a".repeat(bytes - 8));
        let row = |line: String| format!("x\n{line}\r\n\"v\",w");
        for chunk in [1 << 18, MAX_LINE_BYTES * 2] {
            let held = cut(LINES, row(long(MAX_LINE_BYTES)).as_bytes(), chunk);
            assert_eq!(held[1], [None, Some(b"z".to_vec())], "closes after the delimiter");
            let overlong = cut(LINES, row(long(MAX_LINE_BYTES + 1)).as_bytes(), chunk);
            assert_eq!(overlong[1], [None, Some(b"\"\"y\"".to_vec()), Some(b"z".to_vec())]);
            for lines in [held, overlong] {
                assert_eq!((lines.len(), &lines[0], &lines[2]), (3, &text(&[&["x"]])[0], &text(&[&["v", "w"]])[0]));
            }
        }
    }

    #[test]
    fn the_length_of_an_overlong_line_is_known_while_it_is_read() {
        let mut cutter = Cutter::new(LINES);
        let chunk = vec![b'a'; 1 << 20];
        for _ in 0..=2 * MAX_LINE_BYTES / chunk.len() {
            drain(&mut cutter, &mut &chunk[..], |_| false);
        }
        assert_eq!(cutter.overlong_bytes(), (2 * MAX_LINE_BYTES + chunk.len()) as u64);
        drain(&mut cutter, &mut &b"\nb\n"[..], |_| false);
        assert_eq!(cutter.overlong_bytes(), (2 * MAX_LINE_BYTES + chunk.len()) as u64);
    }
}
