//! Groups of a column's values, groups of those groups, and so on: what a code book says of occupations, places and diagnoses.
//!
//! A hierarchy is declared like the values themselves and is as public as they are. Methods may count a coarse level together with other
//! columns and spread every group over its values by the column's own counts; what comes out are always values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::attribute::{Attribute, FieldType};
use crate::check::check_field;
use crate::clique::AttributeId;
use crate::error::SchemaError;
use crate::file::{ReadError, read_text};
use crate::spec::{FieldSpec, Scalar, SchemaSpec};

/// A hierarchy as a schema file declares it: one of the two ways.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HierarchySpec {
    /// A CSV file beside the schema file: a header line, then for every value the value, its parent, the parent's parent and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The parent of every declared value, in the order of the values; then, in the same order, the parents' parents; and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<Vec<Scalar>>>,
}

/// One level of a hierarchy: every code of a column is in one of its groups.
///
/// Groups are numbered as values first meet them. After them each code that is no declared value (missing, unknown) has one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    groups: Box<[u32]>,
    names: Box<[String]>,
}

impl Level {
    /// The group of every code.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// What the groups are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Columns with the groups of their codes at each level, finest first.
pub type Hierarchies = Vec<(AttributeId, Vec<Box<[u32]>>)>;

/// The levels of a column, finest first; none if it declares no hierarchy.
pub(crate) fn levels_of(attribute: &Attribute) -> Result<Box<[Level]>, SchemaError> {
    let Some(spec) = &attribute.spec.dp.hierarchy else { return Ok(Box::default()) };
    let column = Column { attribute, declared: attribute.declared_codes() as usize };
    let given = match spec {
        HierarchySpec { file: None, levels: Some(levels) } => levels,
        HierarchySpec { file: Some(_), levels: Some(_) } => {
            return column.fails("declares its hierarchy in two ways", "keep one of `file` and `levels`");
        }
        HierarchySpec { file: Some(_), .. } => {
            return column.fails(
                "has a hierarchy in a file of its own, which only a schema that is a file itself can name",
                "read the schema from its file, or write the hierarchy as `levels`",
            );
        }
        HierarchySpec { .. } => return column.fails("has an empty hierarchy", "give `file` or `levels`"),
    };
    if given.is_empty() {
        return column.fails("has a hierarchy without levels", "give every value a parent, or drop `hierarchy`");
    }
    let mut levels: Vec<Level> = Vec::with_capacity(given.len());
    for parents in given {
        let level = column.level(levels.len() + 1, parents)?;
        column.is_coarser(&level, levels.last(), levels.len() + 1)?;
        levels.push(level);
    }
    Ok(levels.into())
}

/// A column under check.
struct Column<'a> {
    attribute: &'a Attribute,
    declared: usize,
}

impl Column<'_> {
    fn fails<T>(&self, problem: impl Into<String>, hint: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError::column(self.attribute.name(), problem, hint))
    }

    fn level(&self, number: usize, parents: &[Scalar]) -> Result<Level, SchemaError> {
        if parents.len() != self.declared {
            return self.fails(
                format!(
                    "declares {} values, but level {number} of its hierarchy has {} parents",
                    self.declared,
                    parents.len()
                ),
                "give one parent for every declared value, in the same order",
            );
        }
        let mut numbers = BTreeMap::new();
        let mut names = Vec::new();
        let mut groups = Vec::with_capacity(self.attribute.size() as usize);
        for (value, parent) in parents.iter().enumerate() {
            let name = parent.to_string();
            if name.is_empty() {
                let value = self.attribute.label(number_of(value));
                return self.fails(
                    format!("has no parent for `{value}` at level {number} of its hierarchy"),
                    "give every value a parent; one that stands alone may be its own",
                );
            }
            groups.push(*numbers.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                number_of(names.len() - 1)
            }));
        }
        for code in number_of(self.declared)..self.attribute.size() {
            groups.push(number_of(names.len()));
            names.push(self.attribute.label(code));
        }
        Ok(Level { groups: groups.into(), names: names.into() })
    }

    /// Whether a level goes on from the one before: fewer groups, two at least, and no group torn apart.
    fn is_coarser(&self, level: &Level, finer: Option<&Level>, number: usize) -> Result<(), SchemaError> {
        let extra = self.attribute.size() as usize - self.declared;
        let groups = level.names.len() - extra;
        if groups < 2 {
            return self.fails(
                format!("has all values in one group at level {number} of its hierarchy"),
                "drop that level: it tells nothing",
            );
        }
        let finer_groups = finer.map_or(self.declared, |finer| finer.names.len() - extra);
        if groups >= finer_groups {
            return self.fails(
                format!("has {groups} groups at level {number} of its hierarchy, and {finer_groups} below it"),
                "give each level fewer groups than the one before; the finest comes first",
            );
        }
        let Some(finer) = finer else { return Ok(()) };
        let mut parent_of: Vec<Option<u32>> = vec![None; finer.names.len()];
        for (&group, &parent) in finer.groups.iter().zip(&level.groups) {
            let known = *parent_of[group as usize].get_or_insert(parent);
            if known != parent {
                let [name, one, other] =
                    [&finer.names[group as usize], &level.names[known as usize], &level.names[parent as usize]];
                return self.fails(
                    format!("has values of group `{name}` in both `{one}` and `{other}` at level {number}"),
                    "put all values of a group into the same group of the next level, or give the group two names",
                );
            }
        }
        Ok(())
    }
}

