//! Ratios of cells.
//!
//! A method based on marginals copies the cells of the tables it measures. So a row whose cells are
//! more frequent among the synthetic rows than in the population is more likely to be a member. The
//! score is the mean logarithm of these ratios over the tables that the method measured.
//!
//! The paper learns from shadow models which tables the method is likely to measure, and weights
//! them by that. A steward knows them: with a model, they are those of its certificate, and without
//! one all pairs of columns.
//!
//! # Reference
//! Golob, Pentyala, Maratkhan, De Cock, Privacy vulnerabilities in marginals-based synthetic data,
//! 2024, arXiv:2410.05506 (MAMA-MIA). The density ratio is that of van Breugel, Sun, Qian, van der
//! Schaar, Membership inference attacks against synthetic data through overfitting detection,
//! AISTATS 2023 (DOMIAS).
//!
//! The paper takes the mean of the ratios. The mean of their logarithms finds more members: it is
//! not dominated by one rare cell, and needs no limit on a ratio. Smoothing by half an auxiliary
//! row is ours too.

use std::collections::BTreeSet;

use scumble_mechanisms::Model;
use scumble_schema::{Clique, limits};

use crate::release::cells::Cells;
use crate::release::draw::Draw;
use crate::release::progress::Progress;
use crate::release::study::Study;

/// Maximum number of tables. Of more, this number is drawn at random.
const MAX_TABLES: usize = 1_000;
/// Number of auxiliary rows whose share is added to both densities, so that no cell is impossible.
const SMOOTHING: f64 = 0.5;

/// Returns the tables whose cells are compared.
pub(crate) fn tables(study: &Study<'_>) -> Vec<Clique> {
    let mut tables = measured(study);
    if tables.is_empty() {
        tables = pairs(study);
    }
    let mut places = Draw::Tables.places(study.seed, tables.len(), MAX_TABLES);
    places.sort_unstable();
    places.into_iter().map(|place| tables[place].clone()).collect()
}

/// Returns the tables that the model measured, each once.
fn measured(study: &Study<'_>) -> Vec<Clique> {
    let tables = study.model.map(Model::tables).unwrap_or_default();
    let domain = study.recoding.domain();
    let known = |table: &Clique| {
        let fits = table.attributes().iter().all(|column| column.index() < domain.len());
        !table.is_empty() && fits && domain.cells(table) <= limits::CELLS_PER_TABLE
    };
    let tables: BTreeSet<Clique> = tables.into_iter().map(|table| table.clique).filter(known).collect();
    tables.into_iter().collect()
}

/// Returns all pairs of columns, or the only column.
fn pairs(study: &Study<'_>) -> Vec<Clique> {
    let columns: Vec<_> = study.recoding.domain().attributes().collect();
    if let [only] = columns[..] {
        return vec![Clique::single(only)];
    }
    let after = |place: usize| columns[place + 1..].iter().map(move |&other| (place, other));
    let pairs = (0..columns.len()).flat_map(after);
    pairs.map(|(place, other)| Clique::new([columns[place], other])).collect()
}

/// Returns the mean log-ratio of every target.
pub(crate) fn scores(study: &Study<'_>, tables: &[Clique], progress: &Progress<'_>) -> Vec<f64> {
    let [synthetic, auxiliary] = [study.synthetic, &study.auxiliary].map(|table| 1.0 / table.rows() as f64);
    let mut scores = vec![0.0; study.targets.rows()];
    for table in tables {
        progress.step();
        let cells = Cells::new(&study.recoding, table.attributes());
        let [released, known] = [study.synthetic, &study.auxiliary].map(|table| cells.count(table));
        for (score, cell) in scores.iter_mut().zip(cells.of_rows(&study.targets)) {
            *score +=
                log_ratio(f64::from(released.get(cell)) * synthetic, f64::from(known.get(cell)) * auxiliary, auxiliary);
        }
    }
    let tables = tables.len().max(1) as f64;
    scores.into_iter().map(|score| score / tables).collect()
}

/// Returns the logarithm of the ratio of two densities, smoothed.
fn log_ratio(synthetic: f64, auxiliary: f64, one_row: f64) -> f64 {
    let smoothing = SMOOTHING * one_row;
    ((synthetic + smoothing) / (auxiliary + smoothing)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::fixture;

    #[test]
    fn ratios_of_a_small_example() {
        // Ten auxiliary rows, of which one has the cell; 4 of 10 synthetic rows have it.
        assert!((log_ratio(0.4, 0.1, 0.1) - 3.0_f64.ln()).abs() < 1e-12);
        assert!(log_ratio(0.0, 0.0, 0.1).abs() < 1e-12);
        assert!((log_ratio(0.0, 0.1, 0.1) + 3.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn without_a_model_all_pairs_are_compared() {
        let tables = fixture::tables(1, 40, 20, 20);
        let study = fixture::study(&tables, None);
        let pairs = super::tables(&study);
        let columns = study.targets.domain().len();
        assert_eq!(pairs.len(), columns * (columns - 1) / 2);
        assert!(pairs.iter().all(|pair| pair.len() == 2));
    }

    #[test]
    fn a_cell_that_is_more_frequent_in_the_release_raises_the_score() {
        let tables = fixture::tables(1, 400, 400, 400);
        let study = fixture::study(&tables, None);
        let chosen = super::tables(&study);
        let scores = scores(&study, &chosen, &Progress::new(0, &|_, _| ()));
        // By hand, for the first target.
        let mut expected = 0.0;
        for pair in &chosen {
            let same = |table: &crate::release::CodedTable, row: usize| {
                pair.attributes().iter().all(|&column| table.column(column)[row] == study.targets.column(column)[0])
            };
            let share = |table: &crate::release::CodedTable| {
                (0..table.rows()).filter(|&row| same(table, row)).count() as f64 / table.rows() as f64
            };
            let half = 0.5 / study.auxiliary.rows() as f64;
            expected += ((share(study.synthetic) + half) / (share(&study.auxiliary) + half)).ln();
        }
        assert!((scores[0] - expected / chosen.len() as f64).abs() < 1e-12);
    }
}
