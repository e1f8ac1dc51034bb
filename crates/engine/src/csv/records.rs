//! Records whose quoted fields may span lines, by the parser `csv-core`.
//!
//! A quote that is never closed reaches to the end of the file: this is right for files of a writer that closes every
//! quote, and the owner of the table declares that.

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
    /// One byte more than a field may have, so that a full buffer means a field that is too long.
    buffer: Box<[u8]>,
    length: usize,
    too_long: bool,
    /// How many bytes of a byte order mark have been met; all of them once the first other byte has come.
    mark: usize,
    place: Place,
    /// Set while the rest of a line is passed over.
    passing: Option<Passing>,
    /// Whether a line that is a comment is passed over; the place stays at the start of a line meanwhile.
    in_comment: bool,
    quotes: Quotes,
    is_over: bool,
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

impl RecordCutter {
    pub(super) fn new(layout: TextLayout) -> Self {
        let TextLayout { delimiter, quote, comment, .. } = layout;
        let mut reader = ReaderBuilder::new().delimiter(delimiter).quote(quote).build();
        // The parser looks for a byte order mark of its own in the first slice it is given, and whether it finds one there
        // would depend on the chunks. A line end that it passes over ends that search.
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
            passing: None,
            in_comment: false,
            quotes: Quotes::Unknown,
            is_over: false,
        }
    }

    /// The next event in `input`, which is moved past what was used.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Event<'_> {
        if self.is_over {
            return self.last();
        }
        if let Some(state) = self.passing {
            return if self.pass(state, input) { self.take(true) } else { Event::NeedInput };
        }
        self.pass_mark(input);
        while let Some(&byte) = input.first() {
            let begins_comment = self.place != Place::InLine && Some(byte) == self.comment;
            if self.in_comment || begins_comment {
                self.pass_comment(input);
                continue;
            }
            // The parser drops blank lines without a word; here each is an event, because it can be a row.
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

    /// Moves `input` past a line that is a comment, or past as much of it as has come.
    fn pass_comment(&mut self, input: &mut &[u8]) {
        let length = run(input, |byte| !matches!(byte, b'\n' | b'\r'));
        self.in_comment = length == input.len();
        self.place = input.get(length).map_or(Place::LineStart, |byte| Place::behind(*byte));
        *input = &input[(length + 1).min(input.len())..];
    }

    /// Takes the end of the stream. What is left comes with the next events, for which there is no input.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// The last field, if the stream ends inside a line.
    fn last(&mut self) -> Event<'_> {
        self.replay_mark();
        if self.place != Place::InLine {
            return Event::NeedInput;
        }
        (self.passing, self.place) = (None, Place::LineStart);
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
            (*input, stays) = pass_field(input, in_quotes, self.delimiter, self.quote);
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
                let (_, _, written) = self.reader.read_field(&[self.quote], &mut [0; 2]);
                if written == 0 {
                    self.reader.read_field(&[self.quote], &mut [0; 2]);
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
            let is_quote = byte == self.quote;
            state = match (state, byte) {
                (Passing::Quoted, _) if is_quote => Passing::Quote,
                (Passing::Quoted, _) => Passing::Quoted,
                (Passing::Quote | Passing::FieldStart, _) if is_quote => Passing::Quoted,
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
fn pass_field(input: &[u8], in_quotes: bool, delimiter: u8, quote: u8) -> (&[u8], bool) {
    if !in_quotes {
        let passed = run(input, |byte| !matches!(byte, b'\n' | b'\r') && byte != quote && byte != delimiter);
        return (&input[passed.saturating_sub(1)..], false);
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
    /// The place behind a byte that ended a line.
    fn behind(byte: u8) -> Self {
        if byte == b'\r' { Self::AfterReturn } else { Self::LineStart }
    }
}
