//! Distances of the marginals of a synthetic table from those of the real one.

mod buckets;
pub(crate) mod compare;
pub(crate) mod count;
mod distance;
mod expected;
pub(crate) mod one_way;
mod sets;
mod shared;
mod split;
pub mod subgroup;

use std::fmt;

use scumble_schema::Clique;
use serde::Serialize;

use self::compare::compare;
pub use self::sets::MarginalSets;
pub(crate) use self::shared::for_each_table;
use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
use crate::table::Columns;

/// Distances of the marginals of a synthetic table from the real ones, by order: the number of
/// columns that they span.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarginalDistances {
    stamp: &'static str,
    orders: Vec<OrderDistance>,
}

/// Total variation distances of all compared marginals of one order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderDistance {
    /// Number of columns that each marginal spans.
    pub order: usize,
    /// Mean distance.
    pub mean: f64,
    /// Largest distance.
    pub max: f64,
    /// Number of marginals that were compared.
    pub count: usize,
}

impl MarginalDistances {
    /// Compares two tables over one domain on every set of columns.
    ///
    /// A distance is half the sum of the absolute differences of shares, so the tables may differ
    /// in their numbers of rows. It is computed in integers and rounded once, so it does not depend
    /// on the order of the rows or the number of threads.
    ///
    /// # Errors
    /// If the tables or the sets are over different domains, or a marginal has more than 2^62
    /// cells.
    pub fn between(real: &Columns, synthetic: &Columns, sets: &MarginalSets) -> Result<Self, EvaluateError> {
        if real.domain() != synthetic.domain() {
            return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
        }
        let cliques: Vec<Clique> = sets.orders().flat_map(|(_, cliques)| cliques).cloned().collect();
        let mut distances = compare(real, synthetic, &cliques)?.into_iter().map(|compared| compared.distance);
        let orders = sets.orders().map(|(order, cliques)| {
            OrderDistance::of(order, &distances.by_ref().take(cliques.len()).collect::<Vec<_>>())
        });
        Ok(Self { stamp: NOT_PRIVATE, orders: orders.collect() })
    }

    /// Returns the distances, by ascending order.
    pub fn orders(&self) -> &[OrderDistance] {
        &self.orders
    }

    /// Returns the distances of one order; `None` if no set has it.
    pub fn order(&self, order: usize) -> Option<&OrderDistance> {
        self.orders.iter().find(|distance| distance.order == order)
    }
}

impl OrderDistance {
    /// Summarises `distances`, which must not be empty.
    fn of(order: usize, distances: &[f64]) -> Self {
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        Self { order, mean, max: distances.iter().copied().fold(0.0, f64::max), count: distances.len() }
    }
}

impl fmt::Display for MarginalDistances {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        for OrderDistance { order, mean, max, count } in &self.orders {
            writeln!(formatter, "{order}-way: mean {mean:.5}, worst {max:.5} of {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    fn table(sizes: [u32; 2], codes: [&[u32]; 2]) -> Columns {
        Columns::new(Domain::new(sizes.to_vec()).unwrap(), codes.map(<[u32]>::to_vec).to_vec()).unwrap()
    }

    #[test]
    fn means_and_maxima_are_taken_order_by_order() {
        let real = table([2, 2], [&[0, 0, 1, 1], &[0, 0, 1, 1]]);
        let synthetic = table([2, 2], [&[0, 0, 0, 1], &[0, 1, 0, 1]]);
        let pair = Clique::new(real.domain().attributes());
        let sets = MarginalSets::new(real.domain().one_way().into_iter().chain([pair]));
        let distances = MarginalDistances::between(&real, &synthetic, &sets).unwrap();
        // First column 1/2, 1/2 against 3/4, 1/4; second equal. Pairs 1/2, 0, 0, 1/2 against 1/2,
        // 1/4, 0, 1/4.
        let singles = OrderDistance { order: 1, mean: 0.125, max: 0.25, count: 2 };
        let pairs = OrderDistance { order: 2, mean: 0.25, max: 0.25, count: 1 };
        assert_eq!(distances.orders(), [singles, pairs]);
        assert_eq!(distances.order(3), None);
        assert_eq!(
            distances.to_string(),
            format!(
                "{NOT_PRIVATE}\n1-way: mean 0.12500, worst 0.25000 of 2\n2-way: mean 0.25000, worst 0.25000 of 1\n"
            )
        );
    }

    #[test]
    fn tables_over_other_domains_are_not_compared() {
        let real = table([2, 2], [&[0], &[0]]);
        let other = table([2, 3], [&[0], &[0]]);
        let sets = MarginalSets::new(real.domain().one_way());
        let compared = MarginalDistances::between(&real, &other, &sets);
        assert!(matches!(compared, Err(EvaluateError::OtherDomain { .. })));
    }
}
