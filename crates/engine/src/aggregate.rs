//! Counting as a DataFusion aggregate, so that it is part of the plan and runs wherever the plan runs.
//!
//! `count_cliques(codes...)` counts the rows of its partition into the tables of a [`CountPlan`], and hands over one list of
//! `u64`: all wanted tables, one behind the other. That list is the state between the partial and the final step, and the
//! result. Lists are added cell by cell with checked addition, so the result does not depend on the order of rows, on
//! partitions or on batches, and a part that is counted again after a failure has the same list.
//!
//! Nothing random happens here. A part may run twice; noise must not.

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

use crate::encode::code_type;
use crate::kernel::{BLOCK_ROWS, Codes, CountPlan, Counter};

/// The aggregate that counts the tables of one plan.
///
/// The plan is part of the function, not an argument: an argument would be copied for every row of every batch.
pub struct CountCliques {
    plan: Arc<CountPlan>,
    signature: Signature,
}

impl CountCliques {
    /// The aggregate for `plan`. Its arguments are the codes of the [columns of the plan](CountPlan::columns), in that order.
    pub fn new(plan: Arc<CountPlan>) -> Self {
        Self { plan, signature: Signature::variadic_any(Volatility::Immutable) }
    }

    /// The expression that counts the given columns of codes.
    pub fn call(plan: Arc<CountPlan>, codes: Vec<Expr>) -> Expr {
        AggregateUDF::new_from_impl(Self::new(plan)).call(codes)
    }

    /// The wanted tables, out of a result of the aggregate.
    ///
    /// # Errors
    /// If `result` is not one list with as many counts as the tables have cells.
    pub fn tables(plan: &CountPlan, result: &dyn Array) -> Result<Vec<Vec<u64>>> {
        let list = counts_of(result, 0)?;
        let mut rest = list.values().as_ref();
        if rest.len() != plan.wanted_lengths().sum::<usize>() {
            return exec_err!("the counts belong to another question");
        }
        let table = |length| {
            let (table, behind) = rest.split_at(length);
            rest = behind;
            table.to_vec()
        };
        Ok(plan.wanted_lengths().map(table).collect())
    }
}

/// The list of counts in one row of a column of states.
fn counts_of(states: &dyn Array, row: usize) -> Result<UInt64Array> {
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

fn item() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::UInt64, false))
}

// Two calls are the same if they ask the same question of the same domain: the plan follows from that.
impl PartialEq for CountCliques {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.plan, &other.plan)
            || (self.plan.domain() == other.plan.domain() && self.plan.wanted() == other.plan.wanted())
    }
}

impl Eq for CountCliques {}

impl Hash for CountCliques {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.plan.domain().hash(state);
        self.plan.wanted().len().hash(state);
    }
}

impl fmt::Debug for CountCliques {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CountCliques").field("tables", &self.plan.wanted().len()).finish_non_exhaustive()
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
            merged: vec![],
        }))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[counts]", arguments.name), DataType::List(item()), false))])
    }
}

/// The counts of one partition, or the sum of several.
struct CountAccumulator {
    plan: Arc<CountPlan>,
    /// Made with the first row: DataFusion asks the memory pool for what an accumulator grows by, not for what it begins
    /// with.
    counter: Option<Counter>,
    /// Batches that wait until there are enough rows for a block.
    pending: Vec<Vec<ArrayRef>>,
    pending_rows: usize,
    /// The sum of the states merged so far; empty before the first.
    merged: Vec<u64>,
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

    /// All counts so far, as a list in one scalar.
    fn counts(&mut self) -> Result<ScalarValue> {
        if self.pending_rows > 0 {
            self.count_pending()?;
        }
        let own = self.counter.as_ref().map(|counter| counter.finish().concat()).unwrap_or_default();
        add(&mut self.merged, own)?;
        self.counter = None;
        // Without a row all counts are zero.
        self.merged.resize(self.plan.wanted_lengths().sum(), 0);
        let counts = UInt64Array::from(std::mem::take(&mut self.merged));
        let lengths = OffsetBuffer::from_lengths([counts.len()]);
        Ok(ScalarValue::List(Arc::new(ListArray::try_new(item(), lengths, Arc::new(counts), None)?)))
    }
}

/// Adds `part` to `sum` cell by cell; nothing stands for all zeros.
fn add(sum: &mut Vec<u64>, part: Vec<u64>) -> Result<()> {
    if sum.is_empty() {
        *sum = part;
    } else if !part.is_empty() {
        add_slice(sum, &part)?;
    }
    Ok(())
}

fn add_slice(sum: &mut [u64], part: &[u64]) -> Result<()> {
    if sum.len() != part.len() {
        return exec_err!("counts of two questions cannot be added");
    }
    for (sum, &count) in sum.iter_mut().zip(part) {
        match sum.checked_add(count) {
            Some(total) => *sum = total,
            None => return exec_err!("more rows than can be counted"),
        }
    }
    Ok(())
}

/// The codes in an array, if it is a column of codes.
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
        let rows = columns.first().map_or(0, |column| column.len());
        self.pending.push(columns.to_vec());
        self.pending_rows += rows;
        if self.pending_rows >= BLOCK_ROWS { self.count_pending() } else { Ok(()) }
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [states] = states else { return exec_err!("the state is one column of counts") };
        for row in 0..states.len() {
            let counts = counts_of(states, row)?;
            if self.merged.is_empty() {
                self.merged = counts.values().to_vec();
            } else {
                add_slice(&mut self.merged, counts.values())?;
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.counts()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.counts()
    }

    // Pending batches are left out: they are few, they come and go, and DataFusion books growth only.
    fn size(&self) -> usize {
        size_of_val(self) + self.counter.as_ref().map_or(0, Counter::bytes) + size_of::<u64>() * self.merged.capacity()
    }
}

impl fmt::Debug for CountAccumulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CountAccumulator(..)")
    }
}
