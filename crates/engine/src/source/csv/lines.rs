//! Splits lines into fields, where each line is a record.
//!
//! A line is split when its end is known, so that a quote is interpreted within its whole line. The
//! only state between lines is whether a `\r` ended the last one: a following `\n` belongs to the
//! same line end.

use scumble_schema::limits::FIELD_BYTES;

use super::cut::{BYTE_ORDER_MARK, Event, run};
use super::{MAX_LINE_BYTES, TextLayout};

/// Buffer capacity that is kept for the next line that spans chunks.
const KEPT_BYTES: usize = 1 << 20;

/// The state between two chunks.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the stream")]
pub(super) struct LineCutter {
    delimiter: u8,
    quote: u8,
    comment: Option<u8>,
    /// The start of a line whose end has not been read, or a line that spans chunks.
    held: Vec<u8>,
    /// A value without its quotes, or the current part of a field of an overlong line.
    value: Vec<u8>,
    state: State,
    is_first_line: bool,
    /// Whether a `\r` ended the previous line.
    after_return: bool,
    /// Whether the rest of the line is skipped.
    skipping: bool,
    /// Whether the line is a comment.
    is_comment: bool,
    is_over: bool,
    /// Whether the line in `held` was split completely.
    is_cut: bool,
    longest: u64,
}

/// Location of the line that is being split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its end has not been read.
    Open,
    /// At the start of the input, with `left` bytes before its end.
    InChunk { left: usize },
    /// In `held`, from `at` on.
    Held { at: usize },
    /// In `held` from `at` on and then in the input, up to an end that may be far away.
    Overlong { at: usize, length: u64, in_field: bool },
}

/// Result of the search for a line.
enum Found {
    Line,
    Blank,
    Nothing,
}

impl LineCutter {
    pub(super) fn new(layout: TextLayout) -> Self {
        Self {
            delimiter: layout.delimiter,
            quote: layout.quote,
            comment: layout.comment,
            held: vec![],
            value: vec![],
            state: State::Open,
            is_first_line: true,
            after_return: false,
            skipping: false,
            is_comment: false,
            is_over: false,
            is_cut: false,
            longest: 0,
        }
    }

    /// Returns the next event, and advances `input` past the consumed bytes. Until the next
    /// [`Event::NeedInput`], the caller must pass the same input.
    pub(super) fn next<'e, 's: 'e, 'i: 'e>(&'s mut self, input: &mut &'i [u8]) -> Event<'e> {
        loop {
            if self.state == State::Open {
                match self.find_line(input) {
                    Found::Line => self.is_comment = self.begins_comment(input),
                    Found::Blank => return Event::BlankLine,
                    Found::Nothing => return Event::NeedInput,
                }
            }
            if !self.is_comment {
                break;
            }
            if !self.skip_comment(input) {
                return Event::NeedInput;
            }
        }
        match self.state {
            State::Open => Event::NeedInput,
            State::InChunk { left } => {
                let line: &'i [u8] = &input[..left];
                let field = self.next_field(line);
                *input = &input[field.end..];
                if field.end < left {
                    *input = &input[1..];
                    self.state = State::InChunk { left: left - field.end - 1 };
                } else {
                    self.skip_line_end(input);
                    self.close_line();
                }
                Event::Field { value: field.value(line, self.quote, &mut self.value), last: field.end == left }
            }
            State::Held { at } => {
                let field = self.next_field(&self.held[at..]);
                let last = at + field.end == self.held.len();
                if last {
                    self.close_line();
                } else {
                    self.state = State::Held { at: at + field.end + 1 };
                }
                Event::Field { value: field.value(&self.held[at..], self.quote, &mut self.value), last }
            }
            State::Overlong { .. } => self.next_of_overlong(input),
        }
    }

