//! What one unit of each kind of work takes, on the machine that [`super::Machine::REFERENCE`] stands for.
//!
//! Those of memory, and those of time for methods other than `auto`, were fitted to the peak memory and processor time of 120 fits by the
//! released program, from a CSV file to a model: eight methods on the tables nltcs, acs, adult, br2000 and fire, at epsilon 0.2, 0.8 and 3.2
//! and delta 1e-5. The largest ratio between the two was made as small as can be, with three times the weight on epsilon 0.8.
//!
//! Those of time for `auto` were fitted to the stages of fits by a build for tests at epsilon 1 and delta 1e-9, divided by the
//! slowness that was measured before and after each, on nltcs, acs, br2000, adult (of 14 columns), acs (national, 2019) and loans; the
//! growth of the last fit with the budget also to salary, msnbc and larger epsilons. Then they were frozen, and judged on other tables.
//!
//! `reproduce/product.sh plan time` measures again and shows every ratio; `docs/reference/plan.md` has the tables.

/// Seconds to start, and to write a model.
pub(super) const START: f64 = 0.008;
/// Seconds for each value read from a CSV file.
pub(super) const READ: f64 = 6.5e-8;
/// Seconds for each value looked up to count a table.
pub(super) const COUNTED: f64 = 6e-11;
/// Seconds for each cell that a candidate is scored by.
pub(super) const SCORED: f64 = 5.5e-9;
/// Seconds for each cell in which a candidate is compared with a model. Not all candidates fit the model, and those that do not cost less.
pub(super) const COMPARED: f64 = 1.6e-8;
/// Seconds for each cell of a model that is asked for the table of a candidate: it needs few of them.
pub(super) const EXPLAINED: f64 = 2.6e-10;
/// Seconds for each step of a dynamic programme.
pub(super) const MAXIMISED: f64 = 4.4e-9;
/// Seconds for each column of each table whose effect on the size of a model is worked out, and which is compared with the model.
pub(super) const SIZED: f64 = 2.1e-6;
/// Seconds for each pass over each cell of a model.
pub(super) const FITTED: f64 = 1.5e-8;
/// Seconds for each cell of measured tables in each pass that goes through all remembered steps.
pub(super) const STEPPED: f64 = 1.2e-7;

/// Bytes of the process before it does anything.
pub(super) const PROCESS: f64 = 45e6;
/// Bytes for each byte of the coded table.
pub(super) const CODED: f64 = 2.5;
/// Bytes for each cell of tables that are counted at once, and how many those are at most: the vault counts in batches.
pub(super) const COUNTED_CELL: f64 = 6.0;
pub(super) const MOST_COUNTED_CELLS: f64 = 1e7;
/// Bytes for each cell of a candidate: what is expected, on the lattice and as a number, and what is counted.
pub(super) const COMPARED_CELL: f64 = 31.0;
/// Bytes for each cell of a model: potentials, marginals and the steps of the search.
pub(super) const MODEL_CELL: f64 = 50.0;
/// Bytes for each cell of a measured table.
pub(super) const TABLE_CELL: f64 = 20.0;
