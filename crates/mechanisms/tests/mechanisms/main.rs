//! Methods as a vault sees them, their models and their plans.
//!
//! One program: every file of its own would compile every method again.

mod aim;
mod asked;
mod auto;
mod columns;
mod conditioning;
mod forecast;
mod marginals;
mod methods;
mod model_file;
mod mst;
mod privbayes;
mod privmrf_paper;
mod quality;
mod replay;
mod rules;
mod smoothed_histogram;
mod theory;
mod workload;
