//! The command as typed, for hints and for the ledger.

use std::ffi::OsString;
use std::path::PathBuf;

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

/// Returns a command with the versions of its tables, so that it reads the same rows when it is
/// typed again. `named` are the inputs as typed, and `inputs` those with versions.
pub(crate) fn with_versions(command: &str, named: &[PathBuf], inputs: &[Input]) -> String {
    let version = |word: &str| {
        let mut versions = named.iter().zip(inputs).filter(|(named, _)| named.as_os_str() == word);
        versions.find_map(|(_, input)| input.version()).filter(|version| !word.ends_with(&format!("@v{version}")))
    };
    let words = shlex::split(command).unwrap_or_default().into_iter();
    let words: Vec<String> = words
        .map(|word| match version(&word) {
            Some(version) => format!("{word}@v{version}"),
            None => word,
        })
        .collect();
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| command.into())
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
    #[test]
    fn a_command_names_the_versions_of_its_tables() {
        let named = ["lake/my people", "plain.csv"].map(PathBuf::from);
        let pinned = ["lake/my people@v3", "plain.csv"].map(Input::new);
        let command = typed(&["scumble", "fit", "lake/my people", "plain.csv", "-o", "a.model"].map(OsString::from));
        let versioned = with_versions(&command, &named, &pinned);
        assert_eq!(versioned, "scumble fit 'lake/my people@v3' plain.csv -o a.model");
        let named = ["lake/my people@v3", "plain.csv"].map(PathBuf::from);
        assert_eq!(with_versions(&versioned, &named, &pinned), versioned, "it is typed again");
    }
}
