//! What somebody meant who mistyped a name.

/// Letters that may be wrong, for every so many that are right.
const LETTERS_PER_SLIP: usize = 4;

/// The name among `names` that `typed` was most likely meant to be: the same but for case and spaces, or nearly so. Two neighbouring
/// letters that changed places are one slip in a name of any length.
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
    let slips = |name: &str| {
        let name = plain(name);
        let most = meant.chars().count().max(name.chars().count()) / LETTERS_PER_SLIP;
        let most = if letters(&meant) == letters(&name) { most.max(1) } else { most };
        Some(strsim::damerau_levenshtein(&meant, &name)).filter(|&slips| slips <= most)
    };
    names
        .into_iter()
        .filter_map(|name| Some((slips(name)?, name)))
        .min_by_key(|&(slips, _)| slips)
        .map(|(_, name)| name)
}

/// The letters of a name, in one order for all names.
fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}
