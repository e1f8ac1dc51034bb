//! Durable, tamper-evident storage of a ledger. No code here decides how much may be spent.
//!
//! Records and events are texts in this module and values are integers; none are interpreted. Once
//! [`Store::append`] has returned, its text is durable, unchanged and in its place, and so is an
//! entry of a journal; any other state is detected and refused. There is one writer at a time. The
//! argument is in `ledger.md`, "The order of operations" and "What is checked before every spend".
//!
//! | module | guards against |
//! |---|---|
//! | [`chain`] | a record or an entry that is changed, lost or moved |
//! | [`seal`] | a change of any other byte of the file |
//! | [`store`] | concurrent writers, partial writes, power failure |
//! | [`journal`] | values that left the process and are not on disk |
//! | [`files`] | file names that are not durable, two names of one ledger, failed storage |
//! | [`failure`] | errors that are classified as less severe than they are |

mod chain;
mod failure;
mod files;
mod journal;
mod seal;
mod store;

pub(super) use chain::Hash;
pub(super) use files::{Files, private_file};
pub use journal::JournalEntry;
pub(super) use journal::{Journal, claim};
pub(super) use store::Store;
