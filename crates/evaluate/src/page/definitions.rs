//! Definitions of all metrics.

use maud::{Markup, html};
use scumble_report::page::facts;

use crate::evaluation::{Evaluation, VERDICT_BOUNDS};

pub(super) fn section(evaluation: &Evaluation) -> Markup {
    let [small, moderate, large] = VERDICT_BOUNDS;
    let tables = html! {
        "Total variation distance: half the sum, over all cells, of the absolute difference between the share of real rows and \
         the share of synthetic rows in the cell. For each number of columns, all tables are compared, or a fixed random sample \
         if there are too many."
    };
    let achievable = html! {
        "The mean score of bootstraps: rows drawn with replacement from the real table, as many as the synthetic table has, \
         compared with the real table. For tables and subgroups it is computed exactly, from the mean absolute deviation of the \
         binomial distribution; for the rest it is the mean of several draws."
    };
    let correlations = html! {
        "Spearman’s rank correlation for two columns of numbers or dates, without rows where one of them is missing, between −1 \
         and 1. Cramér’s V for other pairs, between 0 and 1."
    };
    let subgroups = html! {
        "The k-marginal score: 1,000 times one less the mean distance of a hundred tables over three columns, within the rows \
         that have the value."
    };
    let nist = html! {
        "Clustering: a million times one less the mean distance of a hundred tables over three columns. Classification: how near \
         the logarithms of the frequencies of 300 random conditions on a third of the columns are. Regression: how near the Gini \
         coefficients of income and the ranks by pay gap of all places are."
    };
    let words = html! {
        "The distance beyond the achievable one: below " (small) " it is called negligible, below " (moderate) " small, below "
        (large) " moderate, and large from there on. For scores, it is the part of the full score that is missing. These are rules \
         of thumb: a distance of " (moderate) " puts one row in twenty into a wrong cell."
    };
    let predictions = html! {
        "Linear: multinomial logistic regression. Forest: twenty classification trees. Columns of more than ten values are \
         predicted in ten groups. The accuracy of a learner trained on real rows is the achievable one."
    };
    let tests = html! {
        "Pearson’s chi-square test of independence, with rare values pooled until every expected count is large enough. The \
         achievable agreement is that of a bootstrap of the real table."
    };
    let propensity = html! {
        "The propensity score: the mean squared distance between the probability of being synthetic that a learner gives a row \
         and the share of synthetic rows, over its mean for bootstraps of the real table."
    };
    html! {
        (facts([
            ("Distance of tables", tables),
            ("Achievable, by chance", achievable),
            ("Correlations", correlations),
            ("Subgroups", subgroups),
            ("Predictions", predictions),
            ("Chi-square tests", tests),
            ("Propensity", propensity),
            ("NIST 2018", nist),
            ("Difference", words),
        ]))
        p { "All random draws use the seed " (evaluation.seed) "; the same tables give the same numbers." }
    }
}
