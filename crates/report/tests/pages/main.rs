//! Computes every number that the documentation states about a guarantee.
//!
//! On the pages about the guarantee, every number is part of a computed sentence, or of words
//! listed as no fact. So no digit can change there, and no number can be added, without a source.
//! On other pages, and in the notes beside the code, the sentences about guarantees are computed.

mod certificate;
mod checker;
mod choose_epsilon;
mod guarantee;
mod numbers;
mod others;

use std::num::NonZeroU32;
use std::path::Path;

use scumble_mechanisms::{Method, Model, fit};
use scumble_report::{Explanation, Summary};
use scumble_schema::{Clique, Domain, Schema, Unit};
use scumble_testing::RowSource;
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

use checker::Entry::{self, Computed, NoFact};
use checker::{faults, missing, numbers as numbers_in, visible};

type Entries = fn() -> Vec<Entry>;

/// Pages about the guarantee: every number is accounted for.
const PAGES: [(&str, Entries); 6] = [
    ("docs/explanation/guarantee.md", guarantee::guarantee),
    ("docs/explanation/known-weaknesses.md", guarantee::known_weaknesses),
    ("docs/explanation/threat-model.md", others::threat_model),
    ("docs/how-to/choose-epsilon.md", choose_epsilon::choose_epsilon),
    ("docs/how-to/many-rows-per-person.md", choose_epsilon::many_rows_per_person),
    ("docs/how-to/read-the-certificate.md", certificate::read_the_certificate),
];

/// Pages about other things, some of whose sentences are about a guarantee.
const SENTENCES: [(&str, Entries); 8] = [
    ("SECURITY.md", others::security),
    ("crates/engine/src/unit/unit.md", others::unit),
    ("crates/report/src/odds.md", others::odds),
    ("docs/decisions/0013-choices-under-gdp.md", others::choices_under_gdp),
    ("docs/how-to/keep-a-ledger.md", others::keep_a_ledger),
    ("docs/reference/inspect.md", certificate::inspect),
    ("docs/reference/schema.md", others::schema),
    ("docs/tutorial/first-table.md", others::first_table),
];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    visible(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn assert_none(name: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
}

#[test]
fn every_number_on_the_pages_about_the_guarantee_is_computed() {
    for (name, entries) in PAGES {
        assert_none(name, &faults(&page(name), &entries()));
    }
}

#[test]
fn sentences_about_a_guarantee_on_other_pages_are_computed() {
    for (name, entries) in SENTENCES {
        assert_none(name, &missing(&page(name), &entries()));
    }
}

#[test]
fn no_digit_on_these_pages_can_change_unnoticed() {
    for (name, entries) in PAGES {
        let (text, entries) = (page(name), entries());
        assert_none(name, &faults(&text, &entries));
        let found = numbers_in(&text);
        for number in &found {
            // The last digit, which matters least.
            let mut changed = text.clone().into_bytes();
            let last = changed[number.end - 1];
            changed[number.end - 1] = if last == b'9' { b'0' } else { last + 1 };
            let changed = String::from_utf8(changed).unwrap();
            assert!(!faults(&changed, &entries).is_empty(), "{name}: {} at {}", &text[number.clone()], number.start);
        }
        assert!(found.len() > 3, "{name} has few numbers: {}", found.len());
    }
}

#[test]
fn a_wrong_number_and_one_that_nobody_computed_are_found() {
    let entries = || vec![Computed("ten together have epsilon 12.13.".into()), NoFact("version 0.1.0", "a version")];
    let found = |text: &str| faults(&visible(text), &entries());
    assert_none(
        "true",
        &found("In version 0.1.0\n[ten together](../12.md) have\nepsilon 12.13. <!-- 7 -->\n```sh\necho 3\n```\n"),
    );
    // A digit that changed is wrong, and nothing computes it.
    assert_eq!(found("In version 0.1.0 ten together have epsilon 12.14.").len(), 2);
    assert_eq!(found("In version 0.1.0 ten together have epsilon 12.13. So epsilon grows 12 times.").len(), 1);
    // Words listed as no fact must be on the page too, so that the list stays current.
    assert_eq!(found("ten together have epsilon 12.13.").len(), 1);
    let seen: Vec<&str> = {
        let text = "UTF-8, mu1, SHA-256, 1e-9, 10^26, 1,000.5, of 5.";
        numbers_in(text).into_iter().map(|range| &text[range]).collect()
    };
    assert_eq!(seen, ["1e-9", "10", "26", "1,000.5", "5"]);
}

/// Rows with a bound of one per `person`, if the schema names that column.
struct Kept(RowSource, bool);

impl MarginalSource for Kept {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.1.then_some(("person", NonZeroU32::MIN))
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.0.count(cliques)
    }
}

