//! The guarantee of a model, explained to readers who are not specialists.

mod attacker;
mod certified;
mod declared;
mod subject;

use std::fmt;

use scumble_mechanisms::{Model, Origin};
use scumble_schema::Attribute;
use scumble_vault::ApproxDp;
use serde::Serialize;

use crate::group::Group;
use crate::guarantee::short_claim;
use crate::odds::Odds;
use crate::weak_terms::weak_terms;
use crate::words::{listed, wrapped};

use self::subject::Subject;

pub(crate) use self::attacker::lines as odds_in_lines;

/// Width of lines of text, in characters.
const WIDTH: usize = 90;

/// A page that explains the guarantee of a model in plain words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Questions and answers, in reading order.
    pub paragraphs: Vec<Paragraph>,
    /// Numbers that the paragraphs state, if any.
    pub odds: Option<Odds>,
}

/// A question of readers, and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paragraph {
    /// The question.
    pub heading: String,
    /// The answer.
    pub text: String,
}

impl Paragraph {
    fn new(heading: &str, text: impl Into<String>) -> Self {
        Self { heading: heading.into(), text: text.into() }
    }
}

impl Explanation {
    /// Explains what `model` guarantees, and what it does not.
    pub fn new(model: &Model) -> Self {
        let odds = Odds::new(model);
        let subject = Subject::new(model);
        let mut paragraphs = match model.origin() {
            Origin::Measured { certificate, .. } => certified::paragraphs(model, certificate, &subject, odds.as_ref()),
            Origin::External(marginals) => declared::paragraphs(model, marginals.statement(), &subject, odds.as_ref()),
        };
        // Second, so that readers who stop early see it.
        paragraphs.splice(1..1, weak(model));
        Self { paragraphs, odds }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Paragraph { heading, text }) in self.paragraphs.iter().enumerate() {
            let before = if place > 0 { "\n\n" } else { "" };
            write!(formatter, "{before}{heading}\n{}", wrapped(text, WIDTH, 0))?;
        }
        Ok(())
    }
}

/// States what the page is about.
fn about(model: &Model, made: &str) -> Paragraph {
    let columns = model.schema().attributes().len();
    Paragraph::new(
        "What this is about",
        format!(
            "A statistical model of a table with {columns} columns, {made}. It holds noisy counts and what was computed from \
             them; no row of the table is in it. This page says what that protects and what it does not."
        ),
    )
}

/// States the weak terms of the guarantee, if there are any.
fn weak(model: &Model) -> Option<Paragraph> {
    let sentences: Vec<String> = weak_terms(model).iter().map(ToString::to_string).collect();
    let text = || format!("WEAK TERMS, which whoever made the model accepted by name: {}.", sentences.join("; "));
    (!sentences.is_empty()).then(|| Paragraph::new("What is weak about it", text()))
}

fn covered() -> Paragraph {
    Paragraph::new(
        "What is covered",
        "Everything that is made from the model without another look at the table: synthetic rows, however many and however \
         often; tables, pictures and reports; any analysis, by anybody, with whatever else they know and however much they \
         compute. What the program printed is covered too.",
    )
}

/// States what is not covered. `groups` states the promises to groups.
fn not_covered(groups: &str) -> Paragraph {
    Paragraph::new(
        "What is not covered",
        format!(
            "Time and memory: how long the run took and what it needed should be seen only by those who may see the table. \
             What the schema says: names of columns, bounds, bins and categories are published as they are. What holds for \
             people in general: if the table shows that smokers fall ill more often, this becomes known about every smoker, \
             in the table or not. {groups} Other data about the same people, and other releases \
             from it, add to what an attacker learns here. Comparisons of synthetic rows with the real ones are not private."
        ),
    )
}

/// States the promises to groups: `two rows together (2.08, 1e-9)-differential privacy, ...`.
fn group_promises(odds: &Odds, subject: &Subject) -> String {
    let promises: Vec<String> = odds
        .groups
        .iter()
        .map(|Group { units, promise }| {
            let promised = promise.map_or_else(
                || "nothing".to_owned(),
                |ApproxDp { epsilon, delta }| format!("{}-differential privacy", short_claim(epsilon.get(), delta)),
            );
            let together = if *units == 2 { format!("{} together", subject.two) } else { format!("{units} of them") };
            format!("{together} {promised}")
        })
        .collect();
    format!("Groups are promised less than one alone: {}.", listed(&promises))
}

/// States what cannot be checked: assumptions, columns with unconfirmed bounds, and `others`.
fn on_trust(model: &Model, others: &str) -> Paragraph {
    let assumed: Vec<String> = model.schema().assumed().map(Attribute::name).map(|name| format!("`{name}`")).collect();
    let schema = if assumed.is_empty() && model.schema().read_off_data().next().is_some() {
        // The assumptions state it already.
        String::new()
    } else if assumed.is_empty() {
        "That bounds and categories of all columns are known without looking at the data is the word of whoever wrote the \
         schema."
            .to_owned()
    } else {
        format!(
            "Nobody has confirmed that bounds and categories were declared without looking at the data for {}. If they were \
             taken from the data, they disclose it without protection, and no epsilon describes that.",
            listed(&assumed)
        )
    };
    let assumptions = model.schema().assumptions().into_iter().map(|assumption| assumption.to_string());
    let said: Vec<String> = assumptions.chain([schema, others.to_owned()]).filter(|said| !said.is_empty()).collect();
    Paragraph::new("What rests on somebody's word", said.join(" "))
}
