//! Checks that every number on a page is computed, or listed as no fact.

use std::ops::Range;

/// Words that a page must contain.
pub(crate) enum Entry {
    /// A sentence, or a row of a table, whose numbers were computed.
    Computed(String),
    /// Words with numbers that are not about a guarantee, and what they are.
    NoFact(&'static str, &'static str),
}

impl Entry {
    fn words(&self) -> &str {
        match self {
            Self::Computed(words) => words,
            Self::NoFact(words, _) => words,
        }
    }
}

/// Returns the visible text of a Markdown page in one line: without comments, link addresses and
/// code. Blocks of `text` are kept: they are formulas and output of commands.
pub(crate) fn visible(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some(start) = rest.find("<!--") {
        text.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    text.push_str(rest);
    let (mut kept, mut shown, mut fenced) = (Vec::new(), true, false);
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            (shown, fenced) = (fenced || language == "text", !fenced);
        } else if shown {
            kept.push(line);
        }
    }
    let words = kept.join("\n").split_whitespace().collect::<Vec<_>>().join(" ");
    without_addresses(&words)
}

/// Replaces `[words](address)` by `words`.
fn without_addresses(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(close) = rest.find("](") {
        let (before, address) = rest.split_at(close);
        let open = before.rfind('[').expect("a link opens before it closes");
        kept.push_str(&before[..open]);
        kept.push_str(&before[open + 1..]);
        rest = address.find(')').map_or("", |end| &address[end + 1..]);
    }
    kept + rest
}

/// Returns the faults of a page: missing entries, and numbers that no entry covers.
pub(crate) fn faults(text: &str, entries: &[Entry]) -> Vec<String> {
    let (mut faults, mut covered) = (missing(text, entries), Vec::new());
    for words in entries.iter().map(Entry::words) {
        covered.extend(text.match_indices(words).map(|(start, _)| start..start + words.len()));
    }
    for number in numbers(text) {
        if !covered.iter().any(|range| range.start <= number.start && number.end <= range.end) {
            let [start, end] = [number.start.saturating_sub(60), (number.end + 30).min(text.len())];
            let (start, end) = (text.floor_char_boundary(start), text.floor_char_boundary(end));
            faults.push(format!("nothing computes `{}` in `{}`", &text[number], &text[start..end]));
        }
    }
    faults
}

/// Returns the entries that are missing on a page.
pub(crate) fn missing(text: &str, entries: &[Entry]) -> Vec<String> {
    let missing = entries.iter().filter(|entry| !text.contains(entry.words()));
    let fault = |entry: &Entry| match entry {
        Entry::Computed(words) => format!("computed, and not on the page: `{words}`"),
        Entry::NoFact(words, reason) => format!("listed as {reason}, and not on the page: `{words}`"),
    };
    missing.map(fault).collect()
}

/// Returns the positions of numbers. A digit within a word, as in `UTF-8` or `mu1`, is not a
/// number.
pub(crate) fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or(b' ');
    let mut found = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        if !at(place).is_ascii_digit() {
            place += 1;
            continue;
        }
        let start = place;
        loop {
            let next = at(place + 1).is_ascii_digit();
            let joined = matches!(at(place), b'.' | b',') && next;
            let power = at(place) == b'e' && (next || at(place + 1) == b'-' && at(place + 2).is_ascii_digit());
            if at(place).is_ascii_digit() || joined {
                place += 1;
            } else if power {
                place += 2;
            } else {
                break;
            }
        }
        let before = |back: usize| start.checked_sub(back).map_or(b' ', at);
        let in_a_word = before(1).is_ascii_alphabetic() || before(1) == b'-' && before(2).is_ascii_alphabetic();
        if !in_a_word {
            found.push(start..place);
        }
    }
    found
}
