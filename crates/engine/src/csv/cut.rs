//! Cuts a stream of bytes into fields, whatever the bytes are and wherever the chunks end.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use scumble_schema::limits::FIELD_BYTES;

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What the cutter met.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// A field ended; `value` is `None` if it was too long to hold, `last` if its line ended too.
    Field { value: Option<&'a [u8]>, last: bool },
    /// A line without any byte.
    BlankLine,
    /// Everything given so far is used up.
    NeedInput,
}

/// The state between two chunks.
#[derive(Debug)]
pub(super) struct Cutter {
    reader: Reader,
    delimiter: u8,
    /// One byte more than a field may have, so that a full buffer means a field that is too long.
    buffer: Box<[u8]>,
    length: usize,
    too_long: bool,
    /// How many bytes of a byte order mark have been met; all of them once the first other byte has come.
    mark: usize,
    place: Place,
    /// Set while the rest of a line is passed over.
    passing: Option<Passing>,
    quotes: Quotes,
}

/// What is known about the field that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// The next byte is inside quotes.
    Inside,
    /// The byte before was a quote.
    AtOne,
    Unknown,
}

/// Where the next byte stands in a line that is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    FieldStart,
    Field,
    Quoted,
    /// Behind a quote that ends the quotes, or is the first half of a quote in them.
    Quote,
}

/// Where the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    LineStart,
    /// At the start of a line, behind a `\r` that ended the line before; a `\n` here belongs to it.
    AfterReturn,
    InLine,
}

impl Cutter {
    pub(super) fn new(delimiter: u8) -> Self {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
        // The parser looks for a byte order mark of its own in the first slice it is given, and whether it finds one there
        // would depend on the chunks. A line end that it passes over ends that search.
        reader.read_field(b"\n", &mut [0]);
        Self {
            reader,
            delimiter,
            buffer: vec![0; FIELD_BYTES + 1].into(),
            length: 0,
            too_long: false,
            mark: 0,
            place: Place::LineStart,
            passing: None,
            quotes: Quotes::Unknown,
        }
    }

