//! What guards the bytes of a ledger: nothing in here decides how much may be spent.
//!
//! Records and events are texts in this module, values are integers, and nobody in here reads what they mean. What it promises: a
//! text that was added is there for ever, unchanged and in its place, once [`Store::append`] has returned; an entry of a journal
//! likewise; anything else is noticed and refused. One writer at a time. The argument is in `ledger.md`, "The order of things" and
//! "What is checked before every spend".
//!
//! | | against |
//! |---|---|
//! | [`chain`] | a record or an entry that is changed, lost or moved |
//! | [`seal`] | a change of any other byte of the file |
//! | [`store`] | two writers at once, half a write, power that fails |
//! | [`journal`] | values that left the process and are not on disk |
//! | [`files`] | names that do not last, two names of one ledger, storage that failed once |
//! | [`failure`] | a failure that is taken for less than it is |

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
