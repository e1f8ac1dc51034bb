//! The envelope of an SSH signature: what it was made for, and by which key.
//!
//! The format is that of `PROTOCOL.sshsig` of OpenSSH. `ssh-keygen` ignores what follows the last
//! line, spaces between the letters and a smaller version, so a changed byte could stay unseen.
//! Here an envelope has one valid form.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use sha2::{Digest, Sha256};

use super::NAMESPACE;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "-----END SSH SIGNATURE-----\n";
/// Number of letters of a line, as `ssh-keygen` writes it.
const LINE: usize = 70;
const MAGIC: &[u8] = b"SSHSIG";
const VERSION: [u8; 4] = [0, 0, 0, 1];
const HASHES: [&[u8]; 2] = [b"sha512", b"sha256"];

/// A signature in its one valid form. Whether it is a right one is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bundle) struct Envelope {
    text: Vec<u8>,
    /// Public key, as SSH encodes it.
    key: Vec<u8>,
}

impl Envelope {
    /// Parses a signature of this namespace.
    ///
    /// # Errors
    /// Returns the problem.
    pub(in crate::bundle) fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let written = std::str::from_utf8(text).map_err(|_| "is not text")?;
        let body = written.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
        let body = body.ok_or("is not an SSH signature")?;
        let blob = STANDARD.decode(body.replace('\n', "")).map_err(|_| "is not an SSH signature")?;
        if armoured(&blob) != written {
            return Err("is not written as `ssh-keygen` writes signatures");
        }
        let key = key_of(&blob)?;
        Ok(Self { text: text.to_vec(), key })
    }

    pub(in crate::bundle) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the fingerprint of the key, as `ssh-keygen -l` shows it.
    pub(in crate::bundle) fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD_NO_PAD.encode(Sha256::digest(&self.key)))
    }
}

/// Returns the text of a signature.
fn armoured(blob: &[u8]) -> String {
    let letters = STANDARD.encode(blob);
    let lines = letters.as_bytes().chunks(LINE).map(|line| String::from_utf8_lossy(line) + "\n");
    [BEGIN.into()].into_iter().chain(lines).chain([END.into()]).collect()
}

/// Checks all fields but the signature itself, and returns the public key.
fn key_of(blob: &[u8]) -> Result<Vec<u8>, &'static str> {
    const TORN: &str = "is not a whole SSH signature";
    let rest = blob.strip_prefix(MAGIC).ok_or("is not an SSH signature")?;
    let rest = rest.strip_prefix(&VERSION).ok_or("is of an unknown version")?;
    let (key, rest) = field(rest).ok_or(TORN)?;
    let (namespace, rest) = field(rest).ok_or(TORN)?;
    let (reserved, rest) = field(rest).ok_or(TORN)?;
    let (hash, rest) = field(rest).ok_or(TORN)?;
    let (_, rest) = field(rest).ok_or(TORN)?;
    if namespace != NAMESPACE.as_bytes() {
        return Err("was made for another purpose than a release: its namespace is another one");
    }
    if !reserved.is_empty() || !rest.is_empty() || !HASHES.contains(&hash) {
        return Err(TORN);
    }
    Ok(key.to_vec())
}

/// Splits off a field: its length in four bytes, then its content.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(version: u8, namespace: &str, reserved: &[u8], hash: &str, end: &[u8]) -> Vec<u8> {
        let mut blob = [MAGIC, &[0, 0, 0, version]].concat();
        for field in
            [b"a public key", namespace.as_bytes(), reserved, hash.as_bytes(), b"a signature of 80 letters or so"]
        {
            blob.extend(u32::try_from(field.len()).unwrap().to_be_bytes());
            blob.extend(field);
        }
        [&blob, end].concat()
    }

    fn decoded(text: &str) -> Vec<u8> {
        let body = text.strip_prefix(BEGIN).unwrap().strip_suffix(END).unwrap();
        STANDARD.decode(body.replace('\n', "")).unwrap()
    }

    #[test]
    fn fields_that_ssh_keygen_ignores_are_checked() {
        let parsed = |blob: Vec<u8>| Envelope::parse(armoured(&blob).as_bytes());
        let right = parsed(blob(1, NAMESPACE, b"", "sha512", b"")).unwrap();
        assert_eq!(right.key, b"a public key");
        assert!(parsed(blob(1, "git", b"", "sha512", b"")).unwrap_err().contains("another purpose"));
        for wrong in [
            blob(0, NAMESPACE, b"", "sha512", b""),
            blob(2, NAMESPACE, b"", "sha512", b""),
            blob(1, NAMESPACE, b"x", "sha512", b""),
            blob(1, NAMESPACE, b"", "md5", b""),
            blob(1, NAMESPACE, b"", "sha512", b"more"),
            blob(1, NAMESPACE, b"", "sha512", b"")[..60].to_vec(),
            Vec::new(),
        ] {
            assert!(parsed(wrong).is_err());
        }
    }

    #[test]
    fn a_signature_has_one_form() {
        let text = armoured(&blob(1, NAMESPACE, b"", "sha256", b""));
        assert_eq!(Envelope::parse(text.as_bytes()).unwrap().text(), text.as_bytes());
        for strange in [
            text.clone() + "\n",
            text.trim_end().to_owned(),
            text.replace('\n', "\r\n"),
            text.replace("-----END", " -----END"),
            "a remark\n".to_owned() + &text,
            text.replacen('\n', "", 2),
            text.replacen("\n-----END", "==\n-----END", 1),
        ] {
            assert!(Envelope::parse(strange.as_bytes()).is_err(), "{strange}");
        }
        for place in 0..text.len() {
            for bit in 0..8 {
                let mut flipped = text.clone().into_bytes();
                flipped[place] ^= 1 << bit;
                // What is accepted is another key or another signature, which do not fit.
                let changed = Envelope::parse(&flipped).map(|_| decoded(std::str::from_utf8(&flipped).unwrap()));
                assert!(changed.is_err() || changed.unwrap() != decoded(&text), "byte {place}, bit {bit}");
            }
        }
        assert!(Envelope::parse(b"\xff").is_err());
    }
}