    /// Whether the line that was found is a comment.
    fn begins_comment(&self, input: &[u8]) -> bool {
        let first = match self.state {
            State::Open => None,
            State::InChunk { .. } => input.first(),
            State::Held { at } => self.held.get(at),
            State::Overlong { at, .. } => self.held.get(at).or(input.first()),
        };
        self.comment.is_some() && first.copied() == self.comment
    }

    /// Skips a comment line, or as much of it as is in `input`; returns whether its end was
    /// reached.
    fn skip_comment(&mut self, input: &mut &[u8]) -> bool {
        match self.state {
            State::InChunk { left } => {
                *input = &input[left..];
                self.skip_line_end(input);
                self.close_line();
            }
            State::Open | State::Held { .. } => self.close_line(),
            State::Overlong { .. } => {
                self.skipping = true;
                return self.next_of_overlong(input) != Event::NeedInput;
            }
        }
        true
    }

    /// Marks the end of the stream; a line without a line end is a line.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Skips the rest of the line; the next event is its last field.
    pub(super) fn skip_line(&mut self) {
        debug_assert!(self.state != State::Open, "between two fields");
        self.skipping = true;
    }

    /// Bytes of the longest line that was too long to hold.
    pub(super) fn overlong_bytes(&self) -> u64 {
        match self.state {
            State::Overlong { length, .. } => self.longest.max(length),
            _ => self.longest,
        }
    }

    /// Searches for the end of the line that begins in `held`, or in `input` if nothing is held.
    fn find_line(&mut self, input: &mut &[u8]) -> Found {
        if self.is_cut {
            // A value of the previous line may have been borrowed from it until now.
            self.held.clear();
            self.held.shrink_to(KEPT_BYTES);
            self.is_cut = false;
        }
        if self.after_return && !input.is_empty() {
            self.after_return = false;
            if input[0] == b'\n' {
                *input = &input[1..];
            }
        }
        let length = run(input, |byte| !matches!(byte, b'\n' | b'\r'));
        if self.held.len() + length > MAX_LINE_BYTES {
            let at = self.mark_of(&self.held);
            if self.held.is_empty() {
                *input = &input[self.mark_of(input)..];
            }
            self.state = State::Overlong { at, length: 0, in_field: false };
            return Found::Line;
        }
        let has_end = length < input.len();
        if self.held.is_empty() && has_end {
            let mark = self.mark_of(&input[..length]);
            *input = &input[mark..];
            self.state = State::InChunk { left: length - mark };
        } else {
            self.held.extend_from_slice(&input[..length]);
            *input = &input[length..];
            if !has_end && (!self.is_over || self.held.is_empty()) {
                return Found::Nothing;
            }
            let at = self.mark_of(&self.held);
            if !has_end && at == self.held.len() {
                self.close_line();
                return Found::Nothing;
            }
            self.skip_line_end(input);
            self.state = State::Held { at };
        }
        match self.state {
            State::InChunk { left: 0 } => self.skip_line_end(input),
            State::Held { at } if at == self.held.len() => {}
            _ => return Found::Line,
        }
        self.close_line();
        Found::Blank
    }

