//! Splits records whose quoted fields may span lines, with the parser `csv-core`.
//!
//! A quote that is never closed extends to the end of the file. This is correct for files of a
//! writer that closes every quote, which the owner of the table declares.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use scumble_schema::limits::FIELD_BYTES;

use super::TextLayout;
use super::cut::{BYTE_ORDER_MARK, Event, run};

/// The state between two chunks.
#[derive(Debug)]
pub(super) struct RecordCutter {
    reader: Reader,
    delimiter: u8,
    quote: u8,
    comment: Option<u8>,
    /// One byte more than a field may have, so that a full buffer means that the field is too long.
    buffer: Box<[u8]>,
    length: usize,
    too_long: bool,
    /// Bytes of a byte order mark seen so far; all of them after the first other byte.
    mark: usize,
    place: Place,
    /// Set while the rest of a line is skipped.
    skipping: Option<Skipping>,
    /// Whether a comment line is being skipped; `place` stays at the start of a line meanwhile.
    in_comment: bool,
    quotes: Quotes,
    is_over: bool,
}

/// Quote state of the field that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// The next byte is inside quotes.
    Inside,
    /// The previous byte was a quote.
    AtOne,
    Unknown,
}

/// Position of the next byte in a line that is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipping {
    FieldStart,
    Field,
    Quoted,
    /// After a quote that closes the field, or is the first of a pair.
    Quote,
}

/// Position of the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    LineStart,
    /// At the start of a line, after a `\r` that ended the previous one; a `\n` here belongs to it.
    AfterReturn,
    InLine,
}

impl RecordCutter {
    pub(super) fn new(layout: TextLayout) -> Self {
        let TextLayout { delimiter, quote, comment, .. } = layout;
        let mut reader = ReaderBuilder::new().delimiter(delimiter).quote(quote).build();
        // The parser looks for a byte order mark in the first slice it is given, so the result
        // would depend on the chunks. Skipping a line end disables that search.
        reader.read_field(b"\n", &mut [0]);
        Self {
            reader,
            delimiter,
            quote,
            comment,
            buffer: vec![0; FIELD_BYTES + 1].into(),
            length: 0,
            too_long: false,
            mark: 0,
            place: Place::LineStart,
            skipping: None,
            in_comment: false,
            quotes: Quotes::Unknown,
            is_over: false,
        }
    }

