//! Tables that follow from released parities.

use std::collections::HashMap;

use scumble_schema::Clique;
use scumble_vault::Event;

use super::Model;
use crate::learning::merging::non_constant_columns;
use crate::methods::auto::parities::sets;
use crate::model::origin::Origin;

/// A noisy table computed from released parities. Tables that share columns share noise.
#[derive(Debug, Clone, PartialEq)]
pub struct ParityTable {
    /// Its columns.
    pub clique: Clique,
    /// One noisy count per cell, in the order of [`scumble_schema::cells`].
    pub values: Vec<f64>,
    /// Standard deviation of the noise on each count, in rows.
    pub noise: f64,
}

/// A released number and the standard deviation of its noise.
#[derive(Clone, Copy)]
struct Noisy {
    value: f64,
    noise: f64,
}

impl Model {
    /// Returns the tables that follow from parities of binary columns, one for each measured set of
    /// columns; none if other things were measured.
    ///
    /// A count is a mean of the parities of all subsets, each with the sign that its cell has in
    /// it.
    pub fn parity_tables(&self) -> Vec<ParityTable> {
        let Origin::Measured { released, certificate, .. } = &self.origin else { return Vec::new() };
        let domain = self.recoding.domain();
        let columns = non_constant_columns(domain);
        let releases = || certificate.events().iter().zip(released);
        let rows = releases().find(|(event, _)| event.table().is_some_and(Clique::is_empty));
        // Without such a release the number of rows is public.
        let rows = rows.and_then(|(event, values)| noisy(event, values).next());
        let mut parities =
            HashMap::from([(Clique::empty(), rows.unwrap_or(Noisy { value: self.rows as f64, noise: 0.0 }))]);
        let mut all_sets = Vec::new();
        for (size, (event, values)) in (1..).zip(releases().filter(|(event, _)| event.question().is_of_parities())) {
            for (set, parity) in sets(&columns, size).zip(noisy(event, values)) {
                parities.insert(set.clone(), parity);
                all_sets.push(set);
            }
        }
        all_sets.into_iter().map(|set| table(set, &parities)).collect()
    }
}

fn noisy(event: &Event, values: &[i64]) -> impl Iterator<Item = Noisy> {
    let unit = f64::from(event.lattice_log2()).exp2().recip();
    let noise = event.mechanism().standard_deviation().unwrap_or_default() * unit;
    values.iter().map(move |&value| Noisy { value: value as f64 * unit, noise })
}

fn table(clique: Clique, parities: &HashMap<Clique, Noisy>) -> ParityTable {
    let columns = clique.attributes();
    let cells = 1_usize << columns.len();
    // Bits of a cell are codes, the first column first.
    let bit = |place: usize| 1 << (columns.len() - 1 - place);
    let subset =
        |set: usize| Clique::new((0..columns.len()).filter(|&place| set & bit(place) != 0).map(|place| columns[place]));
    let subsets: Vec<(usize, Noisy)> = (0..cells).map(|set| (set, parities[&subset(set)])).collect();
    let sign = |cell: usize, set: usize| if (cell & set).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    let count = |cell: usize| subsets.iter().map(|&(set, parity)| sign(cell, set) * parity.value).sum::<f64>();
    let values = (0..cells).map(|cell| count(cell) / cells as f64).collect();
    let variance: f64 = subsets.iter().map(|(_, parity)| parity.noise.powi(2)).sum();
    ParityTable { values, noise: variance.sqrt() / cells as f64, clique }
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    #[test]
    fn a_table_follows_from_its_parities() {
        // 40, 10, 20 and 30 rows.
        let [one, other] = [0, 1].map(|column| Clique::single(AttributeId::new(column)));
        let both = Clique::new([0, 1].map(AttributeId::new));
        let of = |value: f64, noise: f64| Noisy { value, noise };
        let parities = HashMap::from([
            (Clique::empty(), of(100.0, 0.0)),
            (one.clone(), of(0.0, 3.0)),
            (other, of(20.0, 3.0)),
            (both.clone(), of(40.0, 4.0)),
        ]);
        let pair = table(both, &parities);
        assert_eq!(pair.values, [40.0, 10.0, 20.0, 30.0]);
        assert!((pair.noise - 34_f64.sqrt() / 4.0).abs() < 1e-12);
        assert_eq!(table(one, &parities).values, [50.0, 50.0]);
    }
}
