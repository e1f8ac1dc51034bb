//! Maps errors of the client library to problems.

use tokio_postgres::error::SqlState;

use crate::source::database_problem::DatabaseProblem;

/// Maps an error of the client library.
impl From<&tokio_postgres::Error> for DatabaseProblem {
    fn from(error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) => Self::of_code(code),
            None if error.is_closed() => Self::Lost,
            // The kind of an error is only in its text, which is the kind's name and nothing else.
            None => match error.to_string().as_str() {
                "error connecting to server" => Self::Unreachable,
                "timeout waiting for server" => Self::Timeout,
                "error performing TLS handshake" => Self::Tls,
                // A password was required and none was known.
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
    fn the_class_of_an_error_decides() {
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
