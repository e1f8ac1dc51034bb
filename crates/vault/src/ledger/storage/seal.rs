//! The seal: a digest of every byte of the file, stored in two fields of the file's own header.
//!
//! The chain covers the records. The rest of the file belongs to SQLite: page headers, pointers,
//! unused space. A fault there can hide a record or break a later write, so the seal covers it too.

use sha2::{Digest, Sha256};

use std::ops::Range;

/// `user_version` and `application_id`, which SQLite reserves for the application and never
/// changes.
const USER_VERSION: Range<usize> = 60..64;
const APPLICATION_ID: Range<usize> = 68..72;
/// Fields that SQLite changes while it commits.
const CHANGE_COUNTER: Range<usize> = 24..28;
const VERSION_VALID_FOR: Range<usize> = 92..96;
const LIBRARY_VERSION: Range<usize> = 96..100;

/// 64 bits of a digest: a random change goes undetected with probability 2^-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seal {
    pub(super) user_version: i32,
    pub(super) application_id: i32,
}

impl Seal {
    /// Computes the seal of a file of these bytes.
    pub(super) fn of(image: &[u8]) -> Self {
        let (head, between, tail) = (
            &image[..USER_VERSION.start],
            &image[USER_VERSION.end..APPLICATION_ID.start],
            &image[APPLICATION_ID.end..],
        );
        let digest = Sha256::new().chain_update(head).chain_update(between).chain_update(tail).finalize();
        Self { user_version: integer(&digest[..4]), application_id: integer(&digest[4..8]) }
    }

    /// Reads the seal stored in these bytes.
    pub(super) fn on(image: &[u8]) -> Self {
        Self { user_version: integer(&image[USER_VERSION]), application_id: integer(&image[APPLICATION_ID]) }
    }

    /// Computes the seal of the file as it will be after committing these pages.
    ///
    /// Commit adds one to the change counter, copies it to `version-valid-for`, and writes the
    /// version of the library. If a library did anything else, its ledgers would not verify, and
    /// tests would fail.
    pub(super) fn after_commit(image: &[u8]) -> Self {
        let mut image = image.to_vec();
        let counter = integer(&image[CHANGE_COUNTER]).wrapping_add(1).to_be_bytes();
        image[CHANGE_COUNTER].copy_from_slice(&counter);
        image[VERSION_VALID_FOR].copy_from_slice(&counter);
        image[LIBRARY_VERSION].copy_from_slice(&rusqlite::version_number().to_be_bytes());
        Self::of(&image)
    }
}

fn integer(bytes: &[u8]) -> i32 {
    i32::from_be_bytes(bytes.try_into().expect("fields of the header have four bytes"))
}
