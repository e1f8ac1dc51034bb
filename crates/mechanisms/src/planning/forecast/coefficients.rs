//! Time and memory of one unit of each kind of work, on the machine of
//! [`super::Machine::REFERENCE`].
//!
//! Those of memory, and those of time for methods other than `auto`, were fitted to the peak memory
//! and processor time of 120 fits by the released program, from a CSV file to a model: eight
//! methods on the tables nltcs, acs, adult, br2000 and fire, at epsilon 0.2, 0.8 and 3.2 and delta
//! 1e-5. They minimise the largest ratio of forecast and measurement, with three times the weight
//! on epsilon 0.8.
//!
//! Those of time for `auto` were fitted to the stages of fits by a test build at epsilon 1 and
//! delta 1e-9, divided by the slowness measured before and after each, on nltcs, acs, br2000, adult
//! (of 14 columns), acs (national, 2019) and loans; the growth of the last fit with the budget also
//! to salary, msnbc and larger epsilons. Then they were frozen, and evaluated on other tables.
//!
//! `reproduce/product.sh plan time` measures again and shows every ratio; `docs/reference/plan.md`
//! has the tables.

/// Seconds to start, and to write a model.
pub(super) const START: f64 = 0.008;
/// Seconds for each value read from a CSV file.
pub(super) const READ: f64 = 6.5e-8;
/// Seconds for each value looked up to count a table.
pub(super) const COUNTED: f64 = 6e-11;
/// Seconds for each cell that a candidate is scored by.
pub(super) const SCORED: f64 = 5.5e-9;
/// Seconds for each cell in which a candidate is compared with a model. Candidates that do not fit
/// the model cost less.
pub(super) const COMPARED: f64 = 1.6e-8;
/// Seconds for each cell of a model that computes the table of a candidate, which visits few cells.
pub(super) const EXPLAINED: f64 = 2.6e-10;
/// Seconds for each step of a dynamic programme.
pub(super) const MAXIMISED: f64 = 4.4e-9;
/// Seconds for each column of each table whose effect on the size of a model is predicted.
pub(super) const SIZED: f64 = 2.1e-6;
/// Seconds for each pass over each cell of a model.
pub(super) const FITTED: f64 = 1.5e-8;
/// Seconds for each cell of measured tables in each pass that visits all remembered steps.
pub(super) const STEPPED: f64 = 1.2e-7;

/// Bytes of the process at its start.
pub(super) const PROCESS: f64 = 45e6;
/// Bytes for each byte of the coded table.
pub(super) const CODED: f64 = 2.5;
/// Bytes for each cell of tables that are counted at once.
pub(super) const COUNTED_CELL: f64 = 6.0;
/// Maximum number of cells counted at once: the vault counts in batches.
pub(super) const MAX_COUNTED_CELLS: f64 = 1e7;
/// Bytes for each cell of a candidate: expected counts, on the lattice and as floats, and real
/// counts.
pub(super) const COMPARED_CELL: f64 = 31.0;
/// Bytes for each cell of a model: potentials, marginals and the steps of the search.
pub(super) const MODEL_CELL: f64 = 50.0;
/// Bytes for each cell of a measured table.
pub(super) const TABLE_CELL: f64 = 20.0;
