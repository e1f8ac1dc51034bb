//! Tables over few columns.

use scumble_schema::{Clique, Schema};
use serde::Serialize;

use super::{Beside, Settings, mean, names};
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::marginal::MarginalSets;
use crate::marginal::compare::compare;

/// Of each order so many of the worst tables are named.
const WORST: usize = 10;

/// How far tables over few columns are from the real ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarginalScores {
    /// All tables, order by order.
    pub orders: Vec<OrderScore>,
    /// Every column by itself, if tables of one column were compared; in the order of the schema, as far as they were.
    pub columns: Vec<TableScore>,
    /// Of each order from two on the tables that are farthest beyond what chance explains, the worst first.
    pub worst: Vec<TableScore>,
}

/// How far the tables over one number of columns are from the real ones, all together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderScore {
    /// How many columns each table spans.
    pub order: usize,
    /// How many tables were compared.
    pub tables: usize,
    /// The mean total variation distance.
    pub mean: Beside,
    /// The largest distance, beside the largest that is expected of any table by chance.
    pub largest: Beside,
    /// The table that has it.
    pub largest_of: Vec<String>,
}

/// How far one table over a few columns is from the real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableScore {
    /// The columns that it spans.
    pub columns: Vec<String>,
    /// The total variation distance.
    pub distance: Beside,
}

impl TableScore {
    /// How much farther it is than rows drawn from the real table itself would be: what chance does not explain.
    pub fn excess(&self) -> f64 {
        self.distance.value - self.distance.achievable
    }
}

impl MarginalScores {
    pub(super) fn new(
        real: &Columns,
        synthetic: &Columns,
        schema: &Schema,
        settings: &Settings,
    ) -> Result<Self, EvaluateError> {
        let sets = MarginalSets::drawn(schema.domain().len(), &settings.orders, settings.count);
        let cliques: Vec<Clique> = sets.orders().flat_map(|(_, cliques)| cliques).cloned().collect();
        let compared = compare(real, synthetic, &cliques)?;
        let mut compared = cliques.iter().zip(compared).map(|(clique, compared)| TableScore {
            columns: names(schema, clique.attributes()),
            distance: Beside { value: compared.distance, achievable: compared.expected },
        });
        let (mut orders, mut columns, mut worst) = (Vec::new(), Vec::new(), Vec::new());
        for (order, cliques) in sets.orders() {
            let mut tables: Vec<TableScore> = compared.by_ref().take(cliques.len()).collect();
            orders.push(OrderScore::new(order, &tables));
            if order == 1 {
                columns = tables;
                continue;
            }
            tables.sort_by(|left, right| right.excess().total_cmp(&left.excess()));
            tables.truncate(WORST);
            worst.extend(tables);
        }
        Ok(Self { orders, columns, worst })
    }
}

impl OrderScore {
    /// `tables` are not none.
    fn new(order: usize, tables: &[TableScore]) -> Self {
        let largest = tables.iter().max_by(|left, right| left.distance.value.total_cmp(&right.distance.value));
        let largest = largest.expect("an order has a table");
        let distances = || tables.iter().map(|table| table.distance);
        Self {
            order,
            tables: tables.len(),
            mean: Beside {
                value: mean(distances().map(|distance| distance.value)),
                achievable: mean(distances().map(|distance| distance.achievable)),
            },
            largest: Beside {
                value: largest.distance.value,
                achievable: distances().map(|distance| distance.achievable).fold(0.0, f64::max),
            },
            largest_of: largest.columns.clone(),
        }
    }
}
