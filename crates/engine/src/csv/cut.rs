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
    /// One byte more than a field may have, so that a full buffer means a field that is too long.
    buffer: Box<[u8]>,
    length: usize,
    too_long: bool,
    /// How many bytes of a byte order mark have been met; all of them once the first other byte has come.
    mark: usize,
    place: Place,
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
            buffer: vec![0; FIELD_BYTES + 1].into(),
            length: 0,
            too_long: false,
            mark: 0,
            place: Place::LineStart,
        }
    }

    /// The next event in `input`, which is moved past what was used.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Event<'_> {
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
        let (result, used, written) = self.reader.read_field(input, &mut self.buffer[self.length..]);
        let last_byte = input[..used].last().copied();
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

    fn take(&mut self, last: bool) -> Event<'_> {
        let (length, too_long) = (self.length, self.too_long || self.length > FIELD_BYTES);
        (self.length, self.too_long) = (0, false);
        Event::Field { value: (!too_long).then_some(&self.buffer[..length]), last }
    }
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
