//! A made-up table of 54 columns of all types, with relations among them and gaps, as a
//! questionnaire has them.

use std::fmt::Write as _;
use std::path::Path;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use scumble_benchmarks::Result;

pub(crate) const ROWS: u64 = 20_000;
const COLUMNS: usize = 54;
const SEED: u64 = 54;
/// A column depends on the one this many places before it: nine chains, each with all types in
/// turn.
const CHAINS: usize = 9;
/// Out of a thousand values of a column that may be missing.
const MISSING: u32 = 40;

/// Writes the rows and the schema.
pub(crate) fn write(rows: &Path, schema: &Path) -> Result<()> {
    let mut dice = StdRng::seed_from_u64(SEED);
    let columns: Vec<Column> = (0..COLUMNS).map(Column::new).collect();
    let fields: Vec<String> = columns.iter().map(Column::field).collect();
    std::fs::write(schema, format!("fields:\n{}", fields.concat()))?;
    let mut text = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(",");
    text.push('\n');
    for _ in 0..ROWS {
        let mut codes: Vec<u32> = Vec::with_capacity(COLUMNS);
        for (place, column) in columns.iter().enumerate() {
            let before = place.checked_sub(CHAINS).map(|before| (codes[before], columns[before].codes));
            let code = match before {
                // As far along its own values as the other one is along its: mostly, and about.
                Some((code, of)) if dice.random_range(0..10) < 7 => {
                    (code * column.codes + dice.random_range(0..column.codes)) / of
                }
                // The lower the likelier.
                _ => dice.random_range(0..column.codes).min(dice.random_range(0..column.codes)),
            };
            codes.push(code.min(column.codes - 1));
            if place > 0 {
                text.push(',');
            }
            if !column.can_be_missing() || dice.random_range(0..1_000) >= MISSING {
                column.write(codes[place], &mut text)?;
            }
        }
        text.push('\n');
    }
    Ok(std::fs::write(rows, text)?)
}

struct Column {
    name: String,
    place: usize,
    codes: u32,
}

impl Column {
    fn new(place: usize) -> Self {
        let kind = ["flag", "group", "count", "share", "day", "grade"][place % 6];
        let codes = match place % 6 {
            0 => 2,
            4 => 60,
            _ => [3, 5, 8, 12, 20, 32, 50, 80][place * 5 % 8],
        };
        Self { name: format!("{kind}_{place}"), place, codes }
    }

    fn can_be_missing(&self) -> bool {
        self.place % 4 == 1
    }

    /// The line of the schema.
    fn field(&self) -> String {
        let Self { name, codes, .. } = self;
        let (kind, facts, bins) = match self.place % 6 {
            0 => ("boolean", String::new(), String::new()),
            2 => ("integer", format!("minimum: 0, maximum: {}", codes - 1), String::new()),
            3 => ("number", "minimum: 0, maximum: 1000".into(), format!(", bins: {{count: {codes}}}")),
            4 => ("date", "minimum: 2020-01-01, maximum: 2024-12-31".into(), ", bins: {by: month}".into()),
            _ => {
                let names: Vec<String> = (0..*codes).map(|code| format!("value {code}")).collect();
                ("string", format!("enum: [{}]", names.join(", ")), String::new())
            }
        };
        let separator = if facts.is_empty() { "" } else { ", " };
        let required = !self.can_be_missing();
        format!(
            "  - {{name: {name}, type: {kind}, constraints: {{{facts}{separator}required: {required}}}, dp: {{source: public{bins}}}}}\n"
        )
    }

    fn write(&self, code: u32, text: &mut String) -> Result<()> {
        match self.place % 6 {
            0 => write!(text, "{}", code == 1)?,
            2 => write!(text, "{code}")?,
            3 => write!(text, "{:.2}", (f64::from(code) + 0.5) * 1000.0 / f64::from(self.codes))?,
            4 => write!(text, "{}-{:02}-15", 2020 + code / 12, code % 12 + 1)?,
            _ => write!(text, "value {code}")?,
        }
        Ok(())
    }
}
