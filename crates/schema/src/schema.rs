//! The checked schema: what every other room works with.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;

use crate::assumption::Assumption;
use crate::attribute::Attribute;
use crate::check::check_field;
use crate::clique::AttributeId;
use crate::dialect::Dialect;
use crate::domain::Domain;
use crate::error::SchemaError;
use crate::generated::{Generated, OutputColumn};
use crate::hierarchy::Hierarchies;
use crate::limits;
use crate::missing::{self, MissingValue};
use crate::privacy::{AdjacencyKind, Privacy, RowCount, Unit};
use crate::rules::{Rule, RuleSpec, Rules};
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
    missing_values: Vec<MissingValue>,
    dialect: Dialect,
    terms: TableTerms,
    privacy: Privacy,
    attributes: Vec<Attribute>,
    /// Columns that are made up on output, in their order.
    generated: Vec<Generated>,
    domain: Domain,
    rules: Rules,
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

    /// How many problems there are besides those that are [listed](Self::list).
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
        if let Err(problem) = spec.dialect.check() {
            problems.add(problem);
        }
        let missing_values = spec.missing_values.unwrap_or_else(|| vec![MissingValue::plain("")]);
        if let Err(problem) = missing::check_table(&missing_values) {
            problems.add(problem);
        }
        let mut seen = BTreeSet::new();
        let mut attributes: Vec<Attribute> = Vec::with_capacity(spec.fields.len());
        let mut generated = Vec::new();
        // Every method measures at least one table per column, so this much is always needed.
        let mut cells: u128 = 0;
        for (place, field) in spec.fields.into_iter().enumerate() {
            if !seen.insert(field.name.clone()) {
                problems.add(SchemaError::column(&field.name, "stands twice", "drop one of the two"));
                continue;
            }
            let field = match field.expanded() {
                Ok(field) => field,
                Err(problem) => {
                    problems.add(problem);
                    continue;
                }
            };
            if field.dp.generate.is_some() {
                match Generated::new(field, place) {
                    Ok(column) => generated.push(column),
                    Err(problem) => problems.add(problem),
                }
                continue;
            }
            match check_field(field, &missing_values) {
                Ok(attribute) => {
                    cells += u128::from(attribute.size());
                    // Columns may list their edges, so those that are too many are counted and not kept.
                    if cells <= limits::CELLS_PER_MODEL {
                        attributes.push(attribute);
                    }
                }
                Err(problem) => problems.add(problem),
            }
        }
        if attributes.is_empty() && !generated.is_empty() && problems.found.is_empty() {
            problems.add(SchemaError::table(
                "every field is generated, so there is nothing to model",
                "list a column to synthesise",
            ));
        }
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
        let rules = Rules::new(&attributes, &domain, &spec.dp.rules)?;
        let (title, description, dialect, terms) = (spec.title, spec.description, spec.dialect, spec.dp);
        Ok(Self { title, description, missing_values, dialect, terms, privacy, attributes, generated, domain, rules })
    }

    /// The columns that are read, modelled and drawn, in output order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The columns that are made up on output: neither read nor modelled, and in no domain.
    pub fn generated(&self) -> &[Generated] {
        &self.generated
    }

    /// All columns of the output in their order, those that are made up among those that are modelled.
    pub fn output_columns(&self) -> Vec<OutputColumn<'_>> {
        let mut columns: Vec<OutputColumn<'_>> = self.attributes.iter().map(OutputColumn::Modelled).collect();
        // In the order of their places, so everything before each is already there.
        for generated in &self.generated {
            columns.insert(generated.place(), OutputColumn::Generated(generated));
        }
        columns
    }

    /// Whether so many rows can be written.
    ///
    /// # Errors
    /// If a column whose values have to be different has not so many.
    pub fn check_rows(&self, rows: u64) -> Result<(), SchemaError> {
        self.generated.iter().try_for_each(|generated| generated.check_rows(rows))
    }

    /// The columns, for [`Observer`](crate::Observer), which gives them other codes and then the domain of these.
    pub(crate) fn attributes_mut(&mut self) -> &mut [Attribute] {
        &mut self.attributes
    }

    pub(crate) fn set_domain(&mut self, domain: Domain) {
        self.domain = domain;
    }

    /// The column with this id, which is its position among the [`attributes`](Self::attributes).
    ///
    /// # Panics
    /// If the id is that of a column of another, longer schema.
    pub fn attribute(&self, id: AttributeId) -> &Attribute {
        &self.attributes[id.index()]
    }

    /// The id of the column of that name; `None` if there is none, or if its values are made up.
    pub fn find(&self, name: &str) -> Option<AttributeId> {
        self.attributes.iter().position(|attribute| attribute.name() == name).map(AttributeId::new)
    }

    /// The declared hierarchies: for every column that has one, the groups of its codes at each level, finest first.
    pub fn hierarchies(&self) -> Hierarchies {
        let groups = |attribute: &Attribute| attribute.levels().iter().map(|level| level.groups().into()).collect();
        let of = |(place, attribute): (usize, &Attribute)| (AttributeId::new(place), groups(attribute));
        let declared = self.attributes.iter().enumerate().filter(|(_, attribute)| !attribute.levels().is_empty());
        declared.map(of).collect()
    }

    /// How many codes each column has.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The rules between columns, as combinations of codes that cannot be. Rules that forbid nothing are left out.
    pub fn rules(&self) -> &[Rule] {
        &self.rules.list
    }

    /// The rules as the schema file has them.
    pub fn written_rules(&self) -> &[RuleSpec] {
        &self.terms.rules
    }

    /// Declared values that no row can have, by the rules: columns with their codes. They cost cells and are likely a mistake.
    pub fn never_values(&self) -> &[(AttributeId, u32)] {
        &self.rules.never
    }

    /// The pairs of columns of which the second is never below the first.
    pub(crate) fn ascending(&self) -> &[(AttributeId, AttributeId)] {
        &self.rules.ascending
    }

    /// The rules that tie columns of days to years.
    pub(crate) fn tied_to_years(&self) -> &Rules {
        &self.rules
    }

    /// Whose privacy is protected, which tables are neighbours, and whether the number of rows is public.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// Texts that stand for a missing value in every column that lists none of its own.
    pub fn missing_values(&self) -> &[MissingValue] {
        &self.missing_values
    }

    /// The texts that stand for a missing value in the column of that name, whether it is a field or not.
    pub fn missing_texts(&self, column: &str) -> impl Iterator<Item = &str> {
        let own = self.find(column).and_then(|id| self.attribute(id).spec().missing_values.as_deref());
        own.unwrap_or(&self.missing_values).iter().map(|missing| missing.value.as_str())
    }

    /// The names of all columns of the data that are read: the fields that are not made up, and the privacy unit behind them if it is none of
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

    /// Columns whose bounds, bins or categories were read off the rows without a release.
    pub fn read_off_data(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_read_off_data())
    }

    /// What a guarantee for this schema assumes beyond what the program enforces.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let multiline = self.dialect.multiline.then_some(Assumption::MultilineRecords);
        let read_off = self.read_off_data().next().map(|_| Assumption::DomainFromData);
        multiline.into_iter().chain(read_off).collect()
    }

    /// How text files of the table are written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// This schema for text files that are written in another way.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The schema as a file has it.
    pub fn to_spec(&self) -> SchemaSpec {
        SchemaSpec {
            title: self.title.clone(),
            description: self.description.clone(),
            missing_values: Some(self.missing_values.clone()),
            dialect: self.dialect,
            dp: self.terms.clone(),
            fields: self.output_columns().into_iter().map(|column| column.spec().clone()).collect(),
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
