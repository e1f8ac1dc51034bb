//! The replay battery, T1, for every method and every option that changes what is asked.

use std::error::Error;
use std::num::NonZeroU32;

use arrow_array::RecordBatch;
use scumble_mechanisms::{Fitting, MechanismError, Method, Model, Neighbours, fit_in};
use scumble_pgm::Sampling;
use scumble_schema::{Clique, Schema};
use scumble_testing::{Artefacts, Rows, Subject, integers, replay_battery};
use scumble_vault::{AddRemove, Adjacency, ApproxDp, Budget, Delta, Epsilon, Gdp, Pure, ReplaceOne, Vault, replay};

replay_battery!(independent, named("independent", &[]), [gdp, pure]);
replay_battery!(privbayes, named("privbayes", &[]), [pure]);
replay_battery!(privbayes_of_bits, named("privbayes", &["encoding=binary", "degree=1", "score=f"]), [pure]);
// Groups of two codes, so that the small domains of the battery have coarser versions.
replay_battery!(
    privbayes_of_coarser_versions,
    named("privbayes", &["encoding=hierarchical", "group=2", "theta=0.5"]),
    [pure]
);
replay_battery!(privbayes_of_degree_two, named("privbayes", &["degree=2", "score=r"]), [pure]);
replay_battery!(privbayes_by_information, named("privbayes", &["degree=1", "score=i"]), [pure], replace_one);
replay_battery!(privbayes_nist, named("privbayes-nist", &[]), [gdp]);
// Most of the budget for the scores makes networks with parents.
replay_battery!(
    privbayes_nist_of_coarser_versions,
    named("privbayes-nist", &["network_share=0.7", "group_width=2", "consistency=none", "probabilities=clipped"]),
    [gdp]
);
replay_battery!(pb_pgm, named("pb-pgm", &["degree=1"]), [pure, zcdp]);
replay_battery!(smoothed_histogram, named("smoothed-histogram", &[]), [pure, zcdp], replace_one);
replay_battery!(
    smoothed_histogram_of_so_many_rows,
    named("smoothed-histogram", &["rows=30"]),
    [pure, zcdp],
    replace_one
);

// A method without a line above does not compile.
const _: () = assert!(Method::NAMES.len() == 5);

/// A fit, and rows drawn from its model.
struct Fit(Method);

/// A fit by the method of this name, with these options.
fn named(name: &str, options: &[&str]) -> Fit {
    Fit(Method::named(name).unwrap().with_options(options.iter().copied()).unwrap())
}

impl<A: Neighbours, M: Fitting> Subject<A, M> for Fit {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        let model = fit_in(vault, budget, schema, &self.0)?;
        let drawn = |sampling| model.sample(50, 7, sampling).map(|batch| every_value(&batch)).collect::<String>();
        Ok(Artefacts::new()
            .with("model", model.to_bytes())
            .with("rows out of expected counts", drawn(Sampling::LowVariance))
            .with("rows one by one", drawn(Sampling::Independent)))
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
    let model = fit_in(vault, budget, &schema, &Method::Independent).unwrap();
    assert!(Model::from_bytes(&model.to_bytes()).unwrap_err().to_string().contains("NOT PRIVATE"));
}

/// The tables of the battery are small. This one has enough rows for scores, a head, parents and columns in two steps.
fn a_table_of_many_rows_is_replayed<A: Neighbours>(changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let fit = named("privbayes-nist", &["group_width=3"]);
    let schema = integers(&[2, 2, 3, 60], 1, A::KIND);
    let rows: Vec<Vec<u32>> = (0..2_000).map(|row| vec![row % 2, row % 2, row % 6 / 2, row % 60]).collect();
    let mut neighbour = rows.clone();
    changed(&mut neighbour);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-5).unwrap() };
    let source = |rows: &Vec<Vec<u32>>| Box::new(Rows::new(schema.domain().clone(), rows.clone()));
    let (vault, budget, recorder) = replay::record::<A, Gdp>(source(&rows), goal, NonZeroU32::MIN).unwrap();
    let first = fit.run(vault, budget, &schema).unwrap();
    let recording = recorder.finish();
    let (vault, budget, recorder) =
        replay::force::<A, Gdp>(source(&neighbour), goal, NonZeroU32::MIN, &recording).unwrap();
    assert_eq!(fit.run(vault, budget, &schema).unwrap(), first);
    recording.check_neighbour(&recorder.finish()).unwrap();
    let tables = || recording.events().filter_map(|event| event.table());
    assert_eq!(recording.events().filter(|event| event.table().is_none()).count(), 1, "scores, in one event");
    assert!(tables().any(|table| table.len() > 1), "no relation was measured");
    let coarser = |table: &Clique| table.attributes().iter().any(|column| column.index() >= 4);
    assert!(tables().any(coarser), "no coarser version was measured");
}

#[test]
fn a_row_added_to_a_table_of_many_rows() {
    a_table_of_many_rows_is_replayed::<AddRemove>(|rows| rows.push(vec![1, 0, 2, 59]));
}

#[test]
fn a_row_replaced_in_a_table_of_many_rows() {
    a_table_of_many_rows_is_replayed::<ReplaceOne>(|rows| rows[0] = vec![1, 0, 2, 59]);
}

#[test]
fn what_needs_a_public_number_of_rows_is_refused_without_it() {
    let schema = integers(&[2, 3, 2], 1, AddRemove::KIND);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
    for fit in [named("privbayes", &["degree=1", "score=i"]), named("smoothed-histogram", &[])] {
        let source = Rows::new(schema.domain().clone(), vec![vec![0, 0, 0]; 10]);
        let (vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(source), goal, NonZeroU32::MIN).unwrap();
        let refused = fit_in(vault, budget, &schema, &fit.0);
        assert!(matches!(refused, Err(MechanismError::NeedsPublicRows { .. })));
    }
}
