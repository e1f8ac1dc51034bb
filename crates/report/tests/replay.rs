//! The replay test, T1, for everything that is shown of a model: the output of `inspect` and the
//! page of `report`. They must be equal for neighbouring tables with equal releases.
//!
//! The tests of the methods check models on every pair of the battery. Here every method is checked
//! on some of the pairs.

use std::error::Error;
use std::num::{NonZeroU32, NonZeroUsize};

use scumble_mechanisms::{Method, MethodAccounting, MethodAdjacency, Model, fit_in};
use scumble_report::{Explanation, Summary, picture, public_page};
use scumble_schema::{AdjacencyKind, Schema};
use scumble_testing::{Artefacts, RowSource, Subject, assert_part, integers};
use scumble_vault::{
    AccountingKind, AddRemove, ApproxDp, Budget, Delta, Epsilon, Gdp, Pure, ReplaceOne, Vault, Zcdp, replay,
};

/// One in `EVERY` pairs of a part of the battery is tested.
const EVERY: usize = 2_000;

/// Every method, with options that make it measure several columns on small tables, its accounting
/// and its adjacencies.
const METHODS: [(&str, &[&str], AccountingKind, &[AdjacencyKind]); 12] = [
    ("independent", &[], AccountingKind::Gdp, &BOTH),
    ("privbayes", &["degree=2", "score=r"], AccountingKind::Pure, &BOTH),
    ("privbayes", &["encoding=binary", "degree=1"], AccountingKind::Pure, &[AdjacencyKind::AddRemove]),
    ("privbayes-nist", &["network_share=0.7", "group_width=2"], AccountingKind::Gdp, &BOTH),
    ("pb-pgm", &["degree=1"], AccountingKind::Zcdp, &BOTH),
    ("smoothed-histogram", &[], AccountingKind::Zcdp, &[AdjacencyKind::ReplaceOne]),
    ("privmrf", &["profile=paper", "candidates=6"], AccountingKind::Gdp, &[AdjacencyKind::AddRemove]),
    ("auto", &["candidates=8", "rounds_per_column=0.5", "large_column=2", "groups=2"], AccountingKind::Gdp, &BOTH),
    ("auto", &["effort=low", "candidates=8", "model_cells=1000"], AccountingKind::Gdp, &[AdjacencyKind::AddRemove]),
    (
        "privmrf",
        &["candidates=8", "rounds_per_column=0.5", "effort=high"],
        AccountingKind::Gdp,
        &[AdjacencyKind::ReplaceOne],
    ),
    ("mst", &["merge_below=0.3"], AccountingKind::Gdp, &BOTH),
    ("aim", &["rounds_per_column=1", "workload_columns=2", "candidates=8"], AccountingKind::Zcdp, &BOTH),
];
const BOTH: [AdjacencyKind; 2] = [AdjacencyKind::AddRemove, AdjacencyKind::ReplaceOne];

// A new method needs a line above.
const _: () = assert!(Method::NAMES.len() == 9);

/// A fit, and everything that is shown of its model.
struct Shown(Method);

impl Shown {
    fn by(name: &str, options: &[&str]) -> Self {
        Self(Method::named(name).unwrap().with_options(options.iter().copied()).unwrap())
    }
}

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Shown {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        Ok(shown(&fit_in(vault, budget, schema, &self.0)?))
    }
}

fn shown(model: &Model) -> Artefacts {
    let (summary, explanation) = (Summary::new(model), Explanation::new(model));
    Artefacts::new()
        .with("text", summary.to_string())
        .with("json", serde_json::to_string(&summary).unwrap())
        .with("explanation", explanation.to_string())
        .with("explanation as json", serde_json::to_string(&explanation).unwrap())
        .with("picture", picture(model))
        .with("page", public_page(model, None))
}

/// Tests some pairs of the last parts of the battery, which are the most varied. All pairs would be
/// slow, because shares of some networks are counted on drawn rows.
fn some_pairs<A: MethodAdjacency + scumble_testing::BatteryAdjacency, M: MethodAccounting>(subject: &Shown) {
    for part in A::PARTS.iter().rev().take(2) {
        assert_part::<A, M>(&part().thinned(NonZeroUsize::new(EVERY).unwrap(), 97), subject);
    }
}

fn some_pairs_of<A: MethodAdjacency + scumble_testing::BatteryAdjacency>(accounting: AccountingKind, subject: &Shown) {
    match accounting {
        AccountingKind::Pure => some_pairs::<A, Pure>(subject),
        AccountingKind::Gdp => some_pairs::<A, Gdp>(subject),
        AccountingKind::Zcdp => some_pairs::<A, Zcdp>(subject),
    }
}

#[test]
fn output_is_equal_for_models_of_neighbours() {
    for (name, options, accounting, adjacencies) in METHODS {
        let subject = Shown::by(name, options);
        for adjacency in adjacencies {
            match adjacency {
                AdjacencyKind::AddRemove => some_pairs_of::<AddRemove>(accounting, &subject),
                AdjacencyKind::ReplaceOne => some_pairs_of::<ReplaceOne>(accounting, &subject),
            }
        }
    }
}

/// Runs on a table with related columns, so that there are relations to draw, and on a neighbour.
fn related_columns<M: MethodAccounting>(subject: &Shown) -> Artefacts {
    let schema = integers(&[2, 2, 3, 12, 2], 1, AdjacencyKind::AddRemove);
    let row = |row: u32| vec![row % 2, row % 2, row % 6 / 2, row * 7 % 12, (row % 2) * (row / 7 % 2)];
    let rows: Vec<Vec<u32>> = (0..2_000).map(row).collect();
    let neighbour = [&rows[..], &[vec![1, 0, 2, 11, 1]]].concat();
    let delta = if M::KIND == AccountingKind::Pure { Delta::ZERO } else { Delta::new(1e-6).unwrap() };
    let goal = ApproxDp { epsilon: Epsilon::new(4.0).unwrap(), delta };
    let source = |rows: Vec<Vec<u32>>| Box::new(RowSource::new(schema.domain().clone(), rows));
    let one = NonZeroU32::MIN;
    let (vault, budget, recorder) = replay::record::<AddRemove, M>(source(rows), goal, one).unwrap();
    let first = subject.run(vault, budget, &schema).unwrap();
    let recording = recorder.finish();
    let (vault, budget, recorder) = replay::force::<AddRemove, M>(source(neighbour), goal, one, &recording).unwrap();
    assert_eq!(subject.run(vault, budget, &schema).unwrap(), first);
    recording.check_neighbour(&recorder.finish()).unwrap();
    first
}

#[test]
fn pictures_of_relations_are_equal_for_neighbours() {
    let added = |(_, _, _, adjacencies): &(_, _, _, &[AdjacencyKind])| adjacencies.contains(&AdjacencyKind::AddRemove);
    for (name, options, accounting, _) in METHODS.into_iter().filter(added) {
        let subject = Shown::by(name, options);
        let artefacts = match accounting {
            AccountingKind::Pure => related_columns::<Pure>(&subject),
            AccountingKind::Gdp => related_columns::<Gdp>(&subject),
            AccountingKind::Zcdp => related_columns::<Zcdp>(&subject),
        };
        let text = |name| String::from_utf8(artefacts.get(name).unwrap().to_vec()).unwrap();
        let tied = text("picture").contains(" is tied to ") || text("picture").contains(" is drawn given ");
        assert_eq!(tied, name != "independent", "{name}: {}", text("picture"));
        assert!(text("explanation").starts_with("NOT PRIVATE\n"), "{}", text("explanation"));
        assert!(text("page").contains("NOT PRIVATE"));
    }
}
