//! Model files survive a round trip, and other files are refused.

use std::num::NonZeroU32;

use proptest::prelude::*;
use scumble_mechanisms::{MechanismError, Method, Model, fit};
use scumble_schema::{Clique, Domain, Schema};
use scumble_vault::account::Mechanism;
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};
use sha2::{Digest, Sha256};

struct Uniform {
    domain: Domain,
    bound: Option<(String, NonZeroU32)>,
}

impl Uniform {
    fn of(schema: &Schema) -> Self {
        let bound = schema.privacy().bound().map(|(column, most)| (column.to_owned(), most));
        Self { domain: schema.domain().clone(), bound }
    }
}

impl MarginalSource for Uniform {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.bound.as_ref().map(|(column, most)| (column.as_str(), *most))
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| {
            let cells = usize::try_from(self.domain.cells(clique)).unwrap();
            CountTable::new(clique.clone(), vec![12_000 / cells as u64; cells])
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

const SCHEMA: &str = r"
fields:
  - {name: size, type: integer, constraints: {minimum: 1, maximum: 4, required: true}, dp: {source: public}}
  - {name: region, type: string, constraints: {enum: [north, south]}, dp: {source: public}}
";

fn goal() -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() }
}

fn model_of(schema: &Schema) -> Model {
    fit(schema, Box::new(Uniform::of(schema)), &Method::INDEPENDENT, goal(), None).unwrap()
}

fn model() -> Model {
    model_of(&Schema::parse(SCHEMA).unwrap())
}

fn with_terms(dp: &str) -> Schema {
    Schema::parse(&format!("dp: {dp}{SCHEMA}")).unwrap()
}

/// The bytes with a checksum that fits them, as an attacker would write it.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 32);
    let hash = Sha256::digest(&bytes);
    bytes.extend(hash);
    bytes
}

#[test]
fn a_model_survives_a_round_trip() {
    let model = model();
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    model.write(&path).unwrap();
    assert_eq!(Model::read(&path).unwrap(), model);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
}

/// Yes-and-no questions, whose model is stored as potentials.
fn model_of_questions(questions: usize) -> Model {
    let field = |question: usize| {
        let constraints = "{enum: [no, yes], required: true}";
        format!("  - {{name: q{question}, type: string, constraints: {constraints}, dp: {{source: public}}}}\n")
    };
    let schema = Schema::parse(&format!("fields:\n{}", (0..questions).map(field).collect::<String>())).unwrap();
    fit(&schema, Box::new(Uniform::of(&schema)), &Method::named("auto").unwrap(), goal(), None).unwrap()
}

#[test]
fn a_model_of_binary_columns_is_stored_as_potentials() {
    let model = model_of_questions(12);
    let bytes = model.to_bytes();
    assert_eq!(bytes[8..12], 5_u32.to_le_bytes());
    assert!(bytes.len() < 20_000, "{} bytes for 4,096 cells", bytes.len());
    assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
}

#[test]
fn potentials_that_do_not_fit_the_columns_are_refused() {
    let bytes = model_of_questions(12).to_bytes();
    let changed = |from: &str, to: &str| {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        let place = bytes.windows(from.len()).position(|window| window == from).expect("it is in the header");
        let mut header = [&bytes[20..place], to, &bytes[place + from.len()..]].concat();
        let length = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) + to.len() as u64 - from.len() as u64;
        header.splice(0..0, [&bytes[..12], &length.to_le_bytes()].concat());
        Model::from_bytes(&resealed(header)).unwrap_err()
    };
    changed(r#""sets":[["#, r#""sets":[[99],["#);
    changed(r#""sets":[["#, r#""sets":[[0],["#);
    changed(r#""residual":[0,"#, r#""residual":["#);
    changed(r#""parent":null"#, r#""parent":0"#);
}

#[test]
fn a_unit_column_comes_back_with_its_model() {
    let model = model_of(&with_terms("{privacyUnit: person_id, maxContributions: 3}"));
    let read = Model::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.schema().privacy().bound(), Some(("person_id", NonZeroU32::new(3).unwrap())));
    let is_nine = |mechanism| matches!(mechanism, Mechanism::RoundedGaussian { squared_sensitivity: 9, .. });
    assert!(read.certificate().unwrap().events().iter().all(|event| is_nine(event.mechanism())));
}

#[test]
fn a_source_that_kept_other_rows_than_the_schema_says_is_refused() {
    let terms = [
        "{}",
        "{maxContributions: 3}",
        "{privacyUnit: person_id}",
        "{privacyUnit: person_id, maxContributions: 3}",
        "{privacyUnit: household, maxContributions: 3}",
    ];
    for (read, counted) in terms.iter().enumerate() {
        for (fitted, claimed) in terms.iter().enumerate() {
            let source = Box::new(Uniform::of(&with_terms(counted)));
            let result = fit(&with_terms(claimed), source, &Method::INDEPENDENT, goal(), None);
            // The first two keep every row; how many a person has is the owner's word.
            let agree = read == fitted || (read < 2 && fitted < 2);
            assert_eq!(result.is_ok(), agree, "counted as {counted}, claimed as {claimed}");
            assert!(agree || matches!(result, Err(MechanismError::OtherSchema)));
        }
    }
}

#[test]
fn a_certificate_about_other_neighbours_than_the_schema_is_refused() {
    // The schema promises units of three rows, and the certificate paid for units of one.
    let paid = model().to_bytes();
    let promised = model_of(&with_terms("{maxContributions: 3}")).to_bytes();
    // Frame and header are the same up to the schema; then one schema, then the other's
    // certificate.
    let sections = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let mut rest = &bytes[12..bytes.len() - 32];
        let mut sections = vec![];
        while !rest.is_empty() {
            let length = usize::try_from(u64::from_le_bytes(rest[..8].try_into().unwrap())).unwrap();
            sections.push(rest[..8 + length].to_vec());
            rest = &rest[8 + length..];
        }
        sections
    };
    let mut mixed = sections(&paid);
    assert_eq!(mixed.len(), 5);
    mixed[1] = sections(&promised)[1].clone();
    let mixed = [paid[..12].to_vec(), mixed.concat(), vec![0; 32]].concat();
    let error = Model::from_bytes(&resealed(mixed)).unwrap_err();
    assert!(error.to_string().contains("other neighbours"), "{error}");
}

#[test]
fn every_flipped_byte_is_noticed() {
    let bytes = model().to_bytes();
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        assert!(Model::from_bytes(&damaged).is_err(), "byte {index}");
    }
}

