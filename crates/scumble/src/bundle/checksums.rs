//! Checksums of files, in the format of `sha256sum`.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use scumble_vault::hex;
use sha2::{Digest, Sha256};

/// File that lists the checksums.
pub(super) const LIST: &str = "SHA256SUMS";
/// Separator between a checksum and the name of its file.
const BETWEEN: &str = "  ";
/// Number of digits of a checksum.
const DIGITS: usize = 64;

/// Length and checksum of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) bytes: u64,
    /// In lower-case hexadecimal digits.
    pub(super) sha256: String,
}

impl Sum {
    pub(super) fn of(content: &[u8]) -> Self {
        Self { bytes: content.len() as u64, sha256: hex(&Sha256::digest(content)) }
    }

    /// Computes the sum of a reader, in the memory of one buffer.
    pub(super) fn read(mut content: impl Read) -> io::Result<Self> {
        let mut summing = Summing::new(io::sink());
        io::copy(&mut content, &mut summing)?;
        Ok(summing.finish().1)
    }
}

/// Writer that passes bytes on and sums them.
pub(super) struct Summing<W> {
    inner: W,
    hasher: Sha256,
    bytes: u64,
}

impl<W> Summing<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new(), bytes: 0 }
    }

    pub(super) fn finish(self) -> (W, Sum) {
        (self.inner, Sum { bytes: self.bytes, sha256: hex(&self.hasher.finalize()) })
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns the list of these files, sorted by name.
pub(super) fn list<'a>(files: impl IntoIterator<Item = (&'a str, &'a Sum)>) -> String {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_unstable_by_key(|(name, _)| *name);
    files.into_iter().fold(String::new(), |mut text, (name, sum)| {
        writeln!(text, "{}{BETWEEN}{name}", sum.sha256).expect("writing to a string cannot fail");
        text
    })
}

/// Parses a list into checksums and names.
///
/// A list has one valid form, and any other is refused: `sha256sum` would ignore lines that it does
/// not understand.
///
/// # Errors
/// Returns the first problem, with its line.
pub(super) fn parse(text: &[u8]) -> Result<Vec<(&str, &str)>, String> {
    let text = std::str::from_utf8(text).map_err(|_| "is not text".to_owned())?;
    let body = text.strip_suffix('\n').ok_or("does not end with a line")?;
    let mut files: Vec<(&str, &str)> = Vec::new();
    for (line, place) in body.split('\n').zip(1..) {
        let (sum, rest) = line.split_at_checked(DIGITS).ok_or(format!("has no sum in line {place}"))?;
        let is_sum = sum.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let name = rest.strip_prefix(BETWEEN).filter(|_| is_sum).ok_or(format!("has no sum in line {place}"))?;
        if name.chars().any(char::is_control) {
            return Err(format!("has no name in line {place}"));
        }
        if files.last().is_some_and(|(before, _)| *before >= name) {
            return Err(format!("is not sorted by name in line {place}"));
        }
        files.push((name, sum));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_the_same_read_written_and_at_once() {
        // The example of FIPS 180-4.
        let sum = Sum::of(b"abc");
        assert_eq!(sum.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Sum::read(&b"abc"[..]).unwrap(), sum);
        let mut summing = Summing::new(Vec::new());
        summing.write_all(b"a").unwrap();
        summing.write_all(b"bc").unwrap();
        assert_eq!(summing.finish(), (b"abc".to_vec(), sum));
    }

    #[test]
    fn a_list_is_written_in_one_way() {
        let (first, second) = (Sum::of(b"1"), Sum::of(b"2"));
        let text = list([("b/c", &second), ("a", &first)]);
        assert_eq!(parse(text.as_bytes()).unwrap(), [("a", first.sha256.as_str()), ("b/c", second.sha256.as_str())]);
        for strange in [
            text.replace("  a", " *a"),
            text.to_ascii_uppercase(),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            text.clone() + "\n",
            text.lines().rev().fold(String::new(), |text, line| text + line + "\n"),
            text.clone() + &text,
            "# a remark\n".to_owned() + &text,
        ] {
            assert!(parse(strange.as_bytes()).is_err(), "{strange}");
        }
        assert!(parse(b"\xff\n").is_err());
    }
}
