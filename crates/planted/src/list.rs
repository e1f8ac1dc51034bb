//! List of all mutants, each with the test that catches it.

use crate::{CaughtBy, Facts};

/// Declares the mutants and their facts in one table.
macro_rules! mutants {
    ($($(#[doc = $mistake:literal])+ $mutant:ident = $name:literal in $room:literal, caught by $package:literal $target:literal $test:literal;)+) => {
        /// A bug that can be planted in the program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Mutant {
            $($(#[doc = $mistake])+ $mutant,)+
        }

        impl Mutant {
            /// All mutants.
            pub const ALL: [Self; [$(Self::$mutant),+].len()] = [$(Self::$mutant),+];

            /// Returns the facts about the mutant.
            pub const fn facts(self) -> Facts {
                match self {
                    $(Self::$mutant => Facts {
                        name: $name,
                        room: $room,
                        mistake: concat!($($mistake),+).trim_ascii(),
                        caught_by: CaughtBy { package: $package, target: $target, test: $test },
                    },)+
                }
            }
        }
    };
}

mutants! {
    /// A selection is drawn with half the sensitivity that its event states.
    SelectionDeltaHalved = "selection-delta-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::selections_follow_the_law_of_their_event";
    /// A selection is drawn with a quarter of the sensitivity that its event states.
    SelectionDeltaQuartered = "selection-delta-quartered" in "vault",
        caught by "scumble-vault" "vault" "release_laws::selections_follow_the_law_of_their_event";
    /// All selections of a job are drawn from one stream.
    SelectionsShareAStream = "selections-share-a-stream" in "vault",
        caught by "scumble-vault" "vault" "release_laws::selections_are_independent_of_each_other";
    /// The noise of all tables of a job comes from one stream.
    TablesShareAStream = "tables-share-a-stream" in "vault",
        caught by "scumble-vault" "vault" "release_laws::noise_is_independent_across_events_blocks_and_jobs";
    /// The noise of all scores of a job comes from one stream.
    ScoresShareAStream = "scores-share-a-stream" in "vault",
        caught by "scumble-vault" "vault" "release_laws::noise_is_independent_across_events_blocks_and_jobs";
    /// All blocks of a release have the same noise.
    BlocksShareAStream = "blocks-share-a-stream" in "vault",
        caught by "scumble-vault" "vault" "release_laws::noise_is_independent_across_events_blocks_and_jobs";
    /// Laplace noise on tables has half the scale of its event.
    LaplaceTablesHalved = "laplace-tables-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::tables_follow_the_law_of_their_event";
    /// Gaussian noise on tables has half the scale of its event.
    GaussianTablesHalved = "gaussian-tables-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::tables_follow_the_law_of_their_event";
    /// Gaussian noise on tables is 3 percent too small.
    GaussianTablesSlightlySmall = "gaussian-tables-slightly-small" in "vault",
        caught by "scumble-vault" "vault" "release_laws::tables_follow_the_law_of_their_event";
    /// Laplace noise on scores has half the scale of its event.
    LaplaceScoresHalved = "laplace-scores-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::scores_follow_the_law_of_their_event";
    /// Gaussian noise on scores has half the scale of its event.
    GaussianScoresHalved = "gaussian-scores-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::scores_follow_the_law_of_their_event";
    /// Rows are drawn with half the smoothing that their event states.
    SmoothingHalved = "smoothing-halved" in "vault",
        caught by "scumble-vault" "vault" "release_laws::rows_follow_the_law_of_their_event";
    /// A threshold is computed as if noise were not rounded, so that it is too low.
    ThresholdForgetsTheHalf = "threshold-forgets-the-half" in "vault",
        caught by "scumble-vault" "vault" "values::values_of_one_unit_pass_as_rarely_as_their_event_says";
    /// Values are charged as if the rows of a unit never held the same one.
    ValuesOfRootContributions = "values-of-root-contributions" in "vault",
        caught by "scumble-vault" "vault" "values::the_certificate_follows_from_the_events";
    /// A release of values shows how many were below the threshold.
    ValuesCountTheHidden = "values-count-the-hidden" in "vault",
        caught by "scumble-vault" "vault" "values::only_values_of_the_rows_are_released_and_in_the_order_of_their_bytes";
    /// Released values are in the order in which they appeared.
    ValuesInOrderOfAppearance = "values-in-order-of-appearance" in "vault",
        caught by "scumble-vault" "vault" "values::only_values_of_the_rows_are_released_and_in_the_order_of_their_bytes";
    /// Cells without rows get no noise.
    EmptyCellsWithoutNoise = "empty-cells-without-noise" in "vault",
        caught by "scumble-vault" "vault" "release_laws::tables_follow_the_law_of_their_event";
    /// Noise is a float of 32 bits, so that at a large scale it misses most integers.
    FloatNoise = "float-noise" in "vault",
        caught by "scumble-vault" "vault" "release_laws::noise_of_a_large_scale_reaches_odd_and_even_numbers";
    /// The key of a job has 32 random bits.
    JobKeyOf32Bits = "job-key-of-32-bits" in "vault",
        caught by "scumble-vault" "vault" "release_laws::no_two_jobs_share_their_noise";
    /// The key of every job is the same.
    FixedKey = "fixed-key" in "vault",
        caught by "scumble-vault" "vault" "release_laws::no_two_jobs_share_their_noise";
    /// The exponential mechanism lacks the 2 under its exponent.
    ExponentialWithoutTwo = "exponential-without-two" in "vault",
        caught by "scumble-vault" "vault" "release_laws::selections_follow_the_law_of_their_event";
    /// Tables under replace-one are charged as under add/remove.
    ReplaceOneAsAddRemove = "replace-one-as-add-remove" in "vault",
        caught by "scumble-vault" "vault" "release_laws::events_state_the_sensitivity_of_the_privacy_rules";
    /// Rows that one unit contributes are not counted in the sensitivity of scores.
    ScoresIgnoreContributions = "scores-ignore-contributions" in "vault",
        caught by "scumble-vault" "vault" "release_laws::events_state_the_sensitivity_of_the_privacy_rules";
    /// Half the L1 distance is charged with half its sensitivity.
    HalfL1Undercharged = "half-l1-undercharged" in "vault",
        caught by "scumble-vault" "vault" "release_laws::events_state_the_sensitivity_of_the_privacy_rules";
    /// Released rows are compared with the real ones in the scale of the exact number of rows.
    ComparisonScaledByExactRows = "comparison-scaled-by-exact-rows" in "vault",
        caught by "scumble-vault" "vault" "compare::neighbours_are_within_the_sensitivity_of_the_event";
    /// The largest error of several tables is released without a charge.
    LargestErrorIsFree = "largest-error-is-free" in "vault",
        caught by "scumble-vault" "vault" "compare::neighbours_are_within_the_sensitivity_of_the_event";
    /// The weights of a count follow the real rows, as those of a predictor trained on them would.
    WeightsFollowRealRows = "weights-follow-real-rows" in "vault",
        caught by "scumble-vault" "vault" "compare::neighbours_are_within_the_sensitivity_of_the_event";
    /// A selection under Gaussian accounting costs what it costs under zCDP.
    GdpSelectionTooCheap = "gdp-selection-too-cheap" in "vault",
        caught by "scumble-vault" "vault" "gdp_selections::the_worst_two_outcomes_of_a_bounded_range_cost_what_is_charged";
    /// Both parts of a split budget are the whole.
    SplitGivesTheWholeTwice = "split-gives-the-whole-twice" in "vault",
        caught by "scumble-vault" "vault" "releases::adaptive_questions_share_one_budget";
    /// A release that was journalled is drawn again when its job is resumed.
    ResumeDrawsAgain = "resume-draws-again" in "vault",
        caught by "scumble-vault" "vault" "job::a_job_that_was_cut_off_releases_the_same_again_and_goes_on";
    /// A job is resumed on whatever table is at hand.
    ResumeOnAnyTable = "resume-on-any-table" in "vault",
        caught by "scumble-vault" "vault" "job::a_job_that_is_resumed_on_another_table_is_refused";
    /// A ledger reserves half of what a job may spend.
    LedgerReservesHalf = "ledger-reserves-half" in "ledger",
        caught by "scumble-vault" "vault" "job::a_finished_job_has_spent_what_its_certificate_says";
    /// A job that ends is recorded as free.
    LedgerCommitsNothing = "ledger-commits-nothing" in "ledger",
        caught by "scumble-vault" "vault" "job::a_finished_job_has_spent_what_its_certificate_says";
    /// The cap of a ledger is not looked at.
    LedgerWithoutCap = "ledger-without-cap" in "ledger",
        caught by "scumble-vault" "vault" "ledger::the_cap_is_reached_exactly_and_never_passed";
    /// One row more of each unit is kept than the schema allows.
    UnitKeepsOneMore = "unit-keeps-one-more" in "engine",
        caught by "scumble-engine" "engine" "units::a_unit_of_a_thousand_rows_moves_no_count_by_more_than_three";
    /// The first rows of a unit are kept, so that the order of the file decides which.
    UnitKeepsTheFirst = "unit-keeps-the-first" in "engine",
        caught by "scumble-engine" "engine" "units::the_rows_of_lowest_rank_are_kept_in_every_order_and_partition";
    /// A missing value has no code, so that one cell fails the whole scan.
    MissingValueRaises = "missing-value-raises" in "engine",
        caught by "scumble-engine" "engine" "junk::fifty_thousand_junk_values_of_every_arrow_type_are_coded";
    /// A fit charges for one row of each unit, whatever the schema declares.
    FitForOneRow = "fit-for-one-row" in "mechanisms",
        caught by "scumble-mechanisms" "mechanisms" "model_file::a_unit_column_comes_back_with_its_model";
    /// A fit takes rows that were kept under another bound than the schema's.
    FitIgnoresTheBound = "fit-ignores-the-bound" in "mechanisms",
        caught by "scumble-mechanisms" "mechanisms" "model_file::a_source_that_kept_other_rows_than_the_schema_says_is_refused";
    /// A certificate loses what its schema assumes.
    CertificateWithoutAssumptions = "certificate-without-assumptions" in "mechanisms",
        caught by "scumble-mechanisms" "mechanisms" "model_file::assumptions_of_the_schema_are_in_the_certificate_and_cannot_be_taken_out";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_mutant_has_a_unique_name_and_a_sentence() {
        let names: BTreeSet<&str> = Mutant::ALL.iter().map(|mutant| mutant.facts().name).collect();
        assert_eq!(names.len(), Mutant::ALL.len());
        for mutant in Mutant::ALL {
            let Facts { name, mistake, .. } = mutant.facts();
            assert!(mistake.ends_with('.') && !mistake.starts_with(' '), "{name}: {mistake}");
        }
    }

    #[test]
    fn no_mutant_is_planted_without_the_environment_variable() {
        if std::env::var_os("SCUMBLE_PLANTED_BUG").is_none() {
            assert!(Mutant::ALL.iter().all(|mutant| !mutant.is_planted()));
        }
    }
}
