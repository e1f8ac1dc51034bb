//! What can go wrong between us and a database.

use std::fmt;

use tokio_postgres::error::SqlState;

/// Why a table of a database could not be read.
///
/// # Privacy
/// The server's own words are dropped: they may quote the value it stumbled on. What is left follows from the class of
/// the error alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseProblem {
    /// Nothing answers there.
    Unreachable,
    /// Something is there, and does not answer.
    Timeout,
    /// No connection that others cannot listen to.
    Tls,
    /// The server does not know the user, or the password is another.
    Authentication,
    /// The server has no database of this name.
    NoDatabase,
    /// The database has no table of this name.
    NoTable,
    /// The user may not read it.
    Denied,
    /// Its text cannot be read without that a value could stop the run.
    Encoding,
    /// To read it would be to write something.
    Writes,
    /// Its columns are not those of a moment ago.
    Changed,
    /// The server has no room for us.
    Full,
    /// The server or its administrator ended the query.
    Cancelled,
    /// The connection broke.
    Lost,
    /// The bytes that came are not the rows that were asked for.
    Damaged,
    /// The server could not run the query.
    Failed,
}

impl fmt::Display for DatabaseProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unreachable => "the database cannot be reached",
            Self::Timeout => "the database does not answer",
            Self::Tls => "no encrypted connection to the database could be made",
            Self::Authentication => "the database refused the user or the password",
            Self::NoDatabase => "the server has no such database",
            Self::NoTable => "the database has no such table",
            Self::Denied => "the user may not read the table",
            Self::Encoding => "the database keeps text in an encoding that cannot be read safely",
            Self::Writes => "reading the view would change the database",
            Self::Changed => "the table was altered while it was read",
            Self::Full => "the server has no room for another connection or query",
            Self::Cancelled => "the server ended the query",
            Self::Lost => "the connection to the database was lost",
            Self::Damaged => "the server sent bytes that are not the rows asked for",
            Self::Failed => "the server could not run the query",
        })
    }
}

impl DatabaseProblem {
    /// What to do about it.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Unreachable => "check host and port, and that the server accepts connections from here",
            Self::Timeout => "check host, port and firewalls; `connect_timeout=SECONDS` in the address waits longer",
            Self::Tls => {
                "the server needs TLS and a certificate that this machine trusts for the host in the address; \
                 `SSL_CERT_FILE` names a file with further authorities, and `sslmode=disable` does without encryption"
            }
            Self::Authentication => {
                "name the user in the address, and give the password in `PGPASSWORD` or in a `~/.pgpass` that only you \
                 can read"
            }
            Self::NoDatabase => "it is named in the address: `postgresql://user@host/DATABASE?table=...`",
            Self::NoTable => {
                "name its schema, `table=schema.name`, and put names with capitals into double quotes, `table=\"Name\"`"
            }
            Self::Denied => "the user needs SELECT on the table and USAGE on its schema",
            Self::Encoding => {
                "databases in UTF8, LATIN1 and SQL_ASCII can be read; copy the table into one of these, or write it to a \
                 CSV file in UTF-8"
            }
            Self::Writes => "Scumble reads in a read-only transaction; use a view that calls no function that writes",
            Self::Changed => "run the command again",
            Self::Full => "wait, or ask the administrator for more connections or memory",
            Self::Cancelled => "the administrator knows why; `statement_timeout` is a frequent reason",
            Self::Lost => "see whether the server still runs, and run the command again",
            Self::Damaged => "see that the address leads to PostgreSQL itself, and run the command again",
            Self::Failed => "the server's log says why; a view that computes can fail on a value, a plain table cannot",
        }
    }
}

/// What the client library's error means.
impl From<&tokio_postgres::Error> for DatabaseProblem {
    fn from(error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) => Self::of_code(code),
            None if error.is_closed() => Self::Lost,
            // The kind of an error is told by its text only, which is the kind's name and holds nothing else.
            None => match error.to_string().as_str() {
                "error connecting to server" => Self::Unreachable,
                "timeout waiting for server" => Self::Timeout,
                "error performing TLS handshake" => Self::Tls,
                // A password was asked for and none was known.
                "invalid configuration" | "authentication error" => Self::Authentication,
                "error communicating with the server" => Self::Lost,
                _ => Self::Damaged,
            },
        }
    }
}

impl DatabaseProblem {
    fn of_code(code: &SqlState) -> Self {
        match (code.code(), code.code().get(..2).unwrap_or_default()) {
            ("42501", _) => Self::Denied,
            ("42P01" | "3F000", _) => Self::NoTable,
            ("42703" | "42804" | "42846", _) => Self::Changed,
            ("25006", _) => Self::Writes,
            ("57014" | "25P03" | "25P04" | "55P03" | "40001", _) => Self::Cancelled,
            ("3D000", _) => Self::NoDatabase,
            (_, "28") => Self::Authentication,
            (_, "53") => Self::Full,
            (_, "08" | "57") => Self::Lost,
            _ => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_its_class() {
        let problem = |code: &str| DatabaseProblem::of_code(&SqlState::from_code(code));
        assert_eq!(problem("28P01"), DatabaseProblem::Authentication);
        assert_eq!(problem("28000"), DatabaseProblem::Authentication);
        assert_eq!(problem("53300"), DatabaseProblem::Full);
        assert_eq!(problem("57P01"), DatabaseProblem::Lost);
        assert_eq!(problem("57014"), DatabaseProblem::Cancelled);
        assert_eq!(problem("22012"), DatabaseProblem::Failed);
        assert_eq!(problem(""), DatabaseProblem::Failed);
    }
}
