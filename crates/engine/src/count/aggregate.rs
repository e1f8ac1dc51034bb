//! Counting as a DataFusion aggregate, so that it is part of the plan and runs wherever the plan
//! runs.
//!
//! `count_cliques(codes...)` counts the rows of its partition into the tables of a [`CountPlan`].
//! It returns one list of `u64`: all requested tables, one after another. That list is both the
//! state between the partial and the final step, and the result. Lists are added cell by cell with
//! checked addition, so the result does not depend on the order of rows, on partitions or on
//! batches, and a partition that is counted again after a failure gives the same list.
//!
//! Nothing here is random: a partition may run twice, but noise must be drawn once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};

use crate::codes::encode::code_type;
use crate::count::kernel::{BLOCK_ROWS, Codes, CountPlan, Counter};

/// The aggregate that counts the tables of one plan.
///
/// The plan is part of the function, not an argument: an argument would be copied for every row of
/// every batch.
pub struct CountCliques {
    plan: Arc<CountPlan>,
    signature: Signature,
}

impl CountCliques {
    /// Creates the aggregate for `plan`. Its arguments are the codes of the [columns of the
    /// plan](CountPlan::columns), in that order.
    pub fn new(plan: Arc<CountPlan>) -> Self {
        Self { plan, signature: Signature::variadic_any(Volatility::Immutable) }
    }

    pub(crate) fn plan(&self) -> &CountPlan {
        &self.plan
    }

    /// Returns the expression that counts the given columns of codes.
    pub fn call(plan: Arc<CountPlan>, codes: Vec<Expr>) -> Expr {
        AggregateUDF::new_from_impl(Self::new(plan)).call(codes)
    }

    /// Splits the result of the aggregate into the requested tables.
    ///
    /// # Errors
    /// If `result` is not one list with one count per cell of the tables.
    pub fn tables(plan: &CountPlan, result: &dyn Array) -> Result<Vec<Vec<u64>>> {
        Self::split(plan, &counts_of(result, 0)?)
    }

    /// Splits all counts into the requested tables.
    ///
    /// # Errors
    /// If there is not one count per cell of the tables.
    pub(crate) fn split(plan: &CountPlan, counts: &UInt64Array) -> Result<Vec<Vec<u64>>> {
        if counts.len() != plan.output_cells() {
            return exec_err!("the counts belong to another query");
        }
        Ok(plan.split(counts.values()))
    }
}

/// Returns the list of counts in one row of a column of states.
pub(crate) fn counts_of(states: &dyn Array, row: usize) -> Result<UInt64Array> {
    match states.as_list_opt::<i32>() {
        Some(lists) if row < lists.len() && lists.is_valid(row) => {
            let counts = lists.value(row);
            match counts.as_primitive_opt::<UInt64Type>() {
                Some(counts) if counts.null_count() == 0 => Ok(counts.clone()),
                _ => exec_err!("counts have another type"),
            }
        }
        _ => exec_err!("counts are not a list"),
    }
}

/// Adds counts cell by cell.
pub(crate) fn add_counts(sums: &mut [u64], counts: &[u64]) -> Result<()> {
    if sums.len() != counts.len() {
        return exec_err!("counts of two queries cannot be added");
    }
    for (sum, count) in sums.iter_mut().zip(counts) {
        let Some(total) = sum.checked_add(*count) else { return exec_err!("more rows than can be counted") };
        *sum = total;
    }
    Ok(())
}

/// The type of counts in a list.
pub(crate) fn item() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::UInt64, false))
}

// Two calls are equal if they have the same query and domain, because these determine the plan.
impl PartialEq for CountCliques {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.plan, &other.plan)
            || (self.plan.domain() == other.plan.domain() && self.plan.cliques() == other.plan.cliques())
    }
}

impl Eq for CountCliques {}

impl Hash for CountCliques {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.plan.domain().hash(state);
        self.plan.cliques().len().hash(state);
    }
}

impl fmt::Debug for CountCliques {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CountCliques").field("tables", &self.plan.cliques().len()).finish_non_exhaustive()
    }
}

impl AggregateUDFImpl for CountCliques {
    fn name(&self) -> &'static str {
        "count_cliques"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let columns = self.plan.columns().iter().map(|&attribute| code_type(self.plan.domain().size(attribute)));
        if columns.eq(arguments.iter().cloned()) {
            Ok(DataType::List(item()))
        } else {
            plan_err!("count_cliques takes the codes of its plan's columns")
        }
    }

    fn is_nullable(&self) -> bool {
        false
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(CountAccumulator {
            plan: Arc::clone(&self.plan),
            counter: None,
            pending: vec![],
            pending_rows: 0,
            merged: None,
        }))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[counts]", arguments.name), DataType::List(item()), false))])
    }
}

/// The counts of one partition, or the sum of several.
struct CountAccumulator {
    plan: Arc<CountPlan>,
    /// Created with the first row: DataFusion charges the memory pool for the growth of an
    /// accumulator, not for its initial size.
    counter: Option<Counter>,
    /// Batches that are collected until there are enough rows for a block.
    pending: Vec<Vec<ArrayRef>>,
    pending_rows: usize,
    /// The sum of the states merged so far.
    merged: Option<Vec<u64>>,
}

impl CountAccumulator {
    fn count_pending(&mut self) -> Result<()> {
        let batches: Vec<Vec<Codes<'_>>> =
            self.pending.iter().map(|columns| columns.iter().map(codes).collect()).collect::<Result<_>>()?;
        let counter = self.counter.get_or_insert_with(|| Counter::new(Arc::clone(&self.plan)));
        counter.add(&batches).map_err(|error| DataFusionError::External(Box::new(error)))?;
        self.pending.clear();
        self.pending_rows = 0;
        Ok(())
    }

