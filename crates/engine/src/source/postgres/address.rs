//! The URL of a table: `postgresql://user@host:5432/database?table=schema.name`.
//!
//! The URL is parsed here and not by the client library, because that one ends the password at its
//! first `@` and takes the rest for a host, which would then be shown in messages.

use std::net::IpAddr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::EngineError;
use crate::source::identifier::TableName;
use crate::source::input::DATABASES;

/// Default time to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_PORT: u16 = 5432;
/// Parameters of other programs. Only these are named in a message: other text that looks like a
/// parameter may be part of a password that was not percent-encoded.
const OTHER_PARAMETERS: [&str; 12] = [
    "channel_binding",
    "gssencmode",
    "hostaddr",
    "keepalives",
    "load_balance_hosts",
    "passfile",
    "service",
    "sslcert",
    "sslkey",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
];

/// The address of a table, and how to connect.
///
/// `Debug` prints it without the password.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    config: Config,
    host: String,
    port: u16,
    table: TableName,
    timeout: Duration,
    shown: String,
}

impl Address {
    /// Parses a URL. The error quotes nothing of it, because any part of a wrong URL may be a
    /// password.
    pub(crate) fn parse(url: &str) -> Result<Self, EngineError> {
        Parts::of(url).and_then(Parts::address).map_err(|problem| {
            EngineError::config(
                format!("the address of the database table cannot be read: {problem}"),
                "write it like `postgresql://user@host:5432/database?table=schema.name`; within names and passwords \
                 `%40` stands for `@`, `%2F` for `/`, `%3F` for `?`, `%26` for `&` and `%25` for `%`",
            )
        })
    }

    /// The address without its password, for messages.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Identifies the database among others.
    pub(super) fn database(&self) -> (&str, u16, Option<&str>) {
        (&self.host, self.port, self.config.get_dbname().or(self.config.get_user()))
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The table, in quotes.
    pub(crate) fn from(&self) -> String {
        self.table.quoted()
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }
}

/// All parts of an address, decoded.
#[derive(Default)]
struct Parts {
    user: Option<String>,
    password: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    database: Option<String>,
    table: Option<TableName>,
    tls: Option<SslMode>,
    timeout: Option<Duration>,
    options: Option<String>,
    application_name: Option<String>,
}

/// What is wrong with an address, in words that quote nothing of it.
type Problem = String;

impl Parts {
    fn of(url: &str) -> Result<Self, Problem> {
        let rest = DATABASES.iter().find_map(|scheme| url.strip_prefix(scheme)).ok_or("it is not a PostgreSQL URL")?;
        let mut parts = Self::default();
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let host = match authority.rsplit_once('@') {
            Some((credentials, host)) => {
                let (user, password) = credentials.split_once(':').map_or((credentials, None), |(u, p)| (u, Some(p)));
                parts.user = some(decoded(user)?);
                parts.password = password.map(decoded).transpose()?;
                host
            }
            None => authority,
        };
        parts.set_host_and_port(host)?;
        if database.contains(['/', '@']) {
            return Err("a `/` or `@` is in the wrong place".into());
        }
        parts.database = some(decoded(database)?);
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').ok_or("a parameter has no value")?;
            parts.set(&decoded(name)?, decoded(value)?)?;
        }
        Ok(parts)
    }

