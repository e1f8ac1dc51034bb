//! Frequencies of random conjunctions.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use scumble_pgm::parallel;
use scumble_schema::{AttributeId, CodeColumn};

use super::{PERFECT, some_attributes};
use crate::error::EvaluateError;
use crate::table::{ColumnKind, Columns};

/// Number of conjunctions that are tested.
const REPEATS: usize = 300;
/// A conjunction has conditions on one attribute in `ONE_IN`.
const ONE_IN: usize = 3;
/// Lower bound of a synthetic frequency.
const FLOOR: f64 = 1e-6;

/// Number of rows that are tested together, column by column.
const BLOCK_ROWS: usize = 4096;

/// A condition on one attribute: whether each of its codes satisfies it.
struct Condition {
    attribute: AttributeId,
    holds: Vec<bool>,
}

/// Returns 10⁶ (1 + RMS / ln(1/1000)), with RMS the root mean square of the differences of
/// log-frequencies.
pub(super) fn score(
    real: &Columns,
    synthetic: &Columns,
    kinds: &[ColumnKind],
    mut dice: ChaCha8Rng,
) -> Result<f64, EvaluateError> {
    if kinds.len() != real.domain().len() {
        return Err(EvaluateError::config("kinds", "one kind per attribute"));
    }
    let tests: Vec<Vec<Condition>> = (0..REPEATS).map(|_| draw(real, kinds, &mut dice)).collect();
    let squares = parallel::map(&tests, |test| {
        // The row that the test was drawn around satisfies it, so the first logarithm is finite.
        (frequency(real, test).ln() - frequency(synthetic, test).max(FLOOR).ln()).powi(2)
    });
    let root_mean_square = (squares.iter().sum::<f64>() / REPEATS as f64).sqrt();
    Ok(PERFECT * (1.0 + root_mean_square / (1.0_f64 / 1000.0).ln()).max(0.0))
}

/// Draws a test that at least one row of the real table satisfies.
fn draw(real: &Columns, kinds: &[ColumnKind], dice: &mut ChaCha8Rng) -> Vec<Condition> {
    let attributes = kinds.len();
    // The whole number nearest to a third.
    let count = ((attributes + 1) / ONE_IN).max(1);
    let row = dice.random_range(0..real.rows()) as usize;
    let chosen = some_attributes(attributes, count, dice);
    let condition = |attribute: AttributeId| {
        let (size, code) = (real.domain().size(attribute), real.codes(attribute).get(row));
        Condition { attribute, holds: some_codes(kinds[attribute.index()], size, code, dice) }
    };
    chosen.into_iter().map(condition).collect()
}

/// Draws a random set of codes that contains `code`: of an ordered column a range around it, of a
/// categorical one any codes. A code without a place in the order is drawn alone.
fn some_codes(kind: ColumnKind, size: u32, code: u32, dice: &mut ChaCha8Rng) -> Vec<bool> {
    match kind {
        ColumnKind::Categorical => {
            let mut holds = vec![false; size as usize];
            let mut next = code;
            // Codes are added until one is drawn twice.
            while !holds[next as usize] {
                holds[next as usize] = true;
                next = dice.random_range(0..size);
            }
            holds
        }
        ColumnKind::Ordered { .. } if !kind.has_place(code) => (0..size).map(|other| other == code).collect(),
        ColumnKind::Ordered { .. } => {
            let reach = dice.random_range(0..size.saturating_sub(1).max(1));
            (0..size).map(|other| other.abs_diff(code) <= reach && kind.has_place(other)).collect()
        }
    }
}

/// Returns the share of rows that satisfy every condition, or zero without rows.
fn frequency(table: &Columns, test: &[Condition]) -> f64 {
    let rows = table.rows() as usize;
    let mut passing = [0_u8; BLOCK_ROWS];
    let mut matches = 0_u64;
    for start in (0..rows).step_by(BLOCK_ROWS) {
        let passing = &mut passing[..BLOCK_ROWS.min(rows - start)];
        passing.fill(1);
        for Condition { attribute, holds } in test {
            match table.codes(*attribute) {
                CodeColumn::U8(codes) => keep(passing, &codes[start..], holds),
                CodeColumn::U16(codes) => keep(passing, &codes[start..], holds),
                CodeColumn::U32(codes) => keep(passing, &codes[start..], holds),
            }
        }
        matches += passing.iter().map(|&passes| u64::from(passes)).sum::<u64>();
    }
    let matches = matches as f64;
    matches / f64::from(table.rows().max(1))
}

