//! Suggests names for typing errors.

/// One typing error is allowed per this many letters.
const LETTERS_PER_ERROR: usize = 4;

/// The name closest to `typed`, ignoring case and separators; `None` if none is close. Two swapped
/// neighbouring letters are allowed in a name of any length.
///
/// ```
/// use scumble_schema::similar;
///
/// assert_eq!(similar("Age", ["age", "sex"]), Some("age"));
/// assert_eq!(similar("minimun", ["minimum", "maximum"]), Some("minimum"));
/// assert_eq!(similar("fti", ["plan", "fit"]), Some("fit"));
/// assert_eq!(similar("income", ["age", "sex"]), None);
/// ```
pub fn similar<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '_', '-', '.'], "");
    let meant = plain(typed);
    let errors = |name: &str| {
        let name = plain(name);
        let allowed = meant.chars().count().max(name.chars().count()) / LETTERS_PER_ERROR;
        let allowed = if letters(&meant) == letters(&name) { allowed.max(1) } else { allowed };
        Some(strsim::damerau_levenshtein(&meant, &name)).filter(|&errors| errors <= allowed)
    };
    names
        .into_iter()
        .filter_map(|name| Some((errors(name)?, name)))
        .min_by_key(|&(errors, _)| errors)
        .map(|(_, name)| name)
}

/// The letters of a name, sorted.
fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}
