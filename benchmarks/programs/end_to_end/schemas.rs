//! Random schemas, sound and unsound, small and huge: each is taken or refused at once, and nothing
//! is allocated for its tables.

use std::fmt::Write;
use std::time::Instant;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble::Schema;

use scumble_benchmarks::Result;
use scumble_benchmarks::clock::peak_kib;
use scumble_benchmarks::figure::Figures;

const SCHEMAS: u64 = 1_000;
/// One column more than the limit is among them.
const MAX_COLUMNS: f64 = 10_001.0;

pub(crate) fn taken_or_refused(figures: &mut Figures) -> Result<()> {
    let megabytes = || peak_kib("self").map(|kib| kib as f64 / 1000.0).ok_or("no peak");
    let before = megabytes()?;
    let (mut slowest, mut taken) = (0.0_f64, 0_u32);
    for seed in 0..SCHEMAS {
        let text = random_schema(seed);
        let start = Instant::now();
        let schema = Schema::parse(&text);
        slowest = slowest.max(start.elapsed().as_secs_f64());
        taken += u32::from(schema.is_ok());
    }
    println!("{taken} of {SCHEMAS} random schemas taken, the others refused");
    figures.at_most("slowest of 1,000 random schemas", slowest, "s", 1.0);
    // Over all of them together, which is more than any one of them can have asked for.
    figures.at_most("growth of memory over 1,000 random schemas", megabytes()? - before, "MB", 50.0);
    Ok(())
}

/// A schema of up to 10,001 columns, log-uniformly many, most of them sound.
fn random_schema(seed: u64) -> String {
    let mut rng = SmallRng::seed_from_u64(seed);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and MAX_COLUMNS")]
    let columns = MAX_COLUMNS.powf(rng.random()).ceil() as u32;
    let sound = rng.random_bool(0.7);
    let mut text = String::from("fields:\n");
    for column in 0..columns {
        let required = rng.random_bool(0.5);
        let _ = write!(text, "  - {{name: c{column}, ");
        let kind = if sound { rng.random_range(0..7) } else { rng.random_range(0..11) };
        let size: u32 = 1 << rng.random_range(1..12);
        let _ = match kind {
            0 => write!(text, "type: integer, constraints: {{required: {required}, minimum: 0, maximum: {size}}}"),
            1 => write!(
                text,
                "type: number, constraints: {{required: {required}, minimum: -1, maximum: 1}}, dp: {{bins: {{count: {size}}}}}"
            ),
            2 => write!(text, "type: boolean, constraints: {{required: {required}}}"),
            3 => write!(
                text,
                "type: date, constraints: {{minimum: \"1900-01-01\", maximum: \"2099-12-31\"}}, dp: {{bins: {{width: 30}}}}"
            ),
            4 => write!(
                text,
                "type: datetime, constraints: {{minimum: \"2000-01-01\", maximum: \"2020-01-01\"}}, dp: {{bins: {{width: 86400}}}}"
            ),
            5 => write!(text, "type: year, constraints: {{minimum: 1900, maximum: 2100}}"),
            6 => {
                let categories: Vec<String> = (0..rng.random_range(1..30)).map(|code| format!("v{code}")).collect();
                write!(text, "type: string, constraints: {{required: {required}, enum: [{}]}}", categories.join(", "))
            }
            7 => write!(
                text,
                "type: integer, constraints: {{minimum: -9223372036854775808, maximum: 9223372036854775807}}"
            ),
            8 => {
                write!(text, "type: number, constraints: {{minimum: 0, maximum: 1}}, dp: {{bins: {{count: 1048576}}}}")
            }
            9 => write!(text, "type: string, constraints: {{enum: [a, a]}}"),
            _ => write!(text, "type: geopoint"),
        };
        text.push_str("}\n");
    }
    text
}
