//! `ballista://host:port`

use std::fmt;
use std::str::FromStr;

/// Default port of a scheduler, as in Ballista.
pub(crate) const SCHEDULER_PORT: u16 = 50050;
const SCHEME: &str = "ballista://";

/// Address of a scheduler: `ballista://host:port`.
///
/// ```
/// use scumble_cluster::Address;
///
/// let address: Address = "ballista://scheduler.lake.example".parse()?;
/// assert_eq!((address.host(), address.port()), ("scheduler.lake.example", 50050));
/// assert!("https://scheduler.lake.example".parse::<Address>().is_err());
/// # Ok::<(), scumble_cluster::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

/// A text is not the address of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the address of a scheduler is `ballista://host:port`")]
pub struct AddressError;

impl Address {
    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port: 50050, Ballista's default, unless the address names another.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let rest = text.strip_prefix(SCHEME).ok_or(AddressError)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let end_of_host = match rest.strip_prefix('[') {
            Some(bracketed) => bracketed.find(']').ok_or(AddressError)? + 2,
            None => rest.find(':').unwrap_or(rest.len()),
        };
        let (host, port) = rest.split_at(end_of_host);
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| AddressError)?,
            None if port.is_empty() => SCHEDULER_PORT,
            None => return Err(AddressError),
        };
        let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "-_.[]:%".contains(letter);
        if host.is_empty() || !host.chars().all(is_fine) {
            return Err(AddressError);
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SCHEME}{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        for (text, shown) in [
            ("ballista://lake:1234", "ballista://lake:1234"),
            ("ballista://lake.example.org", "ballista://lake.example.org:50050"),
            ("ballista://10.0.0.7:50050/", "ballista://10.0.0.7:50050"),
            ("ballista://[fd00::1]:77", "ballista://[fd00::1]:77"),
            ("ballista://[::1]", "ballista://[::1]:50050"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), shown);
        }
        for text in [
            "lake:1",
            "ballista://",
            "ballista://:1",
            "ballista://a:b",
            "ballista://a:99999",
            "ballista://a/b",
            "ballista://u@h",
        ] {
            assert_eq!(text.parse::<Address>(), Err(AddressError), "{text}");
        }
    }
}
