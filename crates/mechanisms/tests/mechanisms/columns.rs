//! Columns learned from rows, and models of them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use scumble_mechanisms::columns::{LearnShare, RawTable, fit_undeclared, learn, learn_in};
use scumble_mechanisms::{Method, Model};
use scumble_schema::learn::PartialSchema;
use scumble_schema::{Clique, Domain, FieldSpec, FieldTerms, FieldType, Schema, SchemaSpec, Source, cells};
use scumble_vault::account::{Question, ThresholdDelta};
use scumble_vault::{
    AddRemove, ApproxDp, CountTable, Delta, Epsilon, Gdp, MarginalSource, Private, SourceError, ValueSink, ValueSource,
    replay,
};

/// Rows of texts.
#[derive(Clone)]
struct Texts {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Texts {
    fn new(names: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self { names: names.iter().map(|name| (*name).to_owned()).collect(), rows: rows.into_iter().collect() }
    }

    fn column(&self, name: &str) -> usize {
        self.names.iter().position(|own| own == name).unwrap()
    }

    /// A schema of which everything is to be learned.
    fn partial(&self) -> PartialSchema {
        let field = |name: &String| FieldSpec {
            name: name.clone(),
            dp: FieldTerms { source: Source::Dp, ..FieldTerms::default() },
            ..FieldSpec::default()
        };
        let fields = self.names.iter().map(field).collect();
        PartialSchema::new(SchemaSpec { fields, ..SchemaSpec::default() }).unwrap()
    }
}

/// The codes of some rows.
struct Coded {
    domain: Domain,
    rows: Vec<Vec<u32>>,
}

impl MarginalSource for Coded {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let count = |clique: &Clique| {
            let strides = cells::strides(&self.domain, clique);
            let mut counts = vec![0; self.domain.table_len(clique).unwrap()];
            for row in &self.rows {
                let codes = clique.attributes().iter().map(|attribute| row[attribute.index()] as usize);
                counts[codes.zip(&strides).map(|(code, stride)| code * stride).sum::<usize>()] += 1;
            }
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(count).collect()))
    }
}

impl ValueSource for Texts {
    fn count_values(&self, columns: &[&str], sink: &mut ValueSink<'_>) -> Result<(), SourceError> {
        for (place, column) in columns.iter().enumerate() {
            let column = self.column(column);
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            for row in &self.rows {
                *counts.entry(row[column].trim()).or_default() += 1;
            }
            for (value, rows) in counts {
                sink.add(place, value.as_bytes(), rows);
            }
        }
        Ok(())
    }
}

impl RawTable for Texts {
    fn marginals(&self, schema: &Schema, _: bool) -> Result<Box<dyn MarginalSource>, SourceError> {
        let places: Vec<usize> = schema.attributes().iter().map(|attribute| self.column(attribute.name())).collect();
        let code = |row: &Vec<String>| {
            let columns = schema.attributes().iter().zip(&places);
            columns.map(|(attribute, &place)| attribute.encoder().text(row[place].as_bytes())).collect()
        };
        Ok(Box::new(Coded { domain: schema.domain().clone(), rows: self.rows.iter().map(code).collect() }))
    }

    fn values(&self, _: &Schema) -> Result<Box<dyn ValueSource>, SourceError> {
        Ok(Box::new(self.clone()))
    }
}

/// People with an age, a town, an income with zeros and cents, a day, a flag, a time and a name.
fn people(rows: u32) -> Texts {
    const TOWNS: [&str; 5] = ["Bergen", "Oslo", "Oslo", "Trondheim", "Oslo"];
    let person = |number: u32| {
        let mix = number.wrapping_mul(2_654_435_761) >> 7;
        let income =
            if mix.is_multiple_of(4) { "0".to_owned() } else { format!("{}.{:02}", 100 + mix % 40_000, mix % 97) };
        vec![
            (18 + mix % 60).to_string(),
            if mix.is_multiple_of(11) { "?".into() } else { TOWNS[(mix % 5) as usize].into() },
            income,
            format!("{:02}/{:02}/{}", 1 + mix % 28, 1 + mix % 12, 2015 + mix % 6),
            if mix.is_multiple_of(3) { "true".into() } else { "false".into() },
            format!("{}:{:02}", 5 + mix % 5, mix % 60),
            format!("P{number:07}"),
            format!("somebody number {number}"),
        ]
    };
    Texts::new(&["age", "town", "income", "visit", "member", "woke", "id", "note"], (0..rows).map(person))
}

fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}

