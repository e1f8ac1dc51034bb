//! Steps that several methods share: noisy tables, merged values, model fits and rounds.

pub(crate) mod column_levels;
pub(crate) mod expected;
pub(crate) mod merging;
pub(crate) mod model_fitter;
pub(crate) mod noisy;
pub(crate) mod pair_scores;
pub(crate) mod round_learner;
pub(crate) mod rules;
pub(crate) mod spanning_tree;
pub(crate) mod union_find;
