//! The methods, one folder each with its proof note.

pub mod aim;
pub mod auto;
pub mod independent;
pub mod mst;
pub mod pb_pgm;
pub mod privbayes;
pub mod privbayes_nist;
pub mod privmrf;
pub mod smoothed_histogram;
