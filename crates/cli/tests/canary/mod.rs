//! Canaries, T12: a table with recognisable values and counts, and a search for them in all
//! outputs.
//!
//! `evaluate`, and `schema check` with data, show exact figures to the steward of a table, under
//! the stamp NOT DIFFERENTIALLY PRIVATE. They are exempt.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Part of every canary that is text.
pub(crate) const CANARY: &str = "canary7f3a";
/// A number beyond all bounds, long enough not to occur by chance.
pub(crate) const NUMBER: &str = "481516234299";

/// Number of rows of the table.
const ROWS: usize = 737_411;
/// Number of rows of the first of its two files.
const FIRST: usize = 400_003;
/// Number of people: three rows each, and two people with four.
const PEOPLE: usize = 245_803;
/// Counts of colour by shape.
const CELLS: [(&str, &str, usize); 7] = [
    ("red", "round", 31_847),
    ("red", "square", 20_514),
    ("green", "round", 151_009),
    ("green", "square", 135_898),
    ("blue", "round", 202_987),
    ("blue", "square", 177_767),
    ("blue", CANARY, 17_389),
];

/// Fields of the table.
pub(crate) const FIELDS: &str = "\
fields:
  - {name: colour, type: string, constraints: {enum: [red, green, blue]}, dp: {source: public}}
  - {name: shape, type: string, constraints: {enum: [round, square]}, dp: {source: public, open: true}}
  - {name: site, type: string, constraints: {enum: [east, west]}, dp: {source: public, open: true}}
";
pub(crate) const UNITS: &str = "dp: {privacyUnit: person, maxContributions: 2}\n";
/// A budget so small that the noise of a count exceeds a hundred million. A run of the test
/// releases about 200 values and searches for 17 counts: a match by chance occurs in fewer than one
/// of 100,000 runs.
pub(crate) const BUDGET: [&str; 4] = ["--epsilon", "1e-8", "--delta", "1e-11"];

/// Writes the table to two files below a folder, as `person,colour,shape`. Their site is in the
/// names of directories, and is a canary too.
pub(crate) fn write_table(folder: &Path) {
    write_rows(&folder.join(format!("site={CANARY}")), 0..FIRST);
    write_rows(&folder.join(format!("site={NUMBER}")), FIRST..ROWS);
}

fn write_rows(folder: &Path, rows: std::ops::Range<usize>) {
    fs::create_dir(folder).unwrap();
    let mut file = BufWriter::new(File::create(folder.join("part-0.csv")).unwrap());
    writeln!(file, "person,colour,shape").unwrap();
    for row in rows {
        // Mixes the cells: the factor and the number of rows have no common divisor.
        let mut place = row * 300_007 % ROWS;
        let cell = CELLS.iter().find(|(.., count)| {
            let is_here = place < *count;
            place = place.wrapping_sub(*count);
            is_here
        });
        let (colour, shape, _) = cell.expect("cells have all rows");
        writeln!(file, "u{},{colour},{shape}", row % PEOPLE).unwrap();
    }
    file.flush().unwrap();
}

/// Returns all counts that occur in the table alone.
fn counts() -> Vec<usize> {
    let of = |is_in: &dyn Fn(&str, &str) -> bool| {
        CELLS.iter().filter(|(colour, shape, _)| is_in(colour, shape)).map(|(.., count)| count).sum::<usize>()
    };
    let mut counts = vec![ROWS, FIRST, ROWS - FIRST, PEOPLE, 2 * PEOPLE];
    counts.extend(["red", "green", "blue"].map(|colour| of(&|has, _| has == colour)));
    counts.extend(["round", "square"].map(|shape| of(&|_, has| has == shape)));
    counts.extend(CELLS.map(|(.., count)| count));
    assert!(counts.contains(&52_361), "red");
    counts
}

/// Returns the notations of a count: for programs, for people, and in the metrics of DataFusion.
fn forms(count: usize) -> Vec<String> {
    let (thousands, rest) = (count / 1_000, count % 1_000);
    let exact = f64::from(u32::try_from(count).unwrap());
    let mut forms = vec![count.to_string(), format!("{exact:e}")];
    for separator in [",", "_", " ", "'", "\u{a0}", "\u{202f}"] {
        forms.push(format!("{thousands}{separator}{rest:03}"));
    }
    let short = exact / 1_000.0;
    forms.push(if short < 100.0 { format!("{short:.2} K") } else { format!("{short:.1} K") });
    forms
}

/// Returns whether `text` has `form` as a separate word, not inside an identifier, a hash or a
/// fraction.
fn holds(text: &str, form: &str) -> bool {
    text.match_indices(form).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + form.len()..].chars().next();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '.')
            && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Returns the first canary in `bytes`, with its line.
fn found_in(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let small = text.to_lowercase();
    let words = [CANARY, NUMBER].into_iter().find(|word| small.contains(word)).map(ToString::to_string);
    let found = words.or_else(|| counts().into_iter().flat_map(forms).find(|form| holds(&text, form)))?;
    let line = text.lines().find(|line| line.contains(&found)).unwrap_or_default();
    Some(format!("`{found}`, in: {}", line.chars().take(400).collect::<String>()))
}

/// Fails if `bytes` contain a value or a count of the data.
pub(crate) fn assert_clean(what: &str, bytes: &[u8]) {
    if let Some(found) = found_in(bytes) {
        panic!("{what} holds {found}");
    }
}

/// Searches all files below `folder` except private directories, which only their owner can enter,
/// and files of `inputs`. Returns the names of the searched files.
pub(crate) fn assert_clean_below(folder: &Path, inputs: &[&str]) -> Vec<String> {
    let mut looked_at = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if inputs.contains(&name.as_str()) {
            continue;
        }
        assert_clean("the name of a file", name.as_bytes());
        if !entry.file_type().unwrap().is_dir() {
            assert_clean(&name, &fs::read(entry.path()).unwrap());
            looked_at.push(name);
        } else if !is_private(&entry.path()) {
            looked_at.extend(assert_clean_below(&entry.path(), inputs));
        }
    }
    looked_at
}

/// Returns whether this is a directory for private files, with the right permissions.
fn is_private(folder: &Path) -> bool {
    let is_named = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("scumble-spill-"));
    #[cfg(unix)]
    let is_closed = {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(folder).unwrap().permissions().mode() & 0o777 == 0o700
    };
    #[cfg(not(unix))]
    let is_closed = true;
    is_named && is_closed
}

#[test]
fn a_count_is_found_in_all_its_forms_and_nowhere_else() {
    for text in [
        "rows=737411,",
        "n: 737,411.",
        "737_411",
        "output_rows=737.4 K]",
        "[1,52361]",
        "7.37411e5",
        "52.36 K rows",
        "52361.0",
    ] {
        assert!(found_in(text.as_bytes()).is_some(), "{text}");
    }
    for text in ["1794737411.2", "0.737411", "a52361-b", "52.36 KB", "737412", "737.4", "7374110"] {
        assert!(found_in(text.as_bytes()).is_none(), "{text}");
    }
}
