//! The checked schema: what every other room works with.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;

use crate::attribute::Attribute;
use crate::check::check_field;
use crate::clique::AttributeId;
use crate::domain::Domain;
use crate::error::SchemaError;
use crate::limits;
use crate::privacy::{AdjacencyKind, Privacy, RowCount, Unit};
use crate::spec::{SchemaSpec, TableTerms};

/// How many problems are listed before the rest is only counted.
const LISTED_PROBLEMS: usize = 50;

/// A schema in which every rule holds.
///
/// ```
/// use scumble_schema::Schema;
/// let schema = Schema::parse(
///     "fields:\n  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119, required: true}, dp: {bins: {width: 10}}}\n",
/// )?;
/// assert_eq!(schema.domain().sizes(), [12]);
/// assert_eq!(schema.attributes()[0].encoder().integer(42), 4);
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    title: Option<String>,
    description: Option<String>,
    missing_values: Vec<String>,
    terms: TableTerms,
    privacy: Privacy,
    attributes: Vec<Attribute>,
    domain: Domain,
}

/// Everything found wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    found: Vec<SchemaError>,
    unlisted: usize,
}

impl Problems {
    /// The problems, the first fifty of them; never empty.
    pub fn list(&self) -> &[SchemaError] {
        &self.found
    }

    /// How many more there are.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    fn add(&mut self, problem: SchemaError) {
        if self.found.len() < LISTED_PROBLEMS {
            self.found.push(problem);
        } else {
            self.unlisted += 1;
        }
    }
}

impl From<SchemaError> for Problems {
    fn from(problem: SchemaError) -> Self {
        Self { found: vec![problem], unlisted: 0 }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.found.iter().enumerate() {
            write!(formatter, "{}{problem}", if index == 0 { "" } else { "\n" })?;
        }
        if self.unlisted > 0 {
            write!(formatter, "\nand {} more", self.unlisted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl Schema {
    /// Checks a schema as written.
    ///
    /// # Errors
    /// All problems at once, so that a person mends the file in one go.
    pub fn new(spec: SchemaSpec) -> Result<Self, Problems> {
        if spec.fields.len() > limits::COLUMNS {
            return Err(SchemaError::TooManyColumns { columns: spec.fields.len() }.into());
        }
        let mut problems = Problems { found: Vec::new(), unlisted: 0 };
        if spec.fields.is_empty() {
            problems.add(SchemaError::table("the schema has no fields", "list the columns to synthesise"));
        }
        let privacy = check_terms(&spec.dp).unwrap_or_else(|problem| {
            problems.add(problem);
            Privacy::default()
        });
        let missing_values = spec.missing_values.unwrap_or_else(|| vec![String::new()]);
        let mut seen = BTreeSet::new();
        let mut attributes: Vec<Attribute> = Vec::with_capacity(spec.fields.len());
        for field in spec.fields {
            if !seen.insert(field.name.clone()) {
                problems.add(SchemaError::column(&field.name, "stands twice", "drop one of the two"));
                continue;
            }
            match check_field(field, &missing_values) {
                Ok(attribute) => attributes.push(attribute),
                Err(problem) => problems.add(problem),
            }
        }
        // Every method measures at least one table per column, so this much is always needed.
        let cells: u128 = attributes.iter().map(|attribute| u128::from(attribute.size())).sum();
        if cells > limits::CELLS_PER_MODEL {
            let mut by_size: Vec<&Attribute> = attributes.iter().collect();
            by_size.sort_by_key(|attribute| std::cmp::Reverse(attribute.size()));
            let largest = by_size.into_iter().take(5).map(|attribute| attribute.name().into()).collect();
            problems.add(SchemaError::ModelTooLarge { cells, largest });
        }
        if !problems.found.is_empty() {
            return Err(problems);
        }
        let domain = Domain::new(attributes.iter().map(Attribute::size).collect())?;
        let (title, description, terms) = (spec.title, spec.description, spec.dp);
        Ok(Self { title, description, missing_values, terms, privacy, attributes, domain })
    }

    /// The columns, in output order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// One column.
    pub fn attribute(&self, id: AttributeId) -> &Attribute {
        &self.attributes[id.index()]
    }

    /// The column of that name.
    pub fn find(&self, name: &str) -> Option<AttributeId> {
        self.attributes.iter().position(|attribute| attribute.name() == name).map(AttributeId::new)
    }

    /// How many codes each column has.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The privacy terms.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// Texts that stand for a missing value in every column.
    pub fn missing_values(&self) -> &[String] {
        &self.missing_values
    }

    /// The names of all columns of the data that are read: the fields, and the privacy unit behind them if it is none of
    /// them.
    pub fn columns_read(&self) -> impl Iterator<Item = &str> {
        let unit = self.privacy.unit.column().filter(|unit| self.find(unit).is_none());
        self.attributes.iter().map(Attribute::name).chain(unit)
    }

    /// The same columns in a table that does not say whose a row is. Synthetic rows are such a table.
    #[must_use]
    pub fn without_unit(mut self) -> Self {
        self.terms.privacy_unit = None;
        self.privacy.unit = Unit::Row;
        self
    }

    /// Columns whose bounds, bins or categories nobody has confirmed to be public.
    pub fn assumed(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_assumed())
    }

    /// The schema as a file has it.
    pub fn to_spec(&self) -> SchemaSpec {
        SchemaSpec {
            title: self.title.clone(),
            description: self.description.clone(),
            missing_values: Some(self.missing_values.clone()),
            dp: self.terms.clone(),
            fields: self.attributes.iter().map(|attribute| attribute.spec().clone()).collect(),
        }
    }
}

fn check_terms(terms: &TableTerms) -> Result<Privacy, SchemaError> {
    let unit = match terms.privacy_unit.as_deref() {
        None => Unit::Row,
        Some("") => {
            return Err(SchemaError::table(
                "`privacyUnit` is empty",
                "write `row`, or the name of the column that says whose a row is",
            ));
        }
        Some(name) => Unit::from_name(name),
    };
    let max_contributions = NonZeroU32::new(terms.max_contributions.unwrap_or(1))
        .ok_or_else(|| SchemaError::table("`maxContributions` is 0", "a unit contributes at least one row"))?;
    let adjacency = terms.adjacency.unwrap_or_default();
    let row_count = terms.row_count.unwrap_or(match adjacency {
        AdjacencyKind::AddRemove => RowCount::Private,
        AdjacencyKind::ReplaceOne => RowCount::Public,
    });
    match (adjacency, row_count) {
        (AdjacencyKind::AddRemove, RowCount::Public) => Err(SchemaError::table(
            "the row count is public, but adding or removing a row changes it",
            "declare `adjacency: replace-one`, or drop `rowCount: public`",
        )),
        (AdjacencyKind::ReplaceOne, RowCount::Private) => Err(SchemaError::table(
            "the row count is private, but replacing a row does not protect it",
            "declare `adjacency: add-remove`, or drop `rowCount: private`",
        )),
        _ => Ok(Privacy { unit, adjacency, max_contributions, row_count }),
    }
}
