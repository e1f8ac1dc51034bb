//! Odds in words.

use crate::odds::{Curve, Odds, Suspicion};
use crate::words::{cases, cases_in, denominator, once_in, one_in, times};

use super::Paragraph;
use super::subject::Subject;

/// What somebody can find out who knows all the rest.
pub(super) fn paragraphs(odds: &Odds, subject: &Subject) -> [Paragraph; 2] {
    let exception = if odds.exception > 0.0 {
        format!(
            "They do no better than somebody who is told the truth outright in 1 of {} cases, and in all others sees evidence that",
            once_in(odds.exception)
        )
    } else {
        "Whatever they see, it".to_owned()
    };
    let suspicions: Vec<String> = odds
        .suspicions
        .iter()
        .map(|Suspicion { one_in: many, at_most, .. }| {
            format!("a suspicion of {} becomes at most {}", one_in(*many), cases_in(*at_most, denominator(*many)))
        })
        .collect();
    let learned = format!(
        "Think of an attacker who knows every other row and wonders {}. {exception} multiplies the odds by at most {} (e to \
         the power of epsilon): {}.",
        subject.secret,
        times(odds.factor),
        suspicions.join(", and ")
    );
    let follows = match odds.curve {
        Curve::Gaussian { mu } => format!(
            "The Gaussian accounting proves more than epsilon and delta say: the best test is no better than one that has to \
             tell two normal distributions apart that lie {mu:.5} standard deviations from each other."
        ),
        Curve::Pair { .. } => "This follows from epsilon and delta alone.".to_owned(),
    };
    let alarms: Vec<String> = odds
        .suspicions
        .iter()
        .map(|Suspicion { one_in: many, after_alarm, .. }| {
            format!("{} to at most {}", one_in(*many), cases_in(*after_alarm, denominator(*many)))
        })
        .collect();
    let tested = format!(
        "{follows} A test that raises a false alarm in 5 of 100 cases {} in at most {} of 100; one that looked at nothing would \
         in 5. Its alarm raises a suspicion of {}. From even odds, the best guess is right in at most {} of 100 cases, \
         instead of 50.",
        subject.notices,
        cases(odds.noticed, 100),
        alarms.join(", and one of "),
        cases(odds.right_guesses, 100)
    );
    [Paragraph::new("What an attacker can learn", learned), Paragraph::new("What the best test can notice", tested)]
}

/// The same in a line each.
pub(crate) fn lines(odds: &Odds) -> [String; 2] {
    let suspicion = |Suspicion { one_in: many, at_most, .. }: &Suspicion| {
        format!("{} becomes at most {}", one_in(*many), cases_in(*at_most, denominator(*many)))
    };
    let exception =
        if odds.exception > 0.0 { format!(", but for 1 of {} cases", once_in(odds.exception)) } else { String::new() };
    let suspicions: Vec<String> = odds.suspicions.iter().map(suspicion).collect();
    [
        format!("a suspicion of {}{exception}", suspicions.join(", of ")),
        format!("a test with 5 false alarms in 100 notices at most {}", cases_in(odds.noticed, 100)),
    ]
}