    fn set_host_and_port(&mut self, text: &str) -> Result<(), Problem> {
        // An IPv6 address contains colons, and is therefore in brackets.
        let (host, port) = match text.strip_prefix('[') {
            Some(inside) => {
                let (host, rest) = inside.split_once(']').ok_or("a `[` has no `]`")?;
                (host, rest.strip_prefix(':').or(rest.is_empty().then_some("")).ok_or("the port is not a number")?)
            }
            None => text.split_once(':').unwrap_or((text, "")),
        };
        self.host = some(decoded(host)?);
        if !port.is_empty() {
            self.port = Some(port_number(port)?);
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), Problem> {
        match name {
            "table" => {
                let name = TableName::parse(&value);
                self.table = Some(name.ok_or("`table` is not a name; put unusual ones into double quotes")?);
            }
            "user" => self.user = some(value),
            "password" => self.password = Some(value),
            "host" => self.host = some(value),
            "port" => self.port = Some(port_number(&value)?),
            "dbname" => self.database = some(value),
            "options" => self.options = Some(value),
            "application_name" => self.application_name = Some(value),
            "connect_timeout" => {
                let seconds = value.parse().ok().filter(|seconds| (1..=86_400).contains(seconds));
                self.timeout =
                    Some(Duration::from_secs(seconds.ok_or("`connect_timeout` is not a number of seconds")?));
            }
            "sslmode" => {
                self.tls = Some(match value.as_str() {
                    "disable" => SslMode::Disable,
                    "prefer" => SslMode::Prefer,
                    // Certificates are always fully verified, so the three are equivalent.
                    "require" | "verify-ca" | "verify-full" => SslMode::Require,
                    _ => return Err("`sslmode` is none of disable, prefer, require, verify-ca and verify-full".into()),
                });
            }
            other => {
                let known = OTHER_PARAMETERS.iter().find(|known| **known == other);
                return Err(known.map_or_else(
                    || "it has a parameter that Scumble does not know".into(),
                    |name| format!("Scumble has no parameter `{name}`"),
                ));
            }
        }
        Ok(())
    }

    fn address(self) -> Result<Address, Problem> {
        let table = self.table.ok_or("it names no table; end it with `?table=schema.name`")?;
        let host = self.host.unwrap_or_else(|| "localhost".into());
        if host.contains(',') {
            return Err("it names several hosts".into());
        }
        let port = self.port.unwrap_or(DEFAULT_PORT);
        // Connections within one machine cannot be intercepted, and servers there seldom have a
        // certificate.
        let tls = self.tls.unwrap_or(if is_local(&host) { SslMode::Disable } else { SslMode::Require });
        let timeout = self.timeout.unwrap_or(CONNECT_TIMEOUT);

        let mut config = Config::new();
        config.host(&host).port(port).ssl_mode(tls).connect_timeout(timeout);
        // Detects a vanished server after two minutes instead of two hours.
        config
            .keepalives_idle(Duration::from_mins(1))
            .keepalives_interval(Duration::from_secs(10))
            .keepalives_retries(6);
        config.application_name(self.application_name.as_deref().unwrap_or("scumble"));
        let user = self.user.as_ref().map(|user| format!("{user}@")).unwrap_or_default();
        let database = self.database.as_deref().unwrap_or_default();
        let bracketed = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let shown = format!("{}{user}{bracketed}:{port}/{database}?table={table}", DATABASES[0]);
        if let Some(user) = self.user {
            config.user(user);
        }
        if let Some(password) = self.password {
            config.password(password);
        }
        if let Some(database) = self.database {
            config.dbname(database);
        }
        if let Some(options) = self.options {
            config.options(options);
        }
        Ok(Address { config, host, port, table, timeout, shown })
    }
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn port_number(text: &str) -> Result<u16, Problem> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| "the port is not a number".into())
}