    /// The next event in `input`, which is moved past what was used.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Event<'_> {
        if let Some(state) = self.passing {
            return if self.pass(state, input) { self.take(true) } else { Event::NeedInput };
        }
        self.pass_mark(input);
        while let Some(&byte) = input.first() {
            // The parser drops blank lines without a word; here they are told, because they can be rows.
            if self.place != Place::InLine && matches!(byte, b'\n' | b'\r') {
                *input = &input[1..];
                let second_half = self.place == Place::AfterReturn && byte == b'\n';
                self.place = Place::behind(byte);
                if second_half {
                    continue;
                }
                return Event::BlankLine;
            }
            if let Some(last) = self.read(input) {
                return self.take(last);
            }
        }
        Event::NeedInput
    }

    /// The last field, if the stream ends inside a line; to be called once, after the last chunk.
    pub(super) fn finish(&mut self) -> Event<'_> {
        self.replay_mark();
        if self.place != Place::InLine {
            return Event::NeedInput;
        }
        self.passing = None;
        // An empty slice tells the parser that the stream is over.
        self.reader.read_field(&[], &mut self.buffer);
        self.take(true)
    }

    /// Moves `input` past a byte order mark at the start of the stream.
    fn pass_mark(&mut self, input: &mut &[u8]) {
        while self.mark < BYTE_ORDER_MARK.len() {
            let Some(&byte) = input.first() else { return };
            if byte != BYTE_ORDER_MARK[self.mark] {
                return self.replay_mark();
            }
            *input = &input[1..];
            self.mark += 1;
        }
    }

    /// What looked like a byte order mark was the beginning of a field.
    fn replay_mark(&mut self) {
        if self.mark < BYTE_ORDER_MARK.len() {
            let mut beginning = &BYTE_ORDER_MARK[..self.mark];
            self.mark = BYTE_ORDER_MARK.len();
            while !beginning.is_empty() {
                self.read(&mut beginning);
            }
        }
    }

    /// Hands `input`, which is not empty, to the parser; tells whether a field ended, and whether its line did.
    fn read(&mut self, input: &mut &[u8]) -> Option<bool> {
        if self.length == self.buffer.len() {
            self.too_long = true;
            self.length = 0;
        }
        let mut stays = false;
        if self.too_long {
            // None of its bytes is kept, so those that do not move the parser need not be parsed. A gibibyte in quotes
            // passes in a moment.
            let in_quotes = self.in_quotes();
            (*input, stays) = pass_field(input, in_quotes, self.delimiter);
        }
        let (result, used, written) = self.reader.read_field(input, &mut self.buffer[self.length..]);
        let last_byte = input[..used].last().copied();
        self.quotes = match last_byte {
            _ if stays => Quotes::Inside,
            Some(b'"') => Quotes::AtOne,
            _ => Quotes::Unknown,
        };
        self.place = Place::InLine;
        self.length += written;
        *input = &input[used..];
        match result {
            ReadFieldResult::Field { record_end: true } => {
                self.place = last_byte.map_or(Place::LineStart, Place::behind);
                Some(true)
            }
            ReadFieldResult::Field { record_end: false } => Some(false),
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull | ReadFieldResult::End => None,
        }
    }

    /// Whether the parser is inside quotes, as far as can be told.
    fn in_quotes(&mut self) -> bool {
        match self.quotes {
            Quotes::Inside => true,
            // The next byte decides.
            Quotes::AtOne => false,
            Quotes::Unknown => {
                // Outside a quote is a byte like others, inside two are. (A clone of the parser could not be asked: it does
                // not keep its tables.)
                let (_, _, written) = self.reader.read_field(b"\"", &mut [0; 2]);
                if written == 0 {
                    self.reader.read_field(b"\"", &mut [0; 2]);
                }
                written == 0
            }
        }
    }

    /// Passes over the rest of the line, of which nothing is wanted; the next event is its last field.
    ///
    /// To be called between two fields of a line.
    pub(super) fn pass_line(&mut self) {
        debug_assert!(self.place == Place::InLine && self.length == 0);
        self.passing = Some(Passing::FieldStart);
    }

    /// Goes on passing over a line; tells whether its end was met.
    fn pass(&mut self, mut state: Passing, input: &mut &[u8]) -> bool {
        for (index, &byte) in input.iter().enumerate() {
            state = match (state, byte) {
                (Passing::Quoted, b'"') => Passing::Quote,
                (Passing::Quoted, _) | (Passing::Quote | Passing::FieldStart, b'"') => Passing::Quoted,
                (_, b'\n' | b'\r') => {
                    *input = &input[index + 1..];
                    self.passing = None;
                    self.place = Place::behind(byte);
                    // The parser waits for a field of this line.
                    self.reader.read_field(b"\n", &mut [0]);
                    return true;
                }
                (_, byte) if byte == self.delimiter => Passing::FieldStart,
                _ => Passing::Field,
            };
        }
        *input = &[];
        self.passing = Some(state);
        false
    }

    fn take(&mut self, last: bool) -> Event<'_> {
        let (length, too_long) = (self.length, self.too_long || self.length > FIELD_BYTES);
        (self.length, self.too_long) = (0, false);
        Event::Field { value: (!too_long).then_some(&self.buffer[..length]), last }
    }
}

/// What is left of `input` without bytes at its start that leave the parser where it is, inside a field. Something is left.
/// Tells also whether the parser will still be inside quotes behind it.
///
/// Inside quotes these are all but quotes, and pairs of quotes. Outside they are all but quotes, delimiters and line ends,
/// and of several in a row the last stays: the parser may be behind a closing quote, which the first of them leaves.
fn pass_field(input: &[u8], in_quotes: bool, delimiter: u8) -> (&[u8], bool) {
    if !in_quotes {
        let passed = run(input, |byte| !matches!(byte, b'"' | b'\n' | b'\r') && byte != delimiter);
        return (&input[passed.saturating_sub(1)..], false);
    }
    let mut at = 0;
    loop {
        at += run(&input[at..], |byte| byte != b'"');
        match input[at..] {
            [] => return (&input[at - 1..], true),
            [b'"', b'"'] => return (&input[at..], true),
            [b'"', b'"', ..] => at += 2,
            _ => return (&input[at..], false),
        }
    }
}