    /// Returns all counts so far, as a list in one scalar.
    fn counts(&mut self) -> Result<ScalarValue> {
        if self.pending_rows > 0 {
            self.count_pending()?;
        }
        if let Some(counter) = self.counter.take() {
            self.merge(counter.finish_together())?;
        }
        // Without rows, all counts are zero.
        let counts = self.merged.take().unwrap_or_else(|| vec![0; self.plan.output_cells()]);
        let lengths = OffsetBuffer::from_lengths([counts.len()]);
        let counts = Arc::new(UInt64Array::from(counts));
        Ok(ScalarValue::List(Arc::new(ListArray::try_new(item(), lengths, counts, None)?)))
    }

    /// Adds the counts of another partition.
    fn merge(&mut self, part: Vec<u64>) -> Result<()> {
        if part.len() != self.plan.output_cells() {
            return exec_err!("counts of two queries cannot be added");
        }
        let Some(sums) = &mut self.merged else {
            self.merged = Some(part);
            return Ok(());
        };
        add_counts(sums, &part)
    }
}

/// Returns the codes in an array, if it is a column of codes.
fn codes(array: &ArrayRef) -> Result<Codes<'_>> {
    if array.null_count() > 0 {
        return exec_err!("a code is missing");
    }
    match array.data_type() {
        DataType::UInt8 => Ok(Codes::U8(array.as_primitive::<UInt8Type>().values())),
        DataType::UInt16 => Ok(Codes::U16(array.as_primitive::<UInt16Type>().values())),
        DataType::UInt32 => Ok(Codes::U32(array.as_primitive::<UInt32Type>().values())),
        _ => exec_err!("a column is not one of codes"),
    }
}

impl Accumulator for CountAccumulator {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let rows = columns.first().map_or(0, Array::len);
        self.pending.push(columns.to_vec());
        self.pending_rows += rows;
        if self.pending_rows >= BLOCK_ROWS { self.count_pending() } else { Ok(()) }
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [states] = states else { return exec_err!("the state is one column of counts") };
        for row in 0..states.len() {
            self.merge(counts_of(states, row)?.values().to_vec())?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.counts()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.counts()
    }

    // Pending batches are left out: they are few and short-lived, and DataFusion charges for growth
    // only.
    fn size(&self) -> usize {
        let merged = self.merged.as_ref().map_or(0, Vec::capacity) * size_of::<u64>();
        size_of_val(self) + self.counter.as_ref().map_or(0, Counter::bytes) + merged
    }
}

impl fmt::Debug for CountAccumulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CountAccumulator(..)")
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{UInt8Array, UInt16Array};
    use scumble_schema::{Clique, Domain};

    use super::*;

    fn accumulator() -> CountAccumulator {
        let domain = Domain::new(vec![2, 300]).unwrap();
        let plan = Arc::new(
            CountPlan::new(&domain, &[Clique::empty(), domain.one_way()[0].clone(), domain.one_way()[1].clone()])
                .unwrap(),
        );
        CountAccumulator { plan, counter: None, pending: vec![], pending_rows: 0, merged: None }
    }

    fn rows(first: &[u8], second: &[u16]) -> Vec<ArrayRef> {
        vec![Arc::new(UInt8Array::from(first.to_vec())), Arc::new(UInt16Array::from(second.to_vec()))]
    }

    fn state(counts: Vec<u64>) -> ArrayRef {
        let lengths = OffsetBuffer::from_lengths([counts.len()]);
        Arc::new(ListArray::new(item(), lengths, Arc::new(UInt64Array::from(counts)), None))
    }

    #[test]
    fn states_add_up_in_any_order() {
        let states: Vec<ArrayRef> = [rows(&[0, 1, 1], &[5, 299, 0]), rows(&[], &[]), rows(&[1], &[5])]
            .iter()
            .map(|batch| {
                let mut part = accumulator();
                part.update_batch(batch).unwrap();
                part.state().unwrap()[0].to_array().unwrap()
            })
            .collect();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut whole = accumulator();
            for part in order {
                whole.merge_batch(&[Arc::clone(&states[part])]).unwrap();
            }
            let tables =
                CountCliques::tables(&whole.plan.clone(), &whole.evaluate().unwrap().to_array().unwrap()).unwrap();
            assert_eq!(tables[..2], [vec![4], vec![1, 3]]);
            assert_eq!((tables[2][0], tables[2][5], tables[2][299], tables[2].iter().sum::<u64>()), (1, 2, 1, 4));
        }
    }

    #[test]
    fn an_invalid_state_or_an_overflow_is_refused() {
        let full = state(vec![u64::MAX; 303]);
        let mut whole = accumulator();
        whole.merge_batch(&[Arc::clone(&full)]).unwrap();
        assert!(whole.merge_batch(&[state(vec![1; 303])]).is_err());
        assert!(accumulator().merge_batch(&[state(vec![1; 302])]).is_err());
        assert!(accumulator().merge_batch(&[full, state(vec![])]).is_err());
        let mut wrong = accumulator();
        wrong.update_batch(&rows(&[2], &[0])).unwrap();
        assert!(wrong.state().is_err(), "a code outside its attribute");
        let mut missing = accumulator();
        missing
            .update_batch(&[Arc::new(UInt8Array::from(vec![None])) as ArrayRef, rows(&[], &[0]).swap_remove(1)])
            .unwrap();
        assert!(missing.state().is_err(), "a null code");
    }
}