/// Whether the connection to `host` stays on this machine.
fn is_local(host: &str) -> bool {
    host.starts_with('/') || host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Decodes percent-encoding, such as `%40`.
fn decoded(text: &str) -> Result<String, Problem> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'%' {
            let digit = |place: usize| after.get(place).and_then(|digit| char::from(*digit).to_digit(16));
            let (high, low) = digit(0).zip(digit(1)).ok_or("a `%` must be followed by two hexadecimal digits")?;
            bytes.push(u8::try_from(high * 16 + low).expect("two digits of base 16 are below 256"));
            rest = &after[2..];
        } else {
            bytes.push(*byte);
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    if text.contains('\0') {
        return Err("it holds a zero byte".into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::Host;

    use super::*;

    fn parsed(url: &str) -> Address {
        Address::parse(url).unwrap()
    }

    #[test]
    fn all_parts_are_found() {
        let address = parsed(
            "postgresql://ann:p%40ss@db.example:6543/census%2F1?table=Public.%22People%22&sslmode=prefer&connect_timeout=3",
        );
        assert_eq!(address.config().get_user(), Some("ann"));
        assert_eq!(address.config().get_password(), Some(&b"p@ss"[..]));
        assert_eq!(address.config().get_hosts(), [Host::Tcp("db.example".into())]);
        assert_eq!(address.config().get_ports(), [6543]);
        assert_eq!(address.config().get_dbname(), Some("census/1"));
        assert_eq!(address.config().get_ssl_mode(), SslMode::Prefer);
        assert_eq!(address.timeout(), Duration::from_secs(3));
        assert_eq!(address.from(), r#""public"."People""#);
        assert_eq!(address.shown(), r#"postgresql://ann@db.example:6543/census/1?table=public."People""#);
    }

    #[test]
    fn omitted_parts_have_defaults() {
        let address = parsed("postgres://?table=people");
        assert_eq!(address.config().get_hosts(), [Host::Tcp("localhost".into())]);
        assert_eq!(address.shown(), "postgresql://localhost:5432/?table=people");
        assert_eq!(address.timeout(), CONNECT_TIMEOUT);
        assert_eq!(parsed("postgres://[::1]:9/d?table=t").shown(), "postgresql://[::1]:9/d?table=t");
        let socket = parsed("postgresql:///d?table=t&host=/var/run/postgresql");
        assert!(matches!(&socket.config().get_hosts()[0], Host::Unix(path) if path.ends_with("postgresql")));
        assert_eq!(parsed("postgresql://%2Frun%2Fpg/d?table=t").host(), "/run/pg");
    }

    #[test]
    fn only_local_connections_are_unencrypted_by_default() {
        let mode = |url: &str| parsed(url).config().get_ssl_mode();
        for local in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "%2Frun%2Fpostgresql"] {
            assert_eq!(mode(&format!("postgresql://u@{local}/d?table=t")), SslMode::Disable);
            assert_eq!(mode(&format!("postgresql://u@{local}/d?table=t&sslmode=verify-full")), SslMode::Require);
        }
        for remote in ["db", "10.0.0.1", "localhost.example", "[2001:db8::1]"] {
            assert_eq!(mode(&format!("postgresql://u@{remote}/d?table=t")), SslMode::Require);
            assert_eq!(mode(&format!("postgresql://u@{remote}/d?table=t&sslmode=disable")), SslMode::Disable);
        }
    }

    #[test]
    fn no_address_shows_a_password() {
        for url in [
            "postgresql://ann:SECRET@h/d?table=t",
            "postgresql://ann:SEC@RET@h/d?table=t",
            "postgresql://ann:SEC/RET@h/d?table=t",
            "postgresql://ann:12/SECRET@h/d?table=t",
            "postgresql://ann:12?SECRET@h/d?table=t",
            "postgresql://ann:12?SECRET=1@h/d?table=t",
            "postgresql://ann:12?table=SECRET@h/d?table=t",
            "postgresql://ann:SECRET%@h/d?table=t",
            "postgresql://ann:SECRET%00@h/d?table=t",
            "postgresql://ann:SECRET@h/d",
            "postgresql://ann:SECRET@h:x/d?table=t",
            "postgresql://ann:SECRET@[h/d?table=t",
            "postgresql://ann:SECRET@h/d?table=SECRET.SECRET.SECRET",
            "postgresql://h/d?table=t&password=SECRET",
            "postgresql://h/d?table=t&SECRET",
            "postgresql://h/d?table=t&sslmode=SECRET",
            "postgresql://h/d?table=t&connect_timeout=SECRET",
        ] {
            let shown = match Address::parse(url) {
                Ok(address) => format!("{} {address:?}", address.shown()),
                Err(error) => format!("{error} {error:?} {:?}", error.hint()),
            };
            for piece in ["SECRET", "SEC", "RET"] {
                assert!(!shown.contains(piece), "{url}: {shown}");
            }
        }
    }

    #[test]
    fn parameters_of_other_programs_are_named() {
        let error = Address::parse("postgresql://h/d?table=t&sslrootcert=x").unwrap_err();
        assert!(error.to_string().ends_with("Scumble has no parameter `sslrootcert`"), "{error}");
    }
}
