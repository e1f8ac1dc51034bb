//! Odds in words.

use crate::odds::{Curve, Exception, Odds, Suspicion};
use crate::words::{cases, cases_in, denominator, once_in, one_in, times};

use super::Paragraph;
use super::subject::Subject;

/// States what an attacker who knows every other row can learn and notice.
pub(super) fn paragraphs(odds: &Odds, subject: &Subject) -> [Paragraph; 2] {
    let suspicions: Vec<String> = odds
        .suspicions
        .iter()
        .map(|Suspicion { one_in: many, at_most, .. }| {
            format!("a suspicion of {} becomes at most {}", one_in(*many), cases_in(*at_most, denominator(*many)))
        })
        .collect();
    let (factor, suspicions) = (times(odds.factor), suspicions.join(", and "));
    let learned = match odds.exception {
        Exception::Never => format!(
            "Whatever they see multiplies the odds by at most {factor} (e to the power of epsilon): {suspicions}."
        ),
        Exception::Beyond { at_most } => format!(
            "What they see multiplies the odds by at most {factor} (e to the power of epsilon), except in at most 1 of {} runs: \
             {suspicions}. How rare the exception is follows from all that was accounted for, whichever part of the release they look \
             at. It is not delta.",
            once_in(at_most)
        ),
        Exception::Outright { probability } => format!(
            "They do no better than somebody who learns the truth outright in 1 of {} runs, and in all others sees evidence that \
             multiplies the odds by at most {factor} (e to the power of epsilon). For that somebody, in these others, {suspicions}. \
             How often the odds of a real attacker are multiplied by more does not follow from epsilon and delta alone.",
            once_in(probability)
        ),
    };
    let learned = format!("Think of an attacker who knows every other row and wonders {}. {learned}", subject.secret);
    let follows = match odds.curve {
        Curve::Gaussian { mu } => format!(
            "The Gaussian accounting proves more than epsilon and delta say: the best test is no better than one that has to \
             distinguish two normal distributions that lie {mu:.5} standard deviations from each other."
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

/// Returns the odds in one line, and the best test in another.
pub(crate) fn lines(odds: &Odds) -> [String; 2] {
    let suspicion = |Suspicion { one_in: many, at_most, .. }: &Suspicion| {
        format!("{} becomes at most {}", one_in(*many), cases_in(*at_most, denominator(*many)))
    };
    let exception = match odds.exception {
        Exception::Never => String::new(),
        Exception::Beyond { at_most } => format!(", except in at most 1 of {} runs", once_in(at_most)),
        Exception::Outright { .. } => "; how often it becomes more, epsilon and delta alone do not say".to_owned(),
    };
    let suspicions: Vec<String> = odds.suspicions.iter().map(suspicion).collect();
    [
        format!("a suspicion of {}{exception}", suspicions.join(", of ")),
        format!("a test with 5 false alarms in 100 notices at most {}", cases_in(odds.noticed, 100)),
    ]
}
