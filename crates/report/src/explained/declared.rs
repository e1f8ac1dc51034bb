//! Explanation of a declaration by the party that released external tables. Nothing is added to it.

use scumble_mechanisms::Model;
use scumble_mechanisms::marginals::Statement;

use crate::guarantee::guarantee;
use crate::odds::Odds;

use super::subject::Subject;
use super::{Paragraph, about, attacker, covered, group_promises, not_covered, on_trust};

/// Explains a model of external tables.
pub(super) fn paragraphs(
    model: &Model,
    statement: &Statement,
    subject: &Subject,
    odds: Option<&Odds>,
) -> Vec<Paragraph> {
    let mut paragraphs = vec![
        about(model, "fitted to noisy tables that were made elsewhere"),
        Paragraph::new(
            "Who vouches for it",
            format!(
                "\"{}\", who made the tables. This program read no row, drew no noise and cannot check what is declared: it \
                 repeats it. All that follows holds if the declaration does.",
                statement.maker()
            ),
        ),
        Paragraph::new("What is declared to be protected", subject.protected.clone()),
        Paragraph::new("What is declared", guarantee(model)),
    ];
    match odds {
        Some(odds) => paragraphs.extend(attacker::paragraphs(odds, subject)),
        None => paragraphs.push(Paragraph::new(
            "What an attacker can learn",
            "The loss is declared as rho, from which an epsilon follows for every delta. Which odds that means is for the \
             maker to say.",
        )),
    }
    paragraphs.push(covered());
    let groups = odds.map_or_else(
        || format!("Groups are promised less than one alone: rho is 4 times as large for {} together, and 100 times for 10.", subject.two),
        |odds| group_promises(odds, subject),
    );
    paragraphs.push(not_covered(&groups));
    let others = "Everything about noise and privacy is the word of the maker.";
    paragraphs.push(on_trust(model, others));
    paragraphs.push(Paragraph::new(
        "How repeated releases are counted",
        "By their maker, if at all: nothing was counted here. Further tables about the same people add to what is lost.",
    ));
    paragraphs
}
