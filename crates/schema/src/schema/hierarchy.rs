//! Hierarchies of a column's values, such as the groups of a code book of occupations or diagnoses.
//!
//! A hierarchy is declared with the values and is as public as they are. Methods may measure a
//! coarse level together with other columns, and split each group by the column's own counts. The
//! output always has values, not groups.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::domain::clique::AttributeId;
use crate::error::SchemaError;
use crate::file::spec::{FieldSpec, Scalar, SchemaSpec};
use crate::file::{ReadError, read_text};
use crate::schema::attribute::{Attribute, FieldType};
use crate::schema::check::check_field;

/// A hierarchy as written in a schema file: exactly one of `file` and `levels`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HierarchySpec {
    /// A CSV file, relative to the schema file: a header line, then a line per value with the
    /// value, its parent, the parent's parent and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// One list per level, finest first: the group of every declared value, in the order of the
    /// values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<Vec<Scalar>>>,
}

/// One level of a hierarchy: a group for every code of a column.
///
/// Groups are numbered in order of their first value. Then each missing or unknown code has its own
/// group.
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

    /// The names of the groups.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Columns with the group of every code at each level, finest first.
pub type Hierarchies = Vec<(AttributeId, Vec<Box<[u32]>>)>;

/// The levels of a column, finest first; empty if it declares no hierarchy.
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
                "has a hierarchy `file`, which is only possible in a schema read from a file",
                "read the schema from a file, or write the hierarchy as `levels`",
            );
        }
        HierarchySpec { .. } => return column.fails("has an empty hierarchy", "write `file` or `levels`"),
    };
    if given.is_empty() {
        return column.fails("has a hierarchy without levels", "list the groups of the values, or drop `hierarchy`");
    }
    let mut levels: Vec<Level> = Vec::with_capacity(given.len());
    for parents in given {
        let level = column.level(levels.len() + 1, parents)?;
        column.check_coarser(&level, levels.last(), levels.len() + 1)?;
        levels.push(level);
    }
    Ok(levels.into())
}

/// A column being checked.
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
                "list one parent for every declared value, in the same order",
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
                    "write a parent for every value; a value may be its own parent",
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

    /// Checks that a level is coarser than the one before: fewer groups, at least two, and no group
    /// split.
    fn check_coarser(&self, level: &Level, finer: Option<&Level>, number: usize) -> Result<(), SchemaError> {
        let extra = self.attribute.size() as usize - self.declared;
        let groups = level.names.len() - extra;
        if groups < 2 {
            return self
                .fails(format!("has all values in one group at level {number} of its hierarchy"), "drop that level");
        }
        let finer_groups = finer.map_or(self.declared, |finer| finer.names.len() - extra);
        if groups >= finer_groups {
            return self.fails(
                format!("has {groups} groups at level {number} of its hierarchy, and {finer_groups} below it"),
                "write fewer groups at each level than at the one before; the finest comes first",
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
                    "move all values of the group to one group of the next level, or split the group into two names",
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
    /// Replaces hierarchy files by their levels, so that the schema needs no other file.
    pub(crate) fn inline_hierarchies(&mut self, folder: &Path) -> Result<(), ReadError> {
        let missing_values =
            self.missing_values.clone().unwrap_or_else(|| vec![crate::values::missing::MissingValue::plain("")]);
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
            // Other problems of the column are reported by `Schema::new`, together with those of
            // all columns.
            let Ok(attribute) = bare else { continue };
            let levels = table.levels(&attribute)?;
            field.dp.hierarchy = Some(HierarchySpec { file: None, levels: Some(levels) });
        }
        Ok(())
    }
}

/// A hierarchy file.
struct ParentTable {
    column: String,
    file: String,
    /// The lines of the file: a value and its parents.
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
                "begin it with a header line such as `code,parent,grandparent`",
            );
        }
        let mut lines = Vec::new();
        for (number, record) in reader.records().enumerate() {
            // Line 1 is the header.
            let number = number + 2;
            let Ok(record) = record else {
                return fails(format!("has a hierarchy file `{file}` whose line {number} is not CSV"), "fix that line");
            };
            if record.len() != width {
                return fails(
                    format!("has a hierarchy file `{file}` with {} fields in line {number}, not {width}", record.len()),
                    "write a parent at every level for every value",
                );
            }
            let mut fields = record.iter().map(String::from);
            let value = fields.next().unwrap_or_default();
            lines.push((value, fields.collect()));
        }
        Ok(Self { column: field.name.clone(), file: file.into(), lines })
    }

    /// Fills in the categories of a text column that lists none.
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
                format!("has a hierarchy file `{file}` with `{value}`, which is not one of its values"),
                "declare the value, or drop the line".into(),
            );
        }
        let mut levels = vec![Vec::with_capacity(values.len()); self.lines.first().map_or(0, |(_, line)| line.len())];
        for value in &values {
            let Some(parents) = parents_of.get(value.as_str()) else {
                return fails(
                    format!("has no line for `{value}` in its hierarchy file `{file}`"),
                    "add a line for every declared value".into(),
                );
            };
            for (level, parent) in levels.iter_mut().zip(parents.iter()) {
                level.push(Scalar::Text(parent.clone()));
            }
        }
        Ok(levels)
    }
}
