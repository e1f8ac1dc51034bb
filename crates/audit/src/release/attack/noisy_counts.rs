//! The noisy counts of a model.
//!
//! A model file holds the noisy tables that it was fitted to. A member adds one row to its cell of
//! each of them. The score is the logarithm of the likelihood ratio of one row more, in a normal
//! approximation: a cell that counts `y` where the population expects `e` speaks for the row with
//! `(y - e) / v`, where `v` is the variance of noise, of the other rows and of the auxiliary
//! sample.
//!
//! Synthetic rows are computed from these counts, so whoever has the model has more to go by than
//! whoever has the rows. The score is not the best one: tables that share columns count twice.
//!
//! # Reference
//! Homer and others, Resolving individuals contributing trace amounts of DNA to highly complex
//! mixtures using high-density SNP genotyping microarrays, `PLoS` Genetics 2008: the first attack
//! on frequencies by such a sum. Sankararaman, Obozinski, Jordan, Halperin, Genomic privacy and
//! limits of individual detection in a pool, Nature Genetics 2009: the sum as a likelihood ratio.

use std::borrow::Cow;

use scumble_mechanisms::marginals::{Marginal, Marginals};
use scumble_mechanisms::{Model, Origin};
use scumble_schema::Clique;
use scumble_vault::Event;

use crate::release::cells::{Cells, index};
use crate::release::progress::Progress;
use crate::release::study::Study;

/// A noisy table of the model.
pub(crate) struct NoisyTable<'a> {
    clique: Cow<'a, Clique>,
    counts: Cow<'a, [f64]>,
    /// Standard deviation of the noise on each count.
    noise: f64,
}

/// Returns the noisy tables of the model; none without a model, or if other things were measured.
pub(crate) fn tables<'a>(study: &Study<'a>) -> Vec<NoisyTable<'a>> {
    let Some(model) = study.model else { return Vec::new() };
    let mut tables = match model.origin() {
        Origin::Measured { released, certificate, .. } => {
            let releases = certificate.events().iter().zip(released);
            let table = |(event, values): (&'a Event, &'a Vec<i64>)| {
                let unit = f64::from(event.lattice_log2()).exp2().recip();
                let counts = values.iter().map(|&value| value as f64 * unit).collect();
                let noise = event.mechanism().standard_deviation()? * unit;
                Some(NoisyTable { clique: Cow::Borrowed(event.table()?), counts: Cow::Owned(counts), noise })
            };
            releases.filter_map(table).collect()
        }
        Origin::External(marginals) => external(marginals),
    };
    tables.extend(parities(model));
    let domain = study.recoding.domain();
    let known = |clique: &Clique| clique.attributes().iter().all(|column| column.index() < domain.len());
    tables.retain(|NoisyTable { clique, counts, .. }| {
        !clique.is_empty() && known(clique) && domain.cells(clique) == counts.len() as u128
    });
    tables
}

fn external(marginals: &Marginals) -> Vec<NoisyTable<'_>> {
    let tables = marginals.tables().iter().map(Marginal::measurement);
    tables
        .map(|table| NoisyTable {
            clique: Cow::Borrowed(table.clique()),
            counts: Cow::Borrowed(table.values()),
            noise: table.standard_deviation(),
        })
        .collect()
}

/// Returns the tables that follow from released parities.
fn parities<'a>(model: &Model) -> impl Iterator<Item = NoisyTable<'a>> + use<'a> {
    model.parity_tables().into_iter().map(|table| NoisyTable {
        clique: Cow::Owned(table.clique),
        counts: Cow::Owned(table.values),
        noise: table.noise,
    })
}

/// Returns the log-likelihood ratio of every target.
pub(crate) fn scores(study: &Study<'_>, tables: &[NoisyTable<'_>], progress: &Progress<'_>) -> Vec<f64> {
    let rows = study.model.map_or(0.0, |model| model.rows() as f64);
    let known_rows = study.auxiliary.rows() as f64;
    let mut scores = vec![0.0; study.targets.rows()];
    for NoisyTable { clique, counts, noise } in tables {
        progress.step();
        let cells = Cells::new(&study.recoding, clique.attributes());
        let known = cells.count(&study.auxiliary);
        for (score, cell) in scores.iter_mut().zip(cells.of_rows(&study.targets)) {
            let cell_rows = f64::from(known.get(cell));
            *score += evidence(counts[index(cell)], *noise, rows, cell_rows, known_rows);
        }
    }
    scores
}

/// Returns the evidence of a cell's noisy count for one row more.
fn evidence(count: f64, noise: f64, rows: f64, cell_rows: f64, known_rows: f64) -> f64 {
    // Half a row more, so that a cell without auxiliary rows is not impossible.
    let share = (cell_rows + 0.5) / (known_rows + 1.0);
    let variance = rows * share * (1.0 - share).max(0.0) * (1.0 + rows / known_rows);
    // In the middle between one row more and none.
    (count - rows * share - 0.5) / (noise * noise + variance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::fixture;

    #[test]
    fn evidence_of_a_small_example() {
        // 9.5 of 100 rows are expected to have the cell, 12 do: two more than the middle between
        // 9.5 and 10.5. The variance of the noise is 4.
        let share = 9.5 / 100.0;
        let variance = 4.0 + 100.0 * share * (1.0 - share) * (1.0 + 100.0 / 99.0);
        assert!((evidence(12.0, 2.0, 100.0, 9.0, 99.0) - 2.0 / variance).abs() < 1e-12);
        // Without noise and without any such row in the population, a count of one nearly proves
        // it.
        assert!(evidence(1.0, 0.0, 100.0, 0.0, 1e9) > 1e4);
    }

    #[test]
    fn the_tables_are_those_that_the_model_measured() {
        let mut tables = fixture::tables(1, 200, 100, 0);
        let model = fixture::model(&tables.members, "mst", 1e5);
        tables.synthetic = fixture::sample(&model, 200);
        let study = fixture::study(&tables, Some(&model));
        let noisy = super::tables(&study);
        assert_eq!(noisy.len(), model.tables().iter().filter(|table| !table.clique.is_empty()).count());
        // With little noise, the counts are those of the members.
        for table in &noisy {
            let counts = Cells::new(&study.recoding, table.clique.attributes()).count(&tables.members);
            assert!(table.noise < 1.0, "{}", table.noise);
            for (cell, count) in (0..).zip(table.counts.iter()) {
                assert!((f64::from(counts.get(cell)) - count).abs() < 6.0 * table.noise + 1.0);
            }
        }
        assert!(super::tables(&fixture::study(&tables, None)).is_empty());
    }
}
