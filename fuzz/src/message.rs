//! Properties of messages about bytes of a stranger.

use scumble::Error;
use scumble_schema::printable;

/// Fails if a message has control characters: printed to a terminal, they could hide it or forge
/// another one.
pub(crate) fn check(text: &str) {
    assert!(printable(text) == text, "a message has control characters: {text:?}");
}

/// Checks all messages and hints of an error.
pub(crate) fn check_error(error: impl Into<Error>) {
    for problem in error.into().problems() {
        check(&problem.message);
        problem.hint.as_deref().map(check);
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Schema;

    use super::*;

    #[test]
    fn messages_of_errors_pass() {
        check_error(Schema::parse("fields: [{name: \"a\\x1b\", type: none}]").expect_err("there is no such type"));
    }

    #[test]
    #[should_panic(expected = "control characters")]
    fn a_message_that_clears_the_screen_is_a_finding() {
        check("cannot read `\u{1b}[2J`");
    }
}
