//! Where rows come from: files, object stores, databases, memory.

#[cfg(feature = "adbc")]
pub(crate) mod adbc;
pub(crate) mod column_types;
pub(crate) mod csv;
pub(crate) mod database_problem;
pub(crate) mod delta_table;
pub(crate) mod guard;
#[cfg(any(feature = "adbc", feature = "postgres"))]
pub(crate) mod identifier;
pub(crate) mod indirect;
pub(crate) mod input;
pub(crate) mod inspect;
pub(crate) mod memory_table;
#[cfg(not(feature = "adbc"))]
pub(crate) mod no_adbc;
#[cfg(not(feature = "postgres"))]
pub(crate) mod no_postgres;
pub(crate) mod objects;
pub(crate) mod packed;
pub(crate) mod path_columns;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod scan;
#[cfg(feature = "object-store")]
pub(crate) mod stores;
pub(crate) mod whole;

#[cfg(not(feature = "adbc"))]
pub(crate) use no_adbc as adbc;
#[cfg(not(feature = "postgres"))]
pub(crate) use no_postgres as postgres;