/// Fits independent columns to a small table.
fn fitted(terms: &str, epsilon: f64, delta: f64) -> Model {
    let schema = format!(
        "{terms}fields: [{{name: heads, type: boolean, constraints: {{required: true}}, dp: {{source: public}}}}]"
    );
    let schema = Schema::parse(&schema).unwrap();
    let rows = RowSource::new(schema.domain().clone(), (0..100).map(|row| vec![row % 2]).collect());
    let rows = Kept(rows, schema.privacy().unit != Unit::Row);
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    fit(&schema, Box::new(rows), &Method::INDEPENDENT, goal, None).unwrap()
}

fn explained(model: &Model) -> String {
    visible(&Explanation::new(model).to_string())
}

#[test]
fn every_number_that_an_explanation_prints_is_computed() {
    for (epsilon, delta) in [(1.0, 1e-9), (0.5, 1e-7), (3.0, 1e-6)] {
        let model = fitted("", epsilon, delta);
        let sigma = numbers::near(numbers::mu(epsilon, delta).recip(), 1);
        let mut entries = certificate::explained_gdp(epsilon, delta, "two rows");
        entries.push(NoFact("A statistical model of a table with 1 columns", "the example"));
        entries.push(Computed(format!("with a standard deviation of {sigma} rows.")));
        assert_none("gdp", &faults(&explained(&model), &entries));
        let summary = Summary::new(&model).to_string();
        assert_none("summary", &missing(&visible(&summary), &[certificate::odds_line(epsilon, delta)]));
    }
}

#[test]
fn an_explanation_without_a_delta_has_no_exception_and_multiplies_for_groups() {
    let text = explained(&fitted("", 0.5, 0.0));
    let factor = numbers::up(0.5_f64.exp(), 2);
    let expected = [
        Computed(format!("Whatever they see multiplies the odds by at most {factor} (e to the power of epsilon): a suspicion of 1 in 2")),
        Computed("two rows together 1-differential privacy, 4 of them 2-differential privacy and 10 of them 5-differential privacy.".into()),
    ];
    assert_none("pure", &missing(&text, &expected));
    assert!(!text.contains("except"), "{text}");
}

#[test]
fn a_shared_identifier_doubles_the_squared_loss_of_tables() {
    let model = fitted("dp: {privacyUnit: person}\n", 1.0, 1e-9);
    let shared = numbers::epsilon(2_f64.sqrt() * numbers::mu(1.0, 1e-9), 1e-9);
    let expected = [
        Computed(format!(
            "Where several people share one `person`, rows of one may take the places of another's: each of them alone is promised \
             ({}, 1e-9)-differential privacy.",
            numbers::up(shared, 2)
        )),
        Computed(
            "Groups are promised less than one alone: two `person` together (2.08, 1e-9)-differential privacy".into(),
        ),
    ];
    assert_none("shared", &missing(&explained(&model), &expected));
    let pure = explained(&fitted("dp: {privacyUnit: person}\n", 0.5, 0.0));
    assert!(pure.contains("each of them alone is promised 1-differential privacy."), "{pure}");
    let replaced = explained(&fitted("dp: {privacyUnit: person, adjacency: replace-one}\n", 1.0, 1e-9));
    assert!(!replaced.contains("share one"), "{replaced}");
}
