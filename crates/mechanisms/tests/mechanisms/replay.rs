//! The replay battery, T1, for every method and every option that changes releases.

use std::collections::BTreeMap;
use std::error::Error;
use std::num::{NonZeroU32, NonZeroUsize};

use arrow_array::RecordBatch;
use scumble_mechanisms::quality::{Check, Figure};
use scumble_mechanisms::{
    MechanismError, Method, MethodAccounting, MethodAdjacency, Model, Workload, fit_and_check_in, fit_in,
};
use scumble_pgm::Sampling;
use scumble_schema::{Clique, Condition, HierarchySpec, RangeSpec, RuleSpec, Scalar, Schema};
use scumble_testing::{
    Artefacts, BatteryAdjacency as Battery, RowSource, Subject, assert_part, integers, replay_battery,
};
use scumble_vault::replay::Recording;
use scumble_vault::{
    Accounting, AddRemove, Adjacency, ApproxDp, Budget, Delta, Epsilon, Event, Gdp, Pure, ReplaceOne, Vault, replay,
};

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

replay_battery!(privmrf_of_the_paper, named("privmrf", &["profile=paper", "candidates=6"]), [gdp]);
// Lower demands on tables make more candidates of small tables useful.
replay_battery!(
    privmrf_of_the_paper_by_fill,
    named("privmrf", &["profile=paper", "candidates=4", "theta=0.5", "edges=related-with-fill", "most_columns=2"]),
    [gdp]
);
// How a model is fitted changes no question, and by the letter it takes longer.
replay_battery!(
    privmrf_of_the_paper_by_its_letter,
    named(
        "privmrf",
        &[
            "profile=paper",
            "candidates=6",
            "initial=best-of-all",
            "redundancy=rows",
            "rounds=one-table",
            "most_columns=null"
        ]
    ),
    [gdp]
);

replay_battery!(auto, named("auto", &["candidates=10", "rounds_per_column=0.5", "most_columns=3"]), [gdp]);
// Columns of three codes are taken in two groups.
replay_battery!(
    auto_of_groups,
    named(
        "auto",
        &["candidates=8", "rounds_per_column=0.3", "most_columns=2", "large_column=2", "groups=2", "last_round=0.5",]
    ),
    [gdp]
);

// Binary columns have rounds, too. Pairs and few candidates keep the models small.
replay_battery!(
    auto_for_a_workload,
    named(
        "auto",
        &[
            "candidates=6",
            "rounds_per_column=0.3",
            "most_columns=2",
            "parities=false",
            r#"workload=[{"columns": [0, 1], "weight": 3}, {"target": 1}]"#,
        ]
    ),
    [gdp]
);

replay_battery!(mst, named("mst", &[]), [gdp, zcdp]);
// Nearly nothing is rare, so that there is a tree also where noise is large.
replay_battery!(mst_of_nearly_all_values, named("mst", &["merge_below=0.3", "spread=null"]), [gdp]);

