//! The origin of a model in its file: facts as JSON, numbers in a section of their own.

use std::collections::BTreeSet;

use scumble_schema::{Clique, OutputColumn, Recoding, Schema};
use scumble_vault::account::{Noise, Question};
use scumble_vault::{Certificate, Event};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::error::MechanismError;
use crate::marginals::statement::Statement;
use crate::marginals::tables::{Marginal, Marginals, NoiseKind};
use crate::mechanism::method::Method;
use crate::model::file::numbers as take_numbers;
use crate::model::origin::Origin;

/// Facts of an origin that are needed to read its numbers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum OriginShape {
    /// Measured by a vault; the section holds the numbers of every event, as `i64`.
    Measured {
        #[serde(deserialize_with = "method")]
        method: Method,
        certificate: Certificate,
    },
    /// External tables; the section holds the counts of every table, as `f64`.
    #[serde(rename = "elsewhere")]
    External { privacy: Statement, rows: Option<u64>, tables: Vec<TableShape> },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableShape {
    columns: Clique,
    standard_deviation: f64,
    noise: Option<NoiseKind>,
}

impl OriginShape {
    pub(crate) fn of(origin: &Origin) -> Self {
        match origin {
            Origin::Measured { method, certificate, .. } => {
                Self::Measured { method: method.clone(), certificate: certificate.clone() }
            }
            Origin::External(marginals) => Self::External {
                privacy: marginals.statement().clone(),
                rows: marginals.rows(),
                tables: marginals.tables().iter().map(TableShape::of).collect(),
            },
        }
    }

    /// Reads the numbers of the origin. Also returns the columns that its tables are over.
    pub(crate) fn build(self, schema: &Schema, mut section: &[u8]) -> Result<(Origin, Recoding), MechanismError> {
        let built = match self {
            Self::Measured { method, certificate } => {
                check(&certificate, schema)?;
                let released = read_released(&mut section, &certificate)?;
                // Releases from which columns were learned come before those of the method.
                let learned = certificate.events().iter().take_while(|event| event.question().is_of_columns()).count();
                // And the comparison of rows of the model with the real ones comes after them.
                let end = certificate.events().iter().rposition(|event| !event.question().is_comparison());
                let of_method = learned..end.map_or(learned, |last| last + 1).max(learned);
                let (events, values) = (&certificate.events()[of_method.clone()], &released[of_method]);
                let recoding = method.recoding_after(schema, events, values).map_err(|_| {
                    MechanismError::damaged("its options break a rule, or its releases are not its method's")
                })?;
                check_questions(schema, &recoding, &certificate)?;
                (Origin::Measured { method, released, certificate }, recoding)
            }
            Self::External { privacy, rows, tables } => {
                let tables = tables.into_iter().map(|table| table.read(&mut section, schema));
                let marginals = Marginals::new(privacy, rows, tables.collect::<Result<_, _>>()?)?;
                marginals.check_against(schema)?;
                (Origin::External(marginals), Recoding::identity(schema.domain()))
            }
        };
        if section.is_empty() {
            Ok(built)
        } else {
            Err(MechanismError::damaged("it has numbers without an event or a table"))
        }
    }
}

/// Recomputes a certificate, and refuses one of another schema.
fn check(certificate: &Certificate, schema: &Schema) -> Result<(), MechanismError> {
    certificate.verify()?;
    let privacy = schema.privacy();
    if (certificate.adjacency(), certificate.max_contributions()) != (privacy.adjacency, privacy.max_contributions) {
        return Err(MechanismError::damaged("its certificate is about other neighbours than its schema"));
    }
    if certificate.assumptions() != schema.assumptions() {
        return Err(MechanismError::damaged("its certificate assumes other things than its schema"));
    }
    if certificate.noise() != Noise::Fresh {
        return Err(MechanismError::damaged("it comes from a test and is NOT PRIVATE"));
    }
    Ok(())
}

fn read_released(section: &mut &[u8], certificate: &Certificate) -> Result<Vec<Vec<i64>>, MechanismError> {
    let read = |event: &Event| Ok(take_numbers(section, event.length())?.into_iter().map(i64::from_le_bytes).collect());
    certificate.events().iter().map(read).collect()
}

/// Refuses events over other columns, and those that state the sensitivity of binary columns where
/// there are none.
fn check_questions(schema: &Schema, recoding: &Recoding, certificate: &Certificate) -> Result<(), MechanismError> {
    let domain = recoding.domain();
    let columns: BTreeSet<&str> = schema.output_columns().into_iter().map(OutputColumn::name).collect();
    let fits = |event: &Event| match event.question() {
        Question::Table(clique) => {
            let known = clique.attributes().iter().all(|attribute| attribute.index() < domain.len());
            known && domain.cells(clique) == event.length().into()
        }
        Question::Grid { column, .. } | Question::Values { column } => columns.contains(column.as_str()),
        _ => true,
    };
    if !certificate.events().iter().all(fits) {
        return Err(MechanismError::damaged("an event measures a table or a column that the schema does not have"));
    }
    let has_binary = [recoding.base(), domain].iter().any(|domain| domain.sizes().contains(&2));
    let assumes_binary = |event: &Event| event.assumes_a_binary_column(certificate.max_contributions());
    if !has_binary && certificate.events().iter().any(assumes_binary) {
        return Err(MechanismError::damaged("an event states the sensitivity of binary columns, and there are none"));
    }
    Ok(())
}

impl TableShape {
    fn of(table: &Marginal) -> Self {
        let measurement = table.measurement();
        Self {
            columns: measurement.clique().clone(),
            standard_deviation: measurement.standard_deviation(),
            noise: table.noise(),
        }
    }

    fn read(self, section: &mut &[u8], schema: &Schema) -> Result<Marginal, MechanismError> {
        let domain = schema.domain();
        if self.columns.attributes().iter().any(|column| column.index() >= domain.len()) {
            return Err(MechanismError::damaged("a table of it is over columns that the schema does not have"));
        }
        let cells =
            u64::try_from(domain.cells(&self.columns)).map_err(|_| MechanismError::damaged("a table is too large"))?;
        let counts = take_numbers(section, cells)?.into_iter().map(f64::from_le_bytes).collect();
        Marginal::new(domain, self.columns, counts, self.standard_deviation, self.noise)
            .map_err(|_| MechanismError::damaged("a table of it breaks a rule"))
    }
}

/// Returns the numbers of an origin, in the order in which [`OriginShape::build`] reads them.
pub(crate) fn numbers(origin: &Origin) -> Box<dyn Iterator<Item = [u8; 8]> + '_> {
    match origin {
        Origin::Measured { released, .. } => Box::new(released.iter().flatten().map(|value| value.to_le_bytes())),
        Origin::External(marginals) => {
            let counts = marginals.tables().iter().flat_map(|table| table.measurement().values());
            Box::new(counts.map(|count| count.to_le_bytes()))
        }
    }
}

/// Reads a method. Options that earlier versions did not have are as they were then, which may not
/// be their defaults.
fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
    let mut method = Value::deserialize(deserializer)?;
    let has_rows = |name: &str, options: &Map<String, Value>| {
        name == "auto" || name == "privmrf" && options.get("profile").is_some_and(|profile| profile == "best")
    };
    for (name, options) in method.as_object_mut().into_iter().flatten() {
        if let Value::Object(options) = options
            && has_rows(name, options)
        {
            options.entry("row_share").or_insert(Value::Null);
            options.entry("parities").or_insert(Value::Bool(false));
        }
    }
    Method::deserialize(method).map_err(D::Error::custom)
}
