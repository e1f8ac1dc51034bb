//! Columns whose values are in other columns: a union has a child and an index for each row, runs
//! only an index.
//!
//! Both are read value by value. The child of a row is part of that row, so no row changes how
//! another is read.

use datafusion::arrow::array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RunArray, UnionArray};
use datafusion::arrow::datatypes::{DataType, UnionFields};

/// Location of the values of a column.
pub(crate) struct Indirect {
    /// Only the referenced ranges: a slice of a large column is read often.
    pub(crate) children: Vec<ArrayRef>,
    /// Child and index of each row. An index that is out of range has no value.
    places: Vec<(usize, usize)>,
}

impl Indirect {
    /// Resolves a union or a run-end encoded array; `None` for a column of another type.
    pub(crate) fn of(array: &dyn Array) -> Option<Self> {
        match array.data_type() {
            DataType::Union(fields, _) => Some(Self::of_union(fields, array.as_union())),
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => Some(Self::of_runs(array.as_run::<Int16Type>())),
                DataType::Int32 => Some(Self::of_runs(array.as_run::<Int32Type>())),
                _ => Some(Self::of_runs(array.as_run::<Int64Type>())),
            },
            _ => None,
        }
    }

    fn of_union(fields: &UnionFields, union: &UnionArray) -> Self {
        let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
        // A type id that the type does not list has no child.
        let child = |id: i8| ids.iter().position(|known| *known == id).unwrap_or(usize::MAX);
        let place = |row: usize| match union.offsets() {
            Some(offsets) => usize::try_from(offsets[row]).unwrap_or(usize::MAX),
            None => row,
        };
        let places = union.type_ids().iter().enumerate().map(|(row, id)| (child(*id), place(row))).collect();
        Self { children: ids.iter().map(|id| union.child(*id).clone()).collect(), places }.trimmed()
    }

    fn of_runs<R: RunEndIndexType>(runs: &RunArray<R>) -> Self {
        let places = (0..runs.len()).map(|row| (0, runs.get_physical_index(row))).collect();
        Self { children: vec![runs.values().clone()], places }.trimmed()
    }

    /// Returns these values without the parts of the children that no row refers to.
    fn trimmed(mut self) -> Self {
        let mut spans: Vec<(usize, usize)> = self.children.iter().map(|child| (child.len(), 0)).collect();
        for &(child, place) in &self.places {
            if let Some((first, end)) = spans.get_mut(child)
                && place < self.children[child].len()
            {
                (*first, *end) = ((*first).min(place), (*end).max(place + 1));
            }
        }
        for (child, (first, end)) in self.children.iter_mut().zip(&spans) {
            *child = child.slice((*first).min(*end), end.saturating_sub(*first));
        }
        for (child, place) in &mut self.places {
            if let Some((first, _)) = spans.get(*child) {
                *place = place.checked_sub(*first).unwrap_or(usize::MAX);
            }
        }
        self
    }

    /// Returns the value of each row, from one list of values per child.
    pub(crate) fn pick<'a, T>(&'a self, values: &'a [Vec<T>]) -> impl Iterator<Item = Option<&'a T>> {
        self.places.iter().map(|&(child, place)| values.get(child)?.get(place))
    }
}
