//! The subset of XML that workbooks need.

use std::borrow::Cow;
use std::io::{self, BufRead};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart};

/// Creates a reader that does not check end tags: their names are enough.
pub(super) fn reader<R: BufRead>(bytes: R) -> Reader<R> {
    let mut reader = Reader::from_reader(bytes);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    config.expand_empty_elements = true;
    reader
}

/// Converts an error of the markup or of the underlying reader.
pub(super) fn failed(error: quick_xml::Error) -> io::Error {
    match error {
        quick_xml::Error::Io(error) => error.kind().into(),
        _ => io::ErrorKind::InvalidData.into(),
    }
}

/// Returns the value of an attribute, by its name without prefix.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let found =
        attributes.with_checks(false).flatten().find(|found| found.key.local_name().as_ref() == name.as_bytes())?;
    let text = String::from_utf8_lossy(&found.value);
    Some(quick_xml::escape::unescape(&text).map_or_else(|_| text.to_string(), Cow::into_owned))
}

/// Appends the text of the reference `&name;`; an unknown reference stands for itself.
pub(super) fn push_reference(reference: &BytesRef<'_>, text: &mut Vec<u8>) {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    match &**reference {
        b"lt" => text.push(b'<'),
        b"gt" => text.push(b'>'),
        b"amp" => text.push(b'&'),
        b"apos" => text.push(b'\''),
        b"quot" => text.push(b'"'),
        unknown => {
            text.push(b'&');
            text.extend_from_slice(unknown);
            text.push(b';');
        }
    }
}