    /// Returns the next event, and advances `input` past the consumed bytes.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Event<'_> {
        if self.is_over {
            return self.last();
        }
        if let Some(state) = self.skipping {
            return if self.skip(state, input) { self.take(true) } else { Event::NeedInput };
        }
        self.skip_mark(input);
        while let Some(&byte) = input.first() {
            let begins_comment = self.place != Place::InLine && Some(byte) == self.comment;
            if self.in_comment || begins_comment {
                self.skip_comment(input);
                continue;
            }
            // The parser drops blank lines silently; here each is an event, because it can be a
            // row.
            if self.place != Place::InLine && matches!(byte, b'\n' | b'\r') {
                *input = &input[1..];
                let second_half = self.place == Place::AfterReturn && byte == b'\n';
                self.place = Place::after(byte);
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

    /// Advances `input` past a comment line, or as much of it as is in `input`.
    fn skip_comment(&mut self, input: &mut &[u8]) {
        let length = run(input, |byte| !matches!(byte, b'\n' | b'\r'));
        self.in_comment = length == input.len();
        self.place = input.get(length).map_or(Place::LineStart, |byte| Place::after(*byte));
        *input = &input[(length + 1).min(input.len())..];
    }

    /// Marks the end of the stream. Remaining events follow from calls without input.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns the last field, if the stream ends inside a line.
    fn last(&mut self) -> Event<'_> {
        self.replay_mark();
        if self.place != Place::InLine {
            return Event::NeedInput;
        }
        (self.skipping, self.place) = (None, Place::LineStart);
        // The parser takes an empty slice as the end of the stream.
        self.reader.read_field(&[], &mut self.buffer);
        self.take(true)
    }

    /// Advances `input` past a byte order mark at the start of the stream.
    fn skip_mark(&mut self, input: &mut &[u8]) {
        while self.mark < BYTE_ORDER_MARK.len() {
            let Some(&byte) = input.first() else { return };
            if byte != BYTE_ORDER_MARK[self.mark] {
                return self.replay_mark();
            }
            *input = &input[1..];
            self.mark += 1;
        }
    }

    /// Passes a partial byte order mark to the parser as the start of a field.
    fn replay_mark(&mut self) {
        if self.mark < BYTE_ORDER_MARK.len() {
            let mut beginning = &BYTE_ORDER_MARK[..self.mark];
            self.mark = BYTE_ORDER_MARK.len();
            while !beginning.is_empty() {
                self.read(&mut beginning);
            }
        }
    }

    /// Passes `input`, which is not empty, to the parser; returns whether a field ended, and
    /// whether its line did.
    fn read(&mut self, input: &mut &[u8]) -> Option<bool> {
        if self.length == self.buffer.len() {
            self.too_long = true;
            self.length = 0;
        }
        let mut stays = false;
        if self.too_long {
            // None of the field's bytes are kept, so bytes that do not change the parser's state
            // are skipped. This makes a gibibyte in quotes fast.
            let in_quotes = self.in_quotes();
            (*input, stays) = skip_field(input, in_quotes, self.delimiter, self.quote);
        }
        let (result, used, written) = self.reader.read_field(input, &mut self.buffer[self.length..]);
        let last_byte = input[..used].last().copied();
        self.quotes = match last_byte {
            _ if stays => Quotes::Inside,
            Some(byte) if byte == self.quote => Quotes::AtOne,
            _ => Quotes::Unknown,
        };
        self.place = Place::InLine;
        self.length += written;
        *input = &input[used..];
        match result {
            ReadFieldResult::Field { record_end: true } => {
                self.place = last_byte.map_or(Place::LineStart, Place::after);
                Some(true)
            }
            ReadFieldResult::Field { record_end: false } => Some(false),
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull | ReadFieldResult::End => None,
        }
    }

    /// Whether the parser is inside quotes, as far as is known.
    fn in_quotes(&mut self) -> bool {
        match self.quotes {
            Quotes::Inside => true,
            // The next byte decides.
            Quotes::AtOne => false,
            Quotes::Unknown => {
                // Outside quotes, a quote is an ordinary byte; inside, two are. (Cloning the parser
                // is not an option: a clone loses its tables.)
                let (_, _, written) = self.reader.read_field(&[self.quote], &mut [0; 2]);
                if written == 0 {
                    self.reader.read_field(&[self.quote], &mut [0; 2]);
                }
                written == 0
            }
        }
    }

    /// Skips the rest of the line; the next event is its last field.
    ///
    /// Must be called between two fields of a line.
    pub(super) fn skip_line(&mut self) {
        debug_assert!(self.place == Place::InLine && self.length == 0);
        self.skipping = Some(Skipping::FieldStart);
    }

    /// Continues to skip a line; returns whether its end was reached.
    fn skip(&mut self, mut state: Skipping, input: &mut &[u8]) -> bool {
        for (index, &byte) in input.iter().enumerate() {
            let is_quote = byte == self.quote;
            state = match (state, byte) {
                (Skipping::Quoted, _) if is_quote => Skipping::Quote,
                (Skipping::Quoted, _) => Skipping::Quoted,
                (Skipping::Quote | Skipping::FieldStart, _) if is_quote => Skipping::Quoted,
                (_, b'\n' | b'\r') => {
                    *input = &input[index + 1..];
                    self.skipping = None;
                    self.place = Place::after(byte);
                    // The parser still expects a field of this line.
                    self.reader.read_field(b"\n", &mut [0]);
                    return true;
                }
                (_, byte) if byte == self.delimiter => Skipping::FieldStart,
                _ => Skipping::Field,
            };
        }
        *input = &[];
        self.skipping = Some(state);
        false
    }

    fn take(&mut self, last: bool) -> Event<'_> {
        let (length, too_long) = (self.length, self.too_long || self.length > FIELD_BYTES);
        (self.length, self.too_long) = (0, false);
        Event::Field { value: (!too_long).then_some(&self.buffer[..length]), last }
    }
}

/// Strips leading bytes of `input` that do not change the parser's state inside a field; at least
/// one byte remains. Also returns whether the parser is still inside quotes after them.
///
/// Inside quotes these are all bytes but quotes, and pairs of quotes. Outside they are all bytes
/// but quotes, delimiters and line ends; the last of several is kept, because the parser may be
/// just after a closing quote, and the first such byte changes that state.
fn skip_field(input: &[u8], in_quotes: bool, delimiter: u8, quote: u8) -> (&[u8], bool) {
    if !in_quotes {
        let skipped = run(input, |byte| !matches!(byte, b'\n' | b'\r') && byte != quote && byte != delimiter);
        return (&input[skipped.saturating_sub(1)..], false);
    }
    let mut at = 0;
    loop {
        at += run(&input[at..], |byte| byte != quote);
        match input[at..] {
            [] => return (&input[at - 1..], true),
            [_, second] if second == quote => return (&input[at..], true),
            [_, second, ..] if second == quote => at += 2,
            _ => return (&input[at..], false),
        }
    }
}

impl Place {
    /// The place after a byte that ended a line.
    fn after(byte: u8) -> Self {
        if byte == b'\r' { Self::AfterReturn } else { Self::LineStart }
    }
}
