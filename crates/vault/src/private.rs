//! Data that only the vault may read.

use std::fmt;

/// Data about rows on its way into the vault.
///
/// Anyone may put data in; only this crate takes it out. There is no `Deref`, `Clone`, `PartialEq`
/// or `Serialize`, and `Debug` prints nothing of the content.
///
/// # Privacy
/// ```
/// # use scumble_vault::Private;
/// assert_eq!(format!("{:?}", Private::new(vec![3, 1, 4])), "Private<..>(..)");
/// ```
/// Peeking does not compile:
/// ```compile_fail,E0616
/// # use scumble_vault::Private;
/// let secret = Private::new(vec![3_u64, 1, 4]);
/// let peeked = secret.0;
/// ```
/// ```compile_fail,E0614
/// # use scumble_vault::Private;
/// let secret = Private::new(vec![3_u64, 1, 4]);
/// let peeked = (*secret).len();
/// ```
/// ```compile_fail,E0624
/// # use scumble_vault::Private;
/// let secret = Private::new(vec![3_u64, 1, 4]);
/// let peeked = secret.open();
/// ```
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Marks `content` as private.
    pub fn new(content: T) -> Self {
        Self(content)
    }

    /// Returns the content. From here on this crate is responsible for keeping it private.
    pub(crate) fn open(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Private<..>(..)")
    }
}
