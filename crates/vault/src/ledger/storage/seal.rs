//! The seal: a digest of every byte of the file, kept in two fields of the file's own header.
//!
//! The chain covers the records. The rest of the file is SQLite's: page headers, pointers, unused space. A fault in there can
//! hide a record or bring down a later write, so the seal covers it too.

use sha2::{Digest, Sha256};

use std::ops::Range;

/// `user_version` and `application_id`, which SQLite leaves to the application and never changes by itself.
const USER_VERSION: Range<usize> = 60..64;
const APPLICATION_ID: Range<usize> = 68..72;
/// What SQLite fills in while it commits.
const CHANGE_COUNTER: Range<usize> = 24..28;
const VERSION_VALID_FOR: Range<usize> = 92..96;
const LIBRARY_VERSION: Range<usize> = 96..100;

/// 64 bits of a digest: an accident goes unnoticed once in 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seal {
    pub(super) user_version: i32,
    pub(super) application_id: i32,
}

impl Seal {
    /// The seal that belongs to a file of these bytes.
    pub(super) fn of(image: &[u8]) -> Self {
        let (head, between, tail) = (
            &image[..USER_VERSION.start],
            &image[USER_VERSION.end..APPLICATION_ID.start],
            &image[APPLICATION_ID.end..],
        );
        let digest = Sha256::new().chain_update(head).chain_update(between).chain_update(tail).finalize();
        Self { user_version: integer(&digest[..4]), application_id: integer(&digest[4..8]) }
    }

    /// The seal that these bytes carry.
    pub(super) fn on(image: &[u8]) -> Self {
        Self { user_version: integer(&image[USER_VERSION]), application_id: integer(&image[APPLICATION_ID]) }
    }

    /// The seal of the file that committing these pages will make.
    ///
    /// Commit adds one to the change counter, copies it to where the library's version is vouched for, and writes that
    /// version. A library that did anything else would make ledgers that no longer verify, and the tests would say so.
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
