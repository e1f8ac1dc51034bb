//! The command as typed, for hints and for the ledger.

use std::ffi::OsString;

use scumble::Input;

/// Flags that select how a fit starts, and do not change what it computes.
const START_FLAGS: [&str; 2] = ["--resume", "--anew"];

/// Returns the command to type, without passwords in database addresses and without
/// [`START_FLAGS`].
pub(crate) fn typed(arguments: &[OsString]) -> String {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let words = words.filter(|word| !START_FLAGS.contains(&word.as_ref()));
    let words: Vec<String> =
        words.map(|word| if word.contains("://") { Input::new(&*word).shown() } else { word.into() }).collect();
    let words = std::iter::once("scumble").chain(words.iter().map(String::as_str));
    // A word with a zero byte cannot come from a command line.
    shlex::try_join(words).unwrap_or_else(|_| "scumble".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again_and_has_no_password() {
        let words = ["/usr/bin/scumble", "fit", "my table.csv", "--resume", "--anew", "-o", "a.model"];
        assert_eq!(typed(&words.map(OsString::from)), "scumble fit 'my table.csv' -o a.model");
        let words = ["scumble", "fit", "postgresql://clerk:secret@db.example/survey?table=people"];
        let typed = typed(&words.map(OsString::from));
        assert!(!typed.contains("secret") && typed.contains("db.example"), "{typed}");
    }
}