/// How many bytes at the start of `input` are as wanted.
fn run(input: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    if input.first().is_none_or(|first| !wanted(*first)) {
        return 0;
    }
    // Without an early end the loop over a block becomes a few wide instructions.
    let blocks = input.chunks_exact(64);
    let whole = blocks.take_while(|block| block.iter().fold(true, |all, byte| all & wanted(*byte))).count() * 64;
    whole + input[whole..].iter().take_while(|byte| wanted(**byte)).count()
}

impl Place {
    /// The place behind a byte that ended a line.
    fn behind(byte: u8) -> Self {
        if byte == b'\r' { Self::AfterReturn } else { Self::LineStart }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of fields; `None` is a field that was too long, an empty line is a blank one.
    type Lines = Vec<Vec<Option<Vec<u8>>>>;

    fn cut(bytes: &[u8], chunk: usize) -> Lines {
        let mut cutter = Cutter::new(b',');
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
        keep(cutter.finish());
        assert!(line.is_empty());
        lines
    }

    fn text(lines: &[&[&str]]) -> Lines {
        lines.iter().map(|line| line.iter().map(|field| Some(field.as_bytes().to_vec())).collect()).collect()
    }

    /// Every way to be awkward, with the lines it must give.
    fn awkward() -> Vec<(&'static [u8], Lines)> {
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
            (b"\"a,\r\n\n\"\"b\",c\r\nd", text(&[&["a,\r\n\n\"b", "c"], &["d"]])),
            (b"\"a\r\",b\r\n", text(&[&["a\r", "b"]])),
            (b"\"never closed,\n\n1,2\n", text(&[&["never closed,\n\n1,2\n"]])),
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
        for (bytes, lines) in awkward() {
            for chunk in [1, 2, 3, 7, 4096] {
                assert_eq!(cut(bytes, chunk), lines, "{} in chunks of {chunk}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn what_is_passed_over_in_a_long_field_is_not_lost_from_the_lines() {
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
                let lines = cut(bytes.as_bytes(), chunk);
                assert_eq!(lines[0][..2], [Some(b"x".to_vec()), None]);
                let fields = if field.ends_with(",\"\"") { 4 } else { 3 };
                assert_eq!((lines.len(), lines[0].len()), if ends { (2, fields) } else { (1, 2) });
            }
        }
    }

    #[test]
    fn a_line_that_is_passed_over_ends_where_it_would_have_ended() {
        // As many lines, and the same first fields, as if every field were cut.
        for (bytes, lines) in awkward() {
            for chunk in [1, 2, 3, 7, 4096] {
                let mut cutter = Cutter::new(b',');
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
                    loop {
                        let event = cutter.next(&mut input);
                        if event == Event::NeedInput {
                            break;
                        }
                        if keep(&event) {
                            cutter.pass_line();
                        }
                    }
                }
                keep(&cutter.finish());
                let expected: Vec<_> = lines.iter().map(|line| line.first().cloned().flatten()).collect();
                assert_eq!(first_fields, expected, "{} in chunks of {chunk}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn a_field_of_the_greatest_length_is_held_and_a_longer_one_is_not() {
        for quote in ["", "\""] {
            for (length, held) in
                [(FIELD_BYTES - 1, true), (FIELD_BYTES, true), (FIELD_BYTES + 1, false), (3 * FIELD_BYTES, false)]
            {
                let bytes = format!("x,{quote}{}{quote},y\nz\n", "a".repeat(length));
                let lines = cut(bytes.as_bytes(), 4096);
                assert_eq!(lines.len(), 2);
                assert_eq!(lines[0][1].as_ref().map(Vec::len), held.then_some(length));
                assert_eq!((&lines[0][0], &lines[0][2]), (&Some(b"x".to_vec()), &Some(b"y".to_vec())));
                assert_eq!(lines[1], [Some(b"z".to_vec())]);
            }
        }
    }
}