replay_battery!(mst_for_a_workload, named("mst", &["merge_below=0.3", r#"workload=[{"columns": [0, 1]}]"#]), [gdp]);

replay_battery!(aim, named("aim", &["rounds_per_column=1", "workload_columns=2", "candidates=8"]), [gdp, zcdp]);
replay_battery!(
    aim_for_a_named_workload,
    named("aim", &[r#"workload=[{"columns": [0, 1], "weight": 3}]"#, "rounds_per_column=2", "spread=null"]),
    [gdp]
);

// A method without a line above does not compile.
const _: () = assert!(Method::NAMES.len() == 9);

/// A fit, and rows drawn from its model.
struct Fit(Method);

/// A fit by the method of this name, with these options.
fn named(name: &str, options: &[&str]) -> Fit {
    Fit(Method::named(name).unwrap().with_options(options.iter().copied()).unwrap())
}

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Fit {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        let model = fit_in(vault, budget, schema, &self.0)?;
        let drawn = |sampling| model.sample(50, 7, sampling).map(|batch| every_value(&batch)).collect::<String>();
        Ok(Artefacts::new()
            .with("model", model.to_bytes())
            .with("rows out of expected counts", drawn(Sampling::LowVariance))
            .with("rows one by one", drawn(Sampling::Independent)))
    }
}

/// Replays every 19th pair of every part of the battery, for facts of a schema. The whole battery
/// covers the method itself.
fn some_of_all_parts<A: Battery, M: Accounting>(subject: &impl Subject<A, M>) {
    const EVERY: NonZeroUsize = NonZeroUsize::new(19).unwrap();
    for (part, first) in A::PARTS.iter().zip(0..) {
        assert_part(&part().thinned(EVERY, first), subject);
    }
}

/// Declared levels: of the values of each column, the first two are one group.
#[test]
fn declared_levels() {
    let auto = Levelled(named("auto", &["candidates=8", "rounds_per_column=0.5", "most_columns=2"]));
    some_of_all_parts::<AddRemove, Gdp>(&auto);
    some_of_all_parts::<ReplaceOne, Gdp>(&auto);
    let mst = Levelled(named("mst", &["merge_below=0.3"]));
    some_of_all_parts::<AddRemove, Gdp>(&mst);
    some_of_all_parts::<ReplaceOne, Gdp>(&mst);
    let privbayes = Levelled(named("privbayes", &["encoding=hierarchical", "theta=0.5"]));
    some_of_all_parts::<AddRemove, Pure>(&privbayes);
    some_of_all_parts::<ReplaceOne, Pure>(&privbayes);
}

/// Rules: the first values of the first two columns exclude each other, and the last column follows
/// from the one before it. Rows that break them are among the tables.
#[test]
fn rules_between_columns() {
    for ruled in [
        named("auto", &["candidates=8", "rounds_per_column=0.5", "most_columns=2"]),
        named("mst", &["merge_below=0.3"]),
        named("aim", &["rounds_per_column=1", "candidates=8"]),
        named("privmrf", &["profile=paper", "candidates=6"]),
    ] {
        let ruled = Ruled(ruled);
        some_of_all_parts::<AddRemove, Gdp>(&ruled);
        some_of_all_parts::<ReplaceOne, Gdp>(&ruled);
    }
    let network = Ruled(named("pb-pgm", &["degree=1"]));
    some_of_all_parts::<AddRemove, Pure>(&network);
    some_of_all_parts::<ReplaceOne, Pure>(&network);
}

/// A fit that compares its rows with the real ones, by every kind of figure.
#[test]
fn checked_rows() {
    for (method, options) in [("auto", &["candidates=8", "rounds_per_column=0.5", "most_columns=2"][..]), ("mst", &[])]
    {
        let checked = Checked(named(method, options));
        some_of_all_parts::<AddRemove, Gdp>(&checked);
        some_of_all_parts::<ReplaceOne, Gdp>(&checked);
    }
    let checked = Checked(named("pb-pgm", &["degree=1"]));
    some_of_all_parts::<AddRemove, Pure>(&checked);
    some_of_all_parts::<ReplaceOne, Pure>(&checked);
}

/// A fit whose rows are checked, under rules where its method keeps them.
struct Checked(Fit);

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Checked {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        let schema = &ruled(schema);
        let mut figures = Figure::defaults(schema, &Workload::EMPTY).unwrap();
        for attribute in schema.attributes() {
            figures.push(Figure::Accuracy { column: attribute.name().into() });
            if attribute.number(0).is_some() {
                figures.push(Figure::Mean { column: attribute.name().into(), within: None });
                figures.push(Figure::Regression { column: attribute.name().into() });
            }
        }
        let check = Check { figures, ..Check::new(None) };
        let model = fit_and_check_in(vault, budget, schema, &self.0.0, Some(&check))?;
        Ok(Artefacts::new().with("model", model.to_bytes()).with("figures", format!("{:?}", model.checked())))
    }
}

/// A fit of the same columns, of which those of three values and more have a hierarchy of one
/// level.
struct Levelled(Fit);

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Levelled {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        self.0.run(vault, budget, &levelled(schema))
    }
}

fn levelled(schema: &Schema) -> Schema {
    let mut spec = schema.to_spec();
    for (field, attribute) in spec.fields.iter_mut().zip(schema.attributes()) {
        if attribute.declared_codes() > 2 {
            let parents = (0..attribute.declared_codes()).map(|value| Scalar::Integer(value.saturating_sub(1).into()));
            field.dp.hierarchy = Some(HierarchySpec { file: None, levels: Some(vec![parents.collect()]) });
        }
    }
    Schema::new(spec).expect("a sound schema with sound levels")
}

/// A fit of the same columns under rules.
struct Ruled(Fit);

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Ruled {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        self.0.run(vault, budget, &ruled(schema))
    }
}

fn ruled(schema: &Schema) -> Schema {
    let mut spec = schema.to_spec();
    let first_value = |place: usize| {
        let attribute = &schema.attributes()[place];
        let constraints = &attribute.spec().constraints;
        let first = constraints.categories.as_ref().and_then(|all| all.first()).or(constraints.minimum.as_ref());
        let condition = match attribute.bin(0) {
            Some((from, below)) if from != below => {
                Condition::Range(RangeSpec { from: Some(from), below: Some(below), ..RangeSpec::default() })
            }
            _ => Condition::One(first.cloned().unwrap_or(Scalar::Boolean(false))),
        };
        (attribute.name().to_owned(), condition)
    };
    let last = spec.fields.len() - 1;
    spec.dp.rules = vec![RuleSpec::Forbid(BTreeMap::from([first_value(0), first_value(1)]))];
    if last > 1 && spec.fields.iter().all(|field| field.field_type == "integer") {
        let [column, other] = [&schema.attributes()[last - 1], &schema.attributes()[last]];
        let follows = |value: u32| (value.to_string(), Scalar::Integer((value % other.declared_codes()).into()));
        spec.dp.rules.push(RuleSpec::Determines {
            column: column.name().into(),
            other: other.name().into(),
            by: (0..column.declared_codes()).map(follows).collect(),
        });
    }
    Schema::new(spec).expect("a sound schema with sound rules")
}

/// Arrow shows ten values of a longer column and leaves out the rest.
fn every_value(batch: &RecordBatch) -> String {
    let shown = |from: usize| format!("{:?}\n", batch.slice(from, (batch.num_rows() - from).min(10)).columns());
    (0..batch.num_rows()).step_by(10).map(shown).collect()
}

#[test]
fn a_model_of_a_replay_is_not_taken_for_a_real_one() {
    let schema = integers(&[2], 1, AddRemove::KIND);
    let source = RowSource::new(schema.domain().clone(), vec![]);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    let (vault, budget, _) = replay::record::<AddRemove, Gdp>(Box::new(source), goal, NonZeroU32::MIN).unwrap();
    let model = fit_in(vault, budget, &schema, &Method::INDEPENDENT).unwrap();
    assert!(Model::from_bytes(&model.to_bytes()).unwrap_err().to_string().contains("NOT PRIVATE"));
}

/// Replays a larger table than those of the battery, with more releases. Returns the recording.
fn replayed<A: MethodAdjacency>(
    fit: &Fit,
    (sizes, rows): (&[u32], &[Vec<u32>]),
    epsilon: f64,
    changed: impl Fn(&mut Vec<Vec<u32>>),
) -> Recording {
    let schema = integers(sizes, 1, A::KIND);
    let mut neighbour = rows.to_vec();
    changed(&mut neighbour);
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-5).unwrap() };
    let source = |rows: &[Vec<u32>]| Box::new(RowSource::new(schema.domain().clone(), rows.to_vec()));
    let (vault, budget, recorder) = replay::record::<A, Gdp>(source(rows), goal, NonZeroU32::MIN).unwrap();
    let first = fit.run(vault, budget, &schema).unwrap();
    let recording = recorder.finish();
    let (vault, budget, recorder) =
        replay::force::<A, Gdp>(source(&neighbour), goal, NonZeroU32::MIN, &recording).unwrap();
    assert_eq!(fit.run(vault, budget, &schema).unwrap(), first);
    recording.check_neighbour(&recorder.finish()).unwrap();
    recording
}

