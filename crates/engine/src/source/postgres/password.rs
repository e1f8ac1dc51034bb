//! Passwords that are not in the address: from `PGPASSWORD`, or from the password file, as with
//! other PostgreSQL clients.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::address::Address;

/// Maximum bytes of a password file that are read.
const FILE_BYTES: u64 = 1 << 20;

/// Returns the password for `address`, if one is known.
pub(super) fn password(address: &Address) -> Option<Vec<u8>> {
    if let Some(password) = address.config().get_password() {
        return Some(password.to_vec());
    }
    if let Some(password) = env::var_os("PGPASSWORD").filter(|password| !password.is_empty()) {
        return Some(password.into_encoded_bytes());
    }
    let user = address.config().get_user()?;
    let database = address.config().get_dbname().unwrap_or(user);
    let port = address.port().to_string();
    // The file calls every socket of this machine `localhost`.
    let host = if address.host().starts_with('/') { "localhost" } else { address.host() };
    find(&read(&password_file()?)?, [host, &port, database, user]).map(String::into_bytes)
}

fn password_file() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".pgpass"));
    env::var_os("PGPASSFILE").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(home)
}

/// Returns the text of the file, unless others can read it: then its passwords are not trusted.
fn read(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || is_shared(&metadata) {
        return None;
    }
    let mut text = String::new();
    file.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(unix)]
fn is_shared(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_shared(_: &fs::Metadata) -> bool {
    false
}

/// Returns the password of the first line `host:port:database:user:password` that matches; `*`
/// matches everything.
fn find(text: &str, target: [&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = fields(line);
        let fits = target.iter().zip(&fields).all(|(target, (field, is_star))| *is_star || field == target);
        (fields.len() == 5 && fits).then(|| fields.swap_remove(4).0)
    })
}

/// Splits a line into its five fields, and returns whether each is a bare `*`. A backslash escapes
/// the next character.
fn fields(line: &str) -> Vec<(String, bool)> {
    let mut fields = vec![(String::new(), false)];
    let mut starts = vec![0];
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        let last = fields.len() - 1;
        match letter {
            // Everything after the fourth colon is the password, including colons.
            ':' if last < 4 => {
                fields[last].1 = &line[starts[last]..at] == "*";
                fields.push((String::new(), false));
                starts.push(at + 1);
            }
            '\\' => fields[last].0.extend(letters.next().map(|(_, letter)| letter)),
            letter => fields[last].0.push(letter),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_line_has_the_password() {
        let text = "\
# db:5432:census:ann:commented out
db:5432:other:ann:wrong
db:*:cen\\:sus:ann:with\\:colon:and\\\\more
\\*:5432:census:ann:a star that is a name
*:*:*:ann:anywhere
half:a:line
*:*:*:*:
";
        let password = |host, port, database, user| find(text, [host, port, database, user]);
        assert_eq!(password("db", "5432", "other", "ann").as_deref(), Some("wrong"));
        assert_eq!(password("db", "1", "cen:sus", "ann").as_deref(), Some("with:colon:and\\more"));
        assert_eq!(password("db", "5432", "census", "ann").as_deref(), Some("anywhere"));
        assert_eq!(password("*", "5432", "census", "ann").as_deref(), Some("a star that is a name"));
        assert_eq!(password("db", "5432", "census", "bob").as_deref(), Some(""));
        assert_eq!(find("", ["a", "b", "c", "d"]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pgpass");
        fs::write(&path, "*:*:*:*:x\n").unwrap();
        for (mode, used) in [(0o600, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_some(), used, "{mode:o}");
        }
    }
}
