//! Model files as text, so that their parts can be changed one by one.
//!
//! ```text
//! version
//! header      as JSON, like the next two
//! schema
//! origin
//! numbers of the origin          separated by blanks; those with a point are floats
//! numbers of the distribution
//! ```

use sha2::{Digest, Sha256};

/// The first bytes of a model file.
pub(crate) const MAGIC: &[u8; 8] = b"SCUMBLE\n";
const HASH_BYTES: usize = 32;

/// Returns the model file that a text describes, with a right checksum. Every text describes one.
pub fn file_of_text(text: &[u8]) -> Vec<u8> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let version = std::str::from_utf8(line()).ok().and_then(|text| text.parse().ok()).unwrap_or(0_u32);
    let sections = [line().to_vec(), line().to_vec(), line().to_vec(), numbers(line()), numbers(line())];
    let mut file = [MAGIC.as_slice(), &version.to_le_bytes()].concat();
    for section in sections {
        file.extend((section.len() as u64).to_le_bytes());
        file.extend(section);
    }
    with_hash(file)
}

/// Appends the checksum.
pub(crate) fn with_hash(mut content: Vec<u8>) -> Vec<u8> {
    let hash = Sha256::digest(&content);
    content.extend(hash);
    content
}

fn numbers(line: &[u8]) -> Vec<u8> {
    let words = line.split(|byte| *byte == b' ').filter_map(|word| std::str::from_utf8(word).ok());
    let number = |word: &str| match word.parse::<i64>() {
        Ok(whole) => Some(whole.to_le_bytes()),
        Err(_) => word.parse::<f64>().ok().map(f64::to_le_bytes),
    };
    words.filter_map(number).flatten().collect()
}

/// Returns the text of a sound model file.
///
/// # Panics
/// If it is none.
pub fn text_of_file(file: &[u8]) -> String {
    let version = u32::from_le_bytes(file[8..12].try_into().expect("four bytes"));
    let mut rest = &file[12..file.len() - HASH_BYTES];
    let mut section = || {
        let (length, after) = rest.split_first_chunk().expect("a section has a length");
        let (section, after) = after.split_at(usize::try_from(u64::from_le_bytes(*length)).expect("a short section"));
        rest = after;
        section
    };
    let json = [(); 3].map(|()| String::from_utf8(section().to_vec()).expect("JSON is text"));
    let words = |section: &[u8], is_float: bool| {
        let (numbers, _) = section.as_chunks();
        let word = |number: &[u8; 8]| {
            if is_float {
                format!("{:?}", f64::from_le_bytes(*number))
            } else {
                i64::from_le_bytes(*number).to_string()
            }
        };
        numbers.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    let is_external = json[2].starts_with("{\"elsewhere\"");
    let (of_origin, of_distribution) = (words(section(), is_external), words(section(), true));
    let [header, schema, origin] = json;
    [version.to_string(), header, schema, origin, of_origin, of_distribution].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_describes_the_file_that_it_was_made_of() {
        let text = "3\n{\"rows\":1}\n{}\n{\"measured\":1}\n-1 0 9223372036854775807\n0.5 1e-300 -0.0";
        assert_eq!(text_of_file(&file_of_text(text.as_bytes())), text);
        let external = "4\n{}\n{}\n{\"elsewhere\":1}\n12.0 -3.0\n1.0";
        assert_eq!(text_of_file(&file_of_text(external.as_bytes())), external);
    }
}
