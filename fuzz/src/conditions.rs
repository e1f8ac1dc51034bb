//! Conditions and shares: the expressions of `--where` and `--rebalance`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use scumble::Sampling;
use scumble_mechanisms::{Conditions, Model, Shares};
use scumble_schema::{AttributeId, CodeColumn, Schema};

use crate::message;
use crate::model_text::file_of_text;
use crate::seeds::{SEEDS, folder};

/// Begins a line with shares instead of a condition.
const SHARES: &str = "rebalance ";
const ROWS: u64 = 40;

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let text = std::fs::read(folder(SEEDS, "model").join("all-types.txt")).expect("a seed");
    Model::from_bytes(&file_of_text(&text)).expect("the seed is a model")
});

/// Every line is a condition, or the shares of a column. Rows that are drawn meet all conditions.
pub fn conditions(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let schema = MODEL.schema();
    let (shares, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(SHARES));
    for line in &lines {
        check_selection(schema, line);
    }
    let conditions = Conditions::parse(schema, lines.iter().copied());
    let shares = shares.first().map(|line| Shares::parse(schema, &line[SHARES.len()..])).transpose();
    match (conditions, shares) {
        (Ok(conditions), Ok(shares)) => draw(&conditions, shares.as_ref(), &lines),
        (Err(error), _) | (_, Err(error)) => message::check_error(error),
    }
}

/// Returns the column that a condition names, and the text of its values.
fn parts<'a>(schema: &Schema, line: &'a str) -> Option<(AttributeId, &'a str)> {
    let mut signs = line.match_indices('=');
    signs.find_map(|(place, _)| Some((schema.find(&line[..place])?, &line[place + 1..])))
}

/// Checks that a text selects codes in order, and that the label of each selects it again.
fn check_selection(schema: &Schema, line: &str) {
    let Some((column, values)) = parts(schema, line) else { return };
    let attribute = schema.attribute(column);
    let Ok(codes) = attribute.select(values) else { return };
    assert!(!codes.is_empty() && codes.is_sorted_by(|one, next| one < next), "{codes:?}");
    for code in codes {
        assert!(code < attribute.size());
        let label = attribute.label(code);
        let again = attribute.select(&label);
        assert_eq!(again, Ok(vec![code]), "column `{}`: the label `{label}` selects another code", attribute.name());
    }
}

fn draw(conditions: &Conditions, shares: Option<&Shares>, lines: &[&str]) {
    let schema = MODEL.schema();
    let conditioned = match MODEL.conditioned(conditions, shares) {
        Ok(conditioned) => conditioned,
        Err(error) => return message::check_error(error),
    };
    let probability = conditioned.probability();
    assert!(probability > 0.0 && probability <= 1.0 + 1e-9, "{probability}");
    let chunks = match conditioned.sample_codes(ROWS, 1, Sampling::LowVariance) {
        Ok(chunks) => chunks.collect::<Result<Vec<Vec<CodeColumn>>, _>>(),
        Err(error) => return message::check_error(error),
    };
    let chunks = match chunks {
        Ok(chunks) => chunks,
        Err(error) => return message::check_error(error),
    };
    assert_eq!(chunks.iter().map(|chunk| chunk[0].len() as u64).sum::<u64>(), ROWS);
    for (column, values) in lines.iter().filter_map(|line| parts(schema, line)) {
        let allowed: BTreeSet<u32> = schema.attribute(column).select(values).into_iter().flatten().collect();
        let mut codes = chunks.iter().flat_map(|chunk| chunk[column.index()].iter());
        assert!(codes.all(|code| allowed.contains(&code)), "a row does not meet a condition of {lines:?}");
    }
}
