//! The order of a table's cells. This is the only file that defines it.
//! Axes are in ascending attribute order and the last one varies fastest, so the cell of codes
//! `(c0, c1, c2)` is `(c0 * size1 + c1) * size2 + c2`.

use crate::domain::Domain;
use crate::domain::clique::Clique;

/// The stride of each attribute of `clique` in a flat table, in the clique's order.
///
/// ```
/// use scumble_schema::{AttributeId, Clique, Domain, cells};
/// let domain = Domain::new(vec![2, 3, 5])?;
/// let all = Clique::new(domain.attributes());
/// assert_eq!(cells::strides(&domain, &all), [15, 5, 1]);
/// # Ok::<(), scumble_schema::SchemaError>(())
/// ```
///
/// # Panics
/// If the table does not fit a `usize`. Call [`Domain::table_len`] first.
pub fn strides(domain: &Domain, clique: &Clique) -> Vec<usize> {
    let mut step = 1_usize;
    let mut strides = vec![0; clique.len()];
    for (stride, &attribute) in strides.iter_mut().zip(clique.attributes()).rev() {
        *stride = step;
        step = step.checked_mul(domain.size(attribute) as usize).expect("table_len was called first");
    }
    strides
}
