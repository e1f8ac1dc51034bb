//! Noisy tables of a model, with error bounds of their counts.

use std::borrow::Cow;
use std::f64::consts::SQRT_2;

use scumble_mechanisms::marginals::{Marginal, NoiseKind};
use scumble_mechanisms::{Model, Origin, ParityTable};
use scumble_schema::{Clique, Domain, cells};
use scumble_vault::Event;
use scumble_vault::account::Mechanism;

/// Number of standard deviations that contain normal noise, 95 times in 100.
const NORMAL: f64 = 1.96;
/// Number of standard deviations that contain Laplace noise, 95 times in 100: `ln 20` scales. For
/// sums of Laplace noise it is an upper bound.
const LAPLACE: f64 = 2.995_732_273_553_991 / SQRT_2;

/// A noisy table, released here or external.
pub(crate) struct NoisyTable<'a> {
    /// Columns of the table, among the recoded columns.
    pub(crate) clique: Cow<'a, Clique>,
    /// Number of counts.
    pub(crate) cells: u64,
    /// Standard deviation of the noise on each count, in rows.
    pub(crate) deviation: f64,
    /// Number of standard deviations that contain 95 % of the noise.
    reach: f64,
    /// The counts.
    values: Values<'a>,
}

/// Counts that were released here, or external and computed ones.
enum Values<'a> {
    Whole(&'a [i64]),
    Real(Cow<'a, [f64]>),
}

impl Values<'_> {
    fn get(&self, cell: usize) -> f64 {
        match self {
            Self::Whole(values) => values[cell] as f64,
            Self::Real(values) => values[cell],
        }
    }
}

impl NoisyTable<'_> {
    /// Returns the error bound of the sum of `counts` counts, which holds 95 times in 100. It is
    /// rounded up to a whole row, because counts are whole.
    pub(crate) fn error_of_sum(&self, counts: f64) -> f64 {
        (self.reach * self.deviation * counts.sqrt()).ceil()
    }

    /// Returns the error bound of one count, which holds 95 times in 100.
    pub(crate) fn error(&self) -> f64 {
        self.error_of_sum(1.0)
    }

    /// Sums the counts over all columns but those of `kept`, a subset of its columns.
    pub(crate) fn summed(&self, domain: &Domain, kept: &Clique) -> Vec<f64> {
        let axes: Vec<(usize, usize, usize)> = kept
            .attributes()
            .iter()
            .zip(cells::strides(domain, kept))
            .filter_map(|(&column, to)| {
                let place = self.clique.attributes().iter().position(|&own| own == column)?;
                Some((cells::strides(domain, &self.clique)[place], domain.size(column) as usize, to))
            })
            .collect();
        let mut sums = vec![0.0; axes.iter().map(|(_, size, _)| size).product()];
        for cell in 0..usize::try_from(self.cells).unwrap_or(0) {
            let kept: usize = axes.iter().map(|(from, size, to)| cell / from % size * to).sum();
            sums[kept] += self.values.get(cell);
        }
        sums
    }
}

/// Returns the noisy tables of a model, in the order of their release.
pub(crate) fn noisy_tables(model: &Model) -> Vec<NoisyTable<'_>> {
    match model.origin() {
        Origin::Measured { certificate, released, .. } => {
            let events = certificate.events().iter().zip(released);
            let released = events.filter_map(|(event, values)| released_table(event, values));
            released.chain(model.parity_tables().into_iter().map(parity_table)).collect()
        }
        Origin::External(marginals) => marginals.tables().iter().map(external_table).collect(),
    }
}

fn released_table<'a>(event: &'a Event, values: &'a [i64]) -> Option<NoisyTable<'a>> {
    let mechanism = event.mechanism();
    let reach = if matches!(mechanism, Mechanism::RoundedGaussian { .. }) { NORMAL } else { LAPLACE };
    let (clique, deviation) = (event.table()?, mechanism.standard_deviation()?);
    let clique = Cow::Borrowed(clique);
    Some(NoisyTable { clique, cells: event.length(), deviation, reach, values: Values::Whole(values) })
}

fn external_table(table: &Marginal) -> NoisyTable<'_> {
    // Noise of an unknown kind may be Laplace noise, which has the larger bound.
    let reach = if table.noise() == Some(NoiseKind::Gaussian) { NORMAL } else { LAPLACE };
    let table = table.measurement();
    let (values, deviation) = (table.values(), table.standard_deviation());
    let (clique, cells) = (Cow::Borrowed(table.clique()), values.len() as u64);
    NoisyTable { clique, cells, deviation, reach, values: Values::Real(values.into()) }
}

fn parity_table<'a>(table: ParityTable) -> NoisyTable<'a> {
    let ParityTable { clique, values, noise } = table;
    let (clique, cells) = (Cow::Owned(clique), values.len() as u64);
    NoisyTable { clique, cells, deviation: noise, reach: NORMAL, values: Values::Real(values.into()) }
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    #[test]
    fn errors_of_sums_grow_with_the_root_of_their_length() {
        let (clique, values) = (Cow::Owned(Clique::empty()), Values::Real(Cow::Borrowed(&[])));
        let table = NoisyTable { clique, cells: 100, deviation: 10.0, reach: NORMAL, values };
        assert!((table.error() - 20.0).abs() < 1e-9, "rounded up to a whole row");
        assert!((table.error_of_sum(100.0) - 196.0).abs() < 1e-9);
        assert!((LAPLACE - 20_f64.ln() / SQRT_2).abs() < 1e-12);
    }
    #[test]
    fn counts_are_summed_over_the_other_columns() {
        let domain = Domain::new(vec![2, 3, 2]).unwrap();
        let [all, kept] =
            [vec![0, 1, 2], vec![0, 2]].map(|columns| Clique::new(columns.into_iter().map(AttributeId::new)));
        let values: Vec<i64> = (0..12).collect();
        let table = NoisyTable {
            clique: Cow::Borrowed(&all),
            cells: 12,
            deviation: 1.0,
            reach: NORMAL,
            values: Values::Whole(&values),
        };
        // Cells of the first column's first code are 0 to 5; of these, the last column's first code
        // has the even ones.
        assert_eq!(table.summed(&domain, &kept), [6.0, 9.0, 24.0, 27.0]);
        assert_eq!(table.summed(&domain, &all), (0..12).map(f64::from).collect::<Vec<_>>());
    }
}