    /// Length of a byte order mark at the start of the stream.
    fn mark_of(&self, line: &[u8]) -> usize {
        if self.is_first_line && line.starts_with(&BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// Advances `input` past a line end at its start, if there is one.
    fn skip_line_end(&mut self, input: &mut &[u8]) {
        if let Some((byte, rest)) = input.split_first() {
            self.after_return = *byte == b'\r';
            *input = rest;
        }
    }

    fn close_line(&mut self) {
        self.state = State::Open;
        (self.is_cut, self.is_first_line, self.skipping) = (true, false, false);
    }

    /// Returns the next field of the rest of a line, or the whole rest if it is skipped.
    fn next_field(&self, line: &[u8]) -> Cut {
        if self.skipping { Cut { close: None, end: line.len() } } else { Cut::first(line, self.delimiter, self.quote) }
    }

    /// Returns the next field of a line that is too long to hold. Its quotes are text, and its
    /// fields end at delimiters.
    fn next_of_overlong<'e, 's: 'e, 'i: 'e>(&'s mut self, input: &mut &'i [u8]) -> Event<'e> {
        let State::Overlong { mut at, mut length, in_field } = self.state else { return Event::NeedInput };
        if !in_field {
            self.value.clear();
        }
        let (delimiter, skipping) = (self.delimiter, self.skipping);
        let last = loop {
            let is_held = at < self.held.len();
            let source = if is_held { &self.held[at..] } else { *input };
            if source.is_empty() && !self.is_over {
                // The held bytes are consumed.
                self.held = vec![];
                self.state = State::Overlong { at: 0, length, in_field: true };
                return Event::NeedInput;
            }
            let used = run(source, |byte| !matches!(byte, b'\n' | b'\r') && (skipping || byte != delimiter));
            if !skipping {
                // One byte more than a field may have, which marks it as too long.
                let room = (FIELD_BYTES + 1).saturating_sub(self.value.len());
                self.value.extend_from_slice(&source[..used.min(room)]);
            }
            let end = source.get(used).copied();
            let is_delimiter = end == Some(delimiter);
            let moved = used + usize::from(is_delimiter);
            length += moved as u64;
            if is_held {
                at += moved;
            } else {
                *input = &input[moved..];
            }
            if is_delimiter {
                break false;
            }
            // No held byte ends a line.
            if end.is_some() || source.is_empty() {
                break true;
            }
        };
        if last {
            self.longest = self.longest.max(length);
            self.skip_line_end(input);
            self.close_line();
        } else {
            self.state = State::Overlong { at, length, in_field: false };
        }
        let value = if skipping { &[][..] } else { &self.value[..] };
        Event::Field { value: Some(value).filter(|value| value.len() <= FIELD_BYTES), last }
    }
}

/// A field of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    /// Position of its closing quote, if it begins with a quote that closes.
    close: Option<usize>,
    /// Position of the delimiter after it, or of the end of the line.
    end: usize,
}

impl Cut {
    /// Returns the first field of `line`, which is the rest of a complete line.
    ///
    /// At most one search for a closing quote per line fails: if a quote does not close, all later
    /// quotes come in pairs, and a field that begins with a pair closes immediately. So a line is
    /// scanned at most twice.
    fn first(line: &[u8], delimiter: u8, quote: u8) -> Self {
        let close = closing_quote(line, quote);
        let after = close.map_or(0, |close| close + 1);
        let length = line[after..].iter().position(|byte| *byte == delimiter);
        Self { close, end: length.map_or(line.len(), |length| after + length) }
    }

    /// Returns the value in `line`, without its quotes; `None` if it is too long.
    fn value<'e>(self, line: &'e [u8], quote: u8, buffer: &'e mut Vec<u8>) -> Option<&'e [u8]> {
        let value = match self.close {
            None => &line[..self.end],
            Some(close) => {
                let (quoted, after) = (&line[1..close], &line[close + 1..self.end]);
                if after.is_empty() && !quoted.contains(&quote) {
                    quoted
                } else {
                    buffer.clear();
                    let mut rest = quoted;
                    while let Some(first) = rest.iter().position(|byte| *byte == quote) {
                        // A pair of quotes stands for one.
                        buffer.extend_from_slice(&rest[..=first]);
                        rest = &rest[first + 2..];
                    }
                    buffer.extend_from_slice(rest);
                    buffer.extend_from_slice(after);
                    buffer
                }
            }
        };
        (value.len() <= FIELD_BYTES).then_some(value)
    }
}

/// Position of the quote that closes the one at the start of `line`: the first that is not part of
/// a pair.
fn closing_quote(line: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    if line.first() != Some(&quote) {
        return None;
    }
    loop {
        at += line.get(at..)?.iter().position(|byte| *byte == quote)?;
        if line.get(at + 1) != Some(&quote) {
            return Some(at);
        }
        at += 2;
    }
}