/// Sets the mark of rows whose code does not satisfy a condition to zero.
fn keep<C: Copy + Into<u32>>(passing: &mut [u8], codes: &[C], holds: &[bool]) {
    for (passes, &code) in passing.iter_mut().zip(codes) {
        *passes &= u8::from(holds[code.into() as usize]);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use scumble_schema::Domain;

    use super::*;

    const ORDERED: ColumnKind = ColumnKind::Ordered { missing: None };

    fn one_column(codes: &[u32]) -> Columns {
        Columns::new(Domain::new(vec![2]).unwrap(), vec![codes.to_vec()]).unwrap()
    }

    fn score_of(real: &[u32], synthetic: &[u32]) -> f64 {
        // A range of two ordered codes around one is that code alone.
        score(&one_column(real), &one_column(synthetic), &[ORDERED], ChaCha8Rng::seed_from_u64(1)).unwrap()
    }

    #[test]
    fn a_frequency_wrong_by_a_factor_costs_its_logarithm() {
        // All real rows have code 0. Half of the synthetic ones have: every test is off by ln 2.
        let due = PERFECT * (1.0 - 2_f64.ln() / 1000_f64.ln());
        assert!((score_of(&[0, 0], &[0, 1]) - due).abs() < 1e-6);
        assert!((score_of(&[0, 0], &[0]) - PERFECT).abs() < 1e-6);
    }

    #[test]
    fn a_frequency_of_zero_counts_as_one_in_a_million() {
        // Every test misses by ln 10^6 = 2 ln 1000: far below zero, where the score ends.
        assert!(score_of(&[0], &[1]).abs() < 1e-6);
        assert!(score_of(&[0], &[]).abs() < 1e-6);
        // A real row in a thousand is missed only when it was drawn, which happens in about 0.3 of
        // 300 tests.
        let real: Vec<u32> = (0..1000).map(|row| u32::from(row == 0)).collect();
        let missed = score_of(&real, &[0]);
        assert!(missed > 0.9 * PERFECT && missed.is_finite());
    }

    #[test]
    fn drawn_codes_contain_the_code_they_were_drawn_around() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        for size in 1..6 {
            for code in 0..size {
                for kind in [ColumnKind::Categorical, ORDERED, ColumnKind::Ordered { missing: Some(0) }] {
                    let holds = some_codes(kind, size, code, &mut dice);
                    assert!(holds.len() == size as usize && holds[code as usize]);
                }
            }
        }
    }

    #[test]
    fn a_missing_value_is_in_no_range() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        let kind = ColumnKind::Ordered { missing: Some(0) };
        for _ in 0..50 {
            assert!(!some_codes(kind, 9, 4, &mut dice)[0]);
            assert_eq!(some_codes(kind, 3, 0, &mut dice), [true, false, false]);
        }
    }

    #[test]
    fn ranges_have_no_gaps_and_reach_every_code() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        let mut reached = [false; 6];
        for _ in 0..200 {
            let holds = some_codes(ORDERED, 6, 2, &mut dice);
            let (first, last) = (holds.iter().position(|&held| held), holds.iter().rposition(|&held| held));
            assert!(holds[first.unwrap()..=last.unwrap()].iter().all(|&held| held));
            reached.iter_mut().zip(holds).for_each(|(reached, held)| *reached |= held);
        }
        assert_eq!(reached, [true; 6]);
    }

    #[test]
    fn a_third_of_the_attributes_is_tested_at_once() {
        let domain = Domain::new(vec![2; 22]).unwrap();
        let table = Columns::new(domain, vec![vec![0]; 22]).unwrap();
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(draw(&table, &[ColumnKind::Categorical; 22], &mut dice).len(), 7);
        let kinds = [ColumnKind::Categorical; 21];
        assert!(matches!(score(&table, &table, &kinds, dice), Err(EvaluateError::Config { parameter: "kinds", .. })));
    }
}