/// This one has enough rows for scores, a head, parents and columns in two steps.
fn a_table_of_many_rows_is_replayed<A: MethodAdjacency>(changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let fit = named("privbayes-nist", &["group_width=3"]);
    let rows: Vec<Vec<u32>> = (0..2_000).map(|row| vec![row % 2, row % 2, row % 6 / 2, row % 60]).collect();
    let recording = replayed::<A>(&fit, (&[2, 2, 3, 60], &rows), 1.0, changed);
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

/// The rounds of `privmrf`, which small tables hardly have.
fn rounds_are_replayed<A: MethodAdjacency>(options: &[&str], changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let row = |row: u32| vec![row % 2, row % 2, row % 6 / 2, row / 3 % 4, row / 7 % 2, (row % 2) * 3 + row / 3 % 2];
    let rows: Vec<Vec<u32>> = (0..4_000).map(row).collect();
    let recording = replayed::<A>(&named("privmrf", options), (&[2, 2, 3, 4, 2, 5], &rows), 2.0, changed);
    assert!(recording.events().filter(|event| event.table().is_none()).count() > 3, "pairs, and rounds of errors");
    assert!(recording.events().filter_map(|event| event.table()).any(|table| table.len() > 2), "larger tables");
}

#[test]
fn rounds_of_the_paper_with_a_row_added() {
    let letter = ["profile=paper", "initial=best-of-all", "redundancy=rows", "rounds=one-table", "fit=converged"];
    rounds_are_replayed::<AddRemove>(&letter, |rows| rows.push(vec![1, 0, 2, 3, 1, 4]));
}

#[test]
fn rounds_of_the_paper_with_a_row_replaced() {
    rounds_are_replayed::<ReplaceOne>(&["profile=paper", "refinement=2"], |rows| rows[0] = vec![1, 0, 2, 3, 1, 4]);
}

/// The selections of `auto` among columns and groups of their codes.
fn choices_are_replayed<A: MethodAdjacency>(changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let row = |row: u32| vec![row % 2, row % 2, row % 6 / 2, row * 7 % 100, row * 7 % 100 / 25, row / 7 % 2];
    let rows: Vec<Vec<u32>> = (0..4_000).map(row).collect();
    let fit = named("auto", &["candidates=200", "large_column=40", "groups=8"]);
    let recording = replayed::<A>(&fit, (&[2, 2, 3, 100, 4, 2], &rows), 2.0, changed);
    let tables = || recording.events().filter_map(|event| event.table());
    assert_eq!(recording.events().filter(|event| event.table().is_none()).count(), 9, "choices");
    assert_eq!(tables().filter(|table| table.len() == 1).count(), 12, "every column, twice");
    assert_eq!(tables().filter(|table| table.len() > 1).count(), 9);
    let coarser = |table: &Clique| table.attributes().iter().any(|column| column.index() >= 6);
    assert!(tables().any(coarser), "no groups were measured");
}

#[test]
fn selections_with_a_row_added() {
    choices_are_replayed::<AddRemove>(|rows| rows.push(vec![1, 0, 2, 99, 0, 1]));
}

#[test]
fn selections_with_a_row_replaced() {
    choices_are_replayed::<ReplaceOne>(|rows| rows[0] = vec![1, 0, 2, 99, 0, 1]);
}

/// The selections of `auto` for a tree of pairs, or for rounds, and then for the rows.
fn tables_for_rows_are_replayed<A: MethodAdjacency>(size: u32, changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let row = |row: u32| [1, 1, 3, 5, 7, 11].map(|step| (row * step + row / 40 % 3) % size).to_vec();
    let rows: Vec<Vec<u32>> = (0..40_000).map(row).collect();
    let fit = named("auto", &["candidates=100", "model_cells=2000"]);
    let recording = replayed::<A>(&fit, (&[size; 6], &rows), 4.0, changed);
    let tables: Vec<&Clique> = recording.events().filter_map(|event| event.table()).collect();
    let choices = recording.events().filter(|event| event.table().is_none()).count();
    assert_eq!(tables.len(), 2 * 6 + choices);
    let for_rows = tables.iter().rev().take_while(|table| table.len() == 2).count();
    assert!(if size > 10 { for_rows == choices } else { for_rows < choices }, "{tables:?}");
    assert!(choices > 5 + 4, "no tables for the rows: {tables:?}");
}

#[test]
fn tables_for_rows_with_a_row_added() {
    tables_for_rows_are_replayed::<AddRemove>(6, |rows| rows.push(vec![5; 6]));
    tables_for_rows_are_replayed::<AddRemove>(12, |rows| rows.push(vec![11; 6]));
}

#[test]
fn tables_for_rows_with_a_row_replaced() {
    tables_for_rows_are_replayed::<ReplaceOne>(6, |rows| rows[0] = vec![5; 6]);
    tables_for_rows_are_replayed::<ReplaceOne>(12, |rows| rows[0] = vec![11; 6]);
}

/// The merged values and the edges of `mst`.
fn edges_are_replayed<A: MethodAdjacency>(changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let row =
        |row: u32| vec![row % 2, row % 2, row % 6 / 2, if row.is_multiple_of(20) { row / 20 % 100 } else { row % 5 }];
    let rows: Vec<Vec<u32>> = (0..4_000).map(row).collect();
    let recording = replayed::<A>(&named("mst", &[]), (&[2, 2, 3, 100], &rows), 2.0, changed);
    let tables: Vec<&Clique> = recording.events().filter_map(|event| event.table()).collect();
    assert_eq!((recording.events().count(), tables.len()), (10, 7));
    let merged = |table: &&Clique| table.attributes().iter().any(|column| column.index() == 4);
    assert!(tables[4..].iter().all(|table| table.len() == 2) && tables[4..].iter().any(merged));
}

#[test]
fn edges_with_a_row_added() {
    edges_are_replayed::<AddRemove>(|rows| rows.push(vec![1, 0, 2, 99]));
}

#[test]
fn edges_with_a_row_replaced() {
    edges_are_replayed::<ReplaceOne>(|rows| rows[0] = vec![1, 0, 2, 99]);
}

/// The rounds of `aim`, with budgets that grow.
fn annealing_is_replayed<A: MethodAdjacency>(changed: impl Fn(&mut Vec<Vec<u32>>)) {
    let row = |row: u32| vec![row % 2, row % 2, row % 6 / 2, row * 7 % 20, row * 7 % 20 / 5, row / 7 % 2];
    let rows: Vec<Vec<u32>> = (0..4_000).map(row).collect();
    let fit = named("aim", &["candidates=20"]);
    let recording = replayed::<A>(&fit, (&[2, 2, 3, 20, 4, 2], &rows), 2.0, changed);
    let tables: Vec<&Event> = recording.events().filter(|event| event.table().is_some()).collect();
    assert!(tables.len() > 8 && tables[6..].iter().any(|event| event.table().is_some_and(|table| table.len() > 1)));
    let deviation = |event: &Event| event.mechanism().standard_deviation().unwrap();
    assert!(tables[6..].windows(2).any(|pair| deviation(pair[1]) < 0.6 * deviation(pair[0])), "no budget grew");
}

#[test]
fn annealing_with_a_row_added() {
    annealing_is_replayed::<AddRemove>(|rows| rows.push(vec![1, 0, 2, 19, 0, 1]));
}

#[test]
fn annealing_with_a_row_replaced() {
    annealing_is_replayed::<ReplaceOne>(|rows| rows[0] = vec![1, 0, 2, 19, 0, 1]);
}

#[test]
fn what_needs_a_public_number_of_rows_is_refused_without_it() {
    let schema = integers(&[2, 3, 2], 1, AddRemove::KIND);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
    for fit in [named("privbayes", &["degree=1", "score=i"]), named("smoothed-histogram", &[])] {
        let source = RowSource::new(schema.domain().clone(), vec![vec![0, 0, 0]; 10]);
        let (vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(source), goal, NonZeroU32::MIN).unwrap();
        let refused = fit_in(vault, budget, &schema, &fit.0);
        assert!(matches!(refused, Err(MechanismError::NeedsPublicRows { .. })));
    }
}
