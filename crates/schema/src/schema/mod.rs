//! The checked schema.

pub(crate) mod assumption;
pub(crate) mod attribute;
pub(crate) mod check;
pub(crate) mod generated;
pub(crate) mod hierarchy;
pub(crate) mod observe;
mod output;
pub(crate) mod privacy;

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;

use self::assumption::Assumption;
use self::attribute::Attribute;
use self::check::check_field;
use self::generated::{Generated, OutputColumn};
use self::hierarchy::Hierarchies;
use self::privacy::{AdjacencyKind, Privacy, RowCount, Unit};
use crate::derived::Input;
use crate::domain::Domain;
use crate::domain::clique::AttributeId;
use crate::error::SchemaError;
use crate::file::dialect::Dialect;
use crate::file::spec::{SchemaSpec, TableTerms};
use crate::limits;
use crate::rules::{Rule, RuleSpec, Rules};
use crate::values::missing::{self, MissingValue};

/// Maximum number of listed problems; further ones are only counted.
const MAX_LISTED_PROBLEMS: usize = 50;

/// A checked schema.
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
    /// Generated columns, in output order.
    generated: Vec<Generated>,
    domain: Domain,
    rules: Rules,
}

/// All problems of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    found: Vec<SchemaError>,
    unlisted: usize,
}

impl Problems {
    /// The first 50 problems; never empty.
    pub fn list(&self) -> &[SchemaError] {
        &self.found
    }

