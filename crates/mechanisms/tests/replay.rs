//! The replay battery, T1, for every method: one line each.

use std::error::Error;
use std::num::NonZeroU32;

use arrow_array::RecordBatch;
use scumble_mechanisms::{Method, Model, RowTotal, fit_in};
use scumble_pgm::Sampling;
use scumble_schema::Schema;
use scumble_testing::{Artefacts, Rows, Subject, integers, replay_battery};
use scumble_vault::{
    Accounting, AddRemove, Adjacency, ApproxDp, Budget, Delta, Epsilon, Gdp, ReplaceOne, Vault, replay,
};

replay_battery!(independent, Fit(Method::Independent), [gdp, pure]);

// A method without a line above does not compile.
const _: () = assert!(Method::ALL.len() == 1);

/// A fit, and rows drawn from its model.
struct Fit(Method);

impl<M: Accounting> Subject<AddRemove, M> for Fit {
    fn run(
        &self,
        vault: Vault<AddRemove, M>,
        budget: Budget<AddRemove, M>,
        schema: &Schema,
    ) -> Result<Artefacts, Box<dyn Error>> {
        self.artefacts(vault, budget, schema, RowTotal::Estimated)
    }
}

impl<M: Accounting> Subject<ReplaceOne, M> for Fit {
    fn run(
        &self,
        vault: Vault<ReplaceOne, M>,
        budget: Budget<ReplaceOne, M>,
        schema: &Schema,
    ) -> Result<Artefacts, Box<dyn Error>> {
        let rows = RowTotal::Public(vault.row_count()?);
        self.artefacts(vault, budget, schema, rows)
    }
}

impl Fit {
    fn artefacts<A: Adjacency, M: Accounting>(
        &self,
        vault: Vault<A, M>,
        budget: Budget<A, M>,
        schema: &Schema,
        rows: RowTotal,
    ) -> Result<Artefacts, Box<dyn Error>> {
        let model = fit_in(vault, budget, schema, self.0, rows)?;
        let synthetic: String = model.sample(50, 7, Sampling::LowVariance).map(|batch| every_value(&batch)).collect();
        Ok(Artefacts::new().with("model", model.to_bytes()).with("synthetic rows", synthetic))
    }
}

/// Arrow shows ten values of a longer column and leaves out the rest.
fn every_value(batch: &RecordBatch) -> String {
    let shown = |from: usize| format!("{:?}\n", batch.slice(from, (batch.num_rows() - from).min(10)).columns());
    (0..batch.num_rows()).step_by(10).map(shown).collect()
}

#[test]
fn a_model_of_a_replay_is_not_taken_for_a_real_one() {
    let schema = integers(&[2], 1, AddRemove::KIND);
    let source = Rows::new(schema.domain().clone(), vec![]);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    let (vault, budget, _) = replay::record::<AddRemove, Gdp>(Box::new(source), goal, NonZeroU32::MIN).unwrap();
    let model = fit_in(vault, budget, &schema, Method::Independent, RowTotal::Estimated).unwrap();
    assert!(Model::from_bytes(&model.to_bytes()).unwrap_err().to_string().contains("NOT PRIVATE"));
}
