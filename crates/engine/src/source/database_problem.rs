//! What can go wrong with a database.

use std::fmt;

/// Why a table of a database could not be read.
///
/// # Privacy
/// Messages of the server are dropped, because they may quote a value. The problem follows from the
/// class of the error alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseProblem {
    /// The library of its driver cannot be loaded.
    NoDriver,
    /// No server responds at the address.
    Unreachable,
    /// The server does not respond in time.
    Timeout,
    /// No encrypted connection.
    Tls,
    /// The server does not know the user, or the password is wrong.
    Authentication,
    /// The server has no database of this name.
    NoDatabase,
    /// The database has no table of this name.
    NoTable,
    /// The user may not read it.
    Denied,
    /// Its text encoding cannot be read without the risk that a value stops the run.
    Encoding,
    /// Reading it would write to the database.
    Writes,
    /// Its columns have changed since it was opened.
    Changed,
    /// The server has no capacity for another connection or query.
    Full,
    /// The server or its administrator ended the query.
    Cancelled,
    /// The connection broke.
    Lost,
    /// The bytes received are not the requested rows.
    Damaged,
    /// The server could not run the query.
    Failed,
}

impl fmt::Display for DatabaseProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoDriver => "the driver of the database cannot be loaded",
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
            Self::Damaged => "the server sent bytes that are not the requested rows",
            Self::Failed => "the server could not run the query",
        })
    }
}

impl DatabaseProblem {
    /// What to do about it.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::NoDriver => {
                "name the path of its library, `adbc:/path/libdriver.so?...`, and with `entrypoint=NAME` the function that \
                 begins it, if that is not the usual one"
            }
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