    /// Number of problems that are not [listed](Self::list).
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    fn add(&mut self, problem: SchemaError) {
        if self.found.len() < MAX_LISTED_PROBLEMS {
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
    /// All problems at once.
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
        let (mut generated, mut derived) = (Vec::new(), Vec::new());
        // Every method measures at least one table per column.
        let mut cells: u128 = 0;
        for (place, field) in spec.fields.into_iter().enumerate() {
            if !seen.insert(field.name.clone()) {
                problems.add(SchemaError::column(&field.name, "is declared twice", "drop one of the two"));
                continue;
            }
            let field = match field.expanded() {
                Ok(field) => field,
                Err(problem) => {
                    problems.add(problem);
                    continue;
                }
            };
            if field.dp.derive.is_some() {
                derived.push((place, field));
                continue;
            }
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
                    // Attributes can be large, so beyond the limit they are counted but not kept.
                    if cells <= limits::CELLS_PER_MODEL {
                        attributes.push(attribute);
                    }
                }
                Err(problem) => problems.add(problem),
            }
        }
        // Only once all columns are known: an expression may name any of them.
        if problems.found.is_empty() {
            let inputs: Vec<Input<'_>> = attributes.iter().map(Input::of).collect();
            for (place, field) in derived {
                match Generated::derived(field, place, &inputs) {
                    Ok(column) => generated.push(column),
                    Err(problem) => problems.add(problem),
                }
            }
            generated.sort_by_key(Generated::place);
        }
        if attributes.is_empty() && !generated.is_empty() && problems.found.is_empty() {
            problems.add(SchemaError::table(
                "every field is generated, so nothing is left to model",
                "add a column without `generate`",
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

    /// The modelled columns, in output order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The generated columns, which are not read, not modelled and not in the domain.
    pub fn generated(&self) -> &[Generated] {
        &self.generated
    }

    /// All output columns, modelled and generated, in output order.
    pub fn output_columns(&self) -> Vec<OutputColumn<'_>> {
        let mut columns: Vec<OutputColumn<'_>> = self.attributes.iter().map(OutputColumn::Modelled).collect();
        // Ascending by place, so everything before each insertion is already there.
        for generated in &self.generated {
            columns.insert(generated.place(), OutputColumn::Generated(generated));
        }
        columns
    }

    /// Checks that the generated columns have values for `rows` rows.
    ///
    /// # Errors
    /// If a unique or sequential column has fewer values.
    pub fn check_rows(&self, rows: u64) -> Result<(), SchemaError> {
        self.generated.iter().try_for_each(|generated| generated.check_rows(rows))
    }

    /// The modelled columns, for changes to their encoders. [`Schema::set_domain`] must follow if
    /// sizes change.
    pub(crate) fn attributes_mut(&mut self) -> &mut [Attribute] {
        &mut self.attributes
    }

    pub(crate) fn set_domain(&mut self, domain: Domain) {
        self.domain = domain;
    }

    /// The column with this id, its position in [`attributes`](Self::attributes).
    ///
    /// # Panics
    /// If the id is out of range.
    pub fn attribute(&self, id: AttributeId) -> &Attribute {
        &self.attributes[id.index()]
    }

    /// The id of the modelled column with this name, if any.
    pub fn find(&self, name: &str) -> Option<AttributeId> {
        self.attributes.iter().position(|attribute| attribute.name() == name).map(AttributeId::new)
    }

    /// The declared hierarchies, with the group of every code at each level, finest first.
    pub fn hierarchies(&self) -> Hierarchies {
        let groups = |attribute: &Attribute| attribute.levels().iter().map(|level| level.groups().into()).collect();
        let of = |(place, attribute): (usize, &Attribute)| (AttributeId::new(place), groups(attribute));
        let declared = self.attributes.iter().enumerate().filter(|(_, attribute)| !attribute.levels().is_empty());
        declared.map(of).collect()
    }

    /// The number of codes of every modelled column.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The compiled rules between columns, without those that forbid nothing.
    pub fn rules(&self) -> &[Rule] {
        &self.rules.list
    }

    /// The rules as written in the schema file.
    pub fn rule_specs(&self) -> &[RuleSpec] {
        &self.terms.rules
    }

    /// Declared values that the rules make impossible, as columns and codes. They cost cells and
    /// are likely a mistake.
    pub fn impossible_values(&self) -> &[(AttributeId, u32)] {
        &self.rules.never
    }

    /// The compiled rules with the orders and years that the decoder enforces.
    pub(crate) fn rule_set(&self) -> &Rules {
        &self.rules
    }

    /// The privacy terms: unit, adjacency, contribution bound, and whether the number of rows is
    /// public.
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }

    /// The missing values of the table, for columns that declare none.
    pub fn missing_values(&self) -> &[MissingValue] {
        &self.missing_values
    }

    /// The texts that mean a missing value in the column with this name, whether it is a field or
    /// not.
    pub fn missing_texts(&self, column: &str) -> impl Iterator<Item = &str> {
        let own = self.find(column).and_then(|id| self.attribute(id).spec().missing_values.as_deref());
        own.unwrap_or(&self.missing_values).iter().map(|missing| missing.value.as_str())
    }

    /// The names of the columns that are read from the data: the modelled columns, then the privacy
    /// unit if it is not among them.
    pub fn columns_read(&self) -> impl Iterator<Item = &str> {
        let unit = self.privacy.unit.column().filter(|unit| self.find(unit).is_none());
        self.attributes.iter().map(Attribute::name).chain(unit)
    }

    /// Removes the privacy unit, as in synthetic rows, which have none.
    #[must_use]
    pub fn without_unit(mut self) -> Self {
        self.terms.privacy_unit = None;
        self.privacy.unit = Unit::Row;
        self
    }

    /// Columns whose bounds, bins or categories are not confirmed to be public.
    pub fn assumed(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_assumed())
    }

    /// Columns whose bounds, bins or categories were read off the rows without a release.
    pub fn read_off_data(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_read_off_data())
    }

    /// The assumptions that a guarantee for this schema depends on.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let multiline = self.dialect.multiline.then_some(Assumption::MultilineRecords);
        let read_off = self.read_off_data().next().map(|_| Assumption::DomainFromData);
        multiline.into_iter().chain(read_off).collect()
    }

    /// The dialect of the table's text files.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Replaces the dialect of the table's text files.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The schema as written in a file.
    pub fn to_spec(&self) -> SchemaSpec {
        SchemaSpec {
            title: self.title.clone(),
            description: self.description.clone(),
            missing_values: Some(self.missing_values.clone()),
            dialect: self.dialect.clone(),
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
                "write `row`, or the name of the column that identifies the person",
            ));
        }
        Some(name) => Unit::from_name(name),
    };
    let max_contributions = NonZeroU32::new(terms.max_contributions.unwrap_or(1)).ok_or_else(|| {
        SchemaError::table("`maxContributions` is 0", "write the maximum number of rows per unit, at least 1")
    })?;
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