fn number_of(place: usize) -> u32 {
    u32::try_from(place).expect("a column has at most 2^20 codes")
}

impl SchemaSpec {
    /// Puts hierarchies that are in files of their own into the schema: from here on it needs no other file.
    pub(crate) fn inline_hierarchies(&mut self, folder: &Path) -> Result<(), ReadError> {
        let missing_values =
            self.missing_values.clone().unwrap_or_else(|| vec![crate::missing::MissingValue::plain("")]);
        for field in &mut self.fields {
            let Some(HierarchySpec { file: Some(file), levels: None }) = &field.dp.hierarchy else { continue };
            let path = folder.join(file);
            let text = read_text(&path)?;
            let table = ParentTable::read(field, file, &text)?;
            table.take_values(field);
            let bare = {
                let mut bare = field.clone();
                bare.dp.hierarchy = None;
                check_field(bare, &missing_values)
            };
            // What else is wrong with the column is told with all other problems; the file is not the first of them.
            let Ok(attribute) = bare else { continue };
            let levels = table.levels(&attribute)?;
            field.dp.hierarchy = Some(HierarchySpec { file: None, levels: Some(levels) });
        }
        Ok(())
    }
}

/// The file of a hierarchy.
struct ParentTable {
    column: String,
    file: String,
    /// Every value with its parents, as the file has them.
    lines: Vec<(String, Vec<String>)>,
}

impl ParentTable {
    fn read(field: &FieldSpec, file: &str, text: &str) -> Result<Self, SchemaError> {
        let fails = |problem: String, hint: &str| Err(SchemaError::column(&field.name, problem, hint));
        let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
        let width = reader.headers().map_or(0, csv::StringRecord::len);
        if width < 2 {
            return fails(
                format!("has a hierarchy file `{file}` without parents"),
                "begin it with a line of names such as `code,parent,grandparent`",
            );
        }
        let mut lines = Vec::new();
        for (number, record) in reader.records().enumerate() {
            // The names are line 1.
            let number = number + 2;
            let Ok(record) = record else {
                return fails(format!("has a hierarchy file `{file}` whose line {number} is no CSV"), "mend that line");
            };
            if record.len() != width {
                return fails(
                    format!("has a hierarchy file `{file}` with {} fields in line {number}, not {width}", record.len()),
                    "give every value a parent at every level",
                );
            }
            let mut fields = record.iter().map(String::from);
            let value = fields.next().unwrap_or_default();
            lines.push((value, fields.collect()));
        }
        Ok(Self { column: field.name.clone(), file: file.into(), lines })
    }

    /// A text column that lists no categories has those of the file.
    fn take_values(&self, field: &mut FieldSpec) {
        if field.field_type == FieldType::String.name() && field.constraints.categories.is_none() {
            let values = self.lines.iter().map(|(value, _)| Scalar::Text(value.clone()));
            field.constraints.categories = Some(values.collect());
        }
    }

    /// The parents of every declared value, level by level.
    fn levels(&self, attribute: &Attribute) -> Result<Vec<Vec<Scalar>>, SchemaError> {
        let fails = |problem: String, hint: String| Err(SchemaError::column(&self.column, problem, hint));
        let file = &self.file;
        let mut parents_of = BTreeMap::new();
        for (value, parents) in &self.lines {
            if parents_of.insert(value.as_str(), parents).is_some() {
                return fails(format!("has `{value}` twice in its hierarchy file `{file}`"), "drop one of them".into());
            }
        }
        let values: Vec<String> = (0..attribute.declared_codes()).map(|code| attribute.label(code)).collect();
        let known: BTreeSet<&str> = values.iter().map(String::as_str).collect();
        if let Some((value, _)) = self.lines.iter().find(|(value, _)| !known.contains(value.as_str())) {
            return fails(
                format!("has a hierarchy file `{file}` with `{value}`, which is none of its values"),
                "declare the value, or drop the line".into(),
            );
        }
        let mut levels = vec![Vec::with_capacity(values.len()); self.lines.first().map_or(0, |(_, line)| line.len())];
        for value in &values {
            let Some(parents) = parents_of.get(value.as_str()) else {
                return fails(
                    format!("has no line for `{value}` in its hierarchy file `{file}`"),
                    "add one: every declared value has a parent".into(),
                );
            };
            for (level, parent) in levels.iter_mut().zip(parents.iter()) {
                level.push(Scalar::Text(parent.clone()));
            }
        }
        Ok(levels)
    }
}