#[test]
fn every_truncation_is_noticed_even_with_a_fitting_checksum() {
    let bytes = model().to_bytes();
    for length in 0..bytes.len() {
        assert!(Model::from_bytes(&bytes[..length]).is_err());
        if length >= 32 {
            assert!(Model::from_bytes(&resealed(bytes[..length].to_vec())).is_err(), "cut at {length}");
        }
    }
}

#[test]
fn a_claim_smaller_than_the_events_is_refused() {
    let text = String::from_utf8_lossy(&model().to_bytes()).into_owned();
    let position = text.find("\"epsilon\":").unwrap();
    assert!(position > 0, "the certificate is readable in the file");
    let mut bytes = model().to_bytes();
    // The certificate's own epsilon comes after its goal's.
    let places: Vec<usize> =
        bytes.windows(10).enumerate().filter(|(_, window)| window == b"\"epsilon\":").map(|(at, _)| at).collect();
    let at = *places.last().unwrap() + 10;
    assert!(bytes[at].is_ascii_digit());
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    assert!(matches!(
        Model::from_bytes(&resealed(bytes)),
        Err(MechanismError::Vault(_) | MechanismError::Format { .. })
    ));
}

#[test]
fn a_section_that_asks_for_more_than_there_is_allocates_nothing() {
    let mut bytes = model().to_bytes();
    bytes[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(Model::from_bytes(&resealed(bytes)), Err(MechanismError::Format { .. })));
}

proptest! {
    #[test]
    fn no_bytes_raise(noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut: prop::sample::Index) {
        let mut bytes = model().to_bytes();
        for (index, byte) in noise {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        let _ = Model::from_bytes(&resealed(bytes.clone()));
        bytes.truncate(32 + cut.index(bytes.len() - 32));
        let _ = Model::from_bytes(&resealed(bytes));
    }
}

#[test]
fn assumptions_of_the_schema_are_in_the_certificate_and_cannot_be_taken_out() {
    let schema = Schema::parse(&format!("dialect: {{multiline: true}}{SCHEMA}")).unwrap();
    let model = model_of(&schema);
    assert_eq!(model.certificate().unwrap().assumptions(), schema.assumptions());
    let bytes = model.to_bytes();
    assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
    // As an attacker would: the schema keeps its dialect, the certificate loses its assumption,
    // lengths and checksum fit.
    let stated = br#""assumptions":["multiline-records"],"#;
    let at = bytes.windows(stated.len()).position(|window| window == stated).unwrap();
    let begin = bytes.windows(12).position(|window| window == br#"{"measured":"#).unwrap();
    let mut changed = bytes.clone();
    changed.drain(at..at + stated.len());
    let length = u64::from_le_bytes(bytes[begin - 8..begin].try_into().unwrap()) - stated.len() as u64;
    changed[begin - 8..begin].copy_from_slice(&length.to_le_bytes());
    let error = Model::from_bytes(&resealed(changed)).unwrap_err();
    assert!(error.to_string().contains("assumes other things"), "{error}");
}
