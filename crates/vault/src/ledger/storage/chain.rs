//! Hash chain that binds each record, and each entry of a journal, to all before it.

use sha2::{Digest, Sha256};

/// A link of the chain.
pub(in crate::ledger) type Hash = [u8; 32];

/// Link before the first record.
pub(super) const GENESIS: Hash = [0; 32];

/// Returns the link after `previous` for a record of this text.
pub(super) fn link(previous: &Hash, body: &str) -> Hash {
    Sha256::new().chain_update(previous).chain_update(body).finalize().into()
}
