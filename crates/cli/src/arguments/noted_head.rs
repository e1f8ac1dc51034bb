//! Heads of ledgers on the command line.

use std::fmt;
use std::str::FromStr;

/// Number of digits of a hash.
const DIGITS: usize = 64;

/// A head that somebody noted: the hash of a record, with or without the number of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotedHead {
    pub(crate) record: Option<usize>,
    pub(crate) hash: String,
}

impl FromStr for NotedHead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "not a head, such as `3:` and 64 hexadecimal digits; `ledger head` prints one";
        let (record, hash) = match text.trim().split_once(':') {
            Some((record, hash)) => (Some(record.parse().map_err(|_| FORM)?), hash),
            None => (None, text.trim()),
        };
        let is_hash = hash.len() == DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self { record, hash: hash.to_ascii_lowercase() }).ok_or_else(|| FORM.into())
    }
}

impl fmt::Display for NotedHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.record {
            Some(record) => write!(formatter, "{record}:{}", self.hash),
            None => write!(formatter, "{}", self.hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_hash_with_or_without_a_number() {
        let hash = "0123456789abcdef".repeat(4);
        for text in [hash.clone(), format!("7:{hash}")] {
            assert_eq!(text.parse::<NotedHead>().unwrap().to_string(), text);
            assert_eq!(format!(" {}\n", text.to_uppercase()).parse::<NotedHead>().unwrap().to_string(), text);
        }
        for text in
            ["", "7", "7:", ":0", &hash[1..], &format!("-1:{hash}"), &format!("x:{hash}"), &format!("7:{hash}0")]
        {
            assert!(text.parse::<NotedHead>().is_err(), "{text}");
        }
    }
}