#[test]
fn every_column_gets_the_type_that_a_person_would_declare() {
    let people = people(30_000);
    let (schema, certificate) =
        learn(&people.partial(), &people, &Method::recommended(goal(1.0, 1e-9)), goal(1.0, 1e-9), None).unwrap();
    certificate.verify().unwrap();
    let column = |name: &str| schema.attributes().iter().find(|column| column.name() == name).unwrap();
    assert_eq!(column("age").field_type(), FieldType::Integer);
    let (low, high) = column("age").encoder().whole_span().unwrap();
    assert!((16..=18).contains(&low) && (77..=80).contains(&high), "{low} {high}");
    assert_eq!(column("town").label(0), "Bergen");
    assert_eq!(column("town").size(), 5, "three towns, missing and other");
    assert_eq!(column("income").field_type(), FieldType::Number);
    let zero = column("income").encoder().text(b"0");
    assert!(column("income").bin(zero).is_none(), "zero has a code of its own");
    assert_eq!(column("income").spec().dp.decimals, Some(2));
    assert_eq!(column("visit").field_type(), FieldType::Date);
    assert_eq!(column("visit").spec().format.as_deref(), Some("%d/%m/%Y"));
    assert_eq!(column("member").field_type(), FieldType::Boolean);
    assert_eq!(column("woke").field_type(), FieldType::Time);
    assert!([24, 96].contains(&column("woke").declared_codes()));
    assert_eq!(column("woke").spec().format.as_deref(), Some("%H:%M"));
    let made_up: Vec<&str> = schema.generated().iter().map(scumble_schema::Generated::name).collect();
    assert_eq!(made_up, ["id", "note"]);
    assert!(schema.assumed().next().is_none(), "nothing was guessed");
}

#[test]
fn a_model_is_fitted_in_the_same_budget() {
    let people = people(20_000);
    let (goal, share) = (goal(1.0, 1e-9), LearnShare::default());
    let model =
        fit_undeclared(&people.partial(), &people, &Method::named("mst").unwrap(), goal, share, None, None).unwrap();
    let certificate = model.certificate().unwrap();
    certificate.verify().unwrap();
    assert!(certificate.epsilon().get() <= 1.0 && certificate.epsilon().get() > 0.99);
    assert!(certificate.threshold_delta() > ThresholdDelta::ZERO);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.model");
    model.write(&path).unwrap();
    let again = Model::read(&path).unwrap();
    assert_eq!(again.schema(), model.schema());
    assert_eq!(again.certificate(), model.certificate());
    assert!(again.tables().iter().all(|table| !table.clique.is_empty()), "the tables of the method");
}

#[test]
fn declared_columns_cost_nothing() {
    let people = people(20_000);
    let mut spec = people.partial().spec().clone();
    spec.fields.truncate(2);
    spec.fields[0] = SchemaSpec::parse(
        "fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 120}, dp: {source: public}}]",
    )
    .unwrap()
    .fields
    .remove(0);
    let partial = PartialSchema::new(spec).unwrap();
    let method = Method::recommended(goal(1.0, 1e-9));
    let (schema, certificate) = learn(&partial, &people, &method, goal(1.0, 1e-9), None).unwrap();
    assert_eq!(schema.attributes()[0].encoder().whole_span(), Some((0, 120)));
    assert_eq!(certificate.events().len(), 2, "classes and values of the town");
}

#[test]
fn what_learning_does_not_need_goes_to_the_model() {
    let row = |row: u32| vec![row.is_multiple_of(3).to_string(), format!("{}:30", 5 + row % 5)];
    let table = Texts::new(&["member", "woke"], (0..5_000).map(row));
    let (goal, share, method) = (goal(1.0, 1e-9), LearnShare::default(), Method::named("mst").unwrap());
    let model = fit_undeclared(&table.partial(), &table, &method, goal, share, None, None).unwrap();
    let certificate = model.certificate().unwrap();
    certificate.verify().unwrap();
    let of_columns = certificate.events().iter().filter(|event| matches!(event.question(), Question::Grid { .. }));
    assert_eq!(of_columns.count(), 2, "the classes of both columns");
    assert!(certificate.epsilon().get() > 0.95, "{}", certificate.epsilon().get());
}

#[test]
fn categories_need_a_delta() {
    let people = people(1_000);
    let pure = goal(1.0, 0.0);
    let refused = learn(&people.partial(), &people, &Method::recommended(pure), pure, None).unwrap_err();
    assert!(refused.to_string().contains("`delta` above 0"), "{refused}");
}

#[test]
fn learning_replayed_on_neighbours_does_not_differ() {
    // T1: one person more with up to `m` rows, like others, like nobody else, or both.
    let goal = goal(1.0, 1e-6);
    let half = ThresholdDelta::half_of(goal.delta);
    let table = people(3_000);
    let strange =
        ["-7", "a hamlet", "1e17", "31.12.1899", "perhaps", "26:00", "x", "\u{feff}"].map(str::to_owned).to_vec();
    for m in [1, 2, 5] {
        let unit = NonZeroU32::new(m).unwrap();
        let (mut vault, budget, recorder) = replay::record_columns::<AddRemove, Gdp>(goal, half, unit).unwrap();
        let schema = learn_in(&mut vault, budget, &table.partial(), &table).unwrap();
        let (certificate, recording) = (vault.close(), recorder.finish());
        for like_others in 0..=m as usize {
            let mut neighbour = table.clone();
            neighbour.rows.extend((0..like_others).map(|row| table.rows[17 * row].clone()));
            neighbour.rows.extend(vec![strange.clone(); m as usize - like_others]);
            let (mut vault, budget, recorder) =
                replay::force_columns::<AddRemove, Gdp>(goal, half, unit, &recording).unwrap();
            assert_eq!(learn_in(&mut vault, budget, &neighbour.partial(), &neighbour).unwrap(), schema);
            assert_eq!(vault.close(), certificate);
            let forced = recorder.finish();
            recording.check_neighbour(&forced).unwrap();
            assert_eq!(forced.foreign_values(), 0);
        }
    }
}
