//! Audits as HTML pages: one file without scripts, with the claim, the best attack and the gap.

mod curve;

use maud::{Markup, html};
use scumble_report::page::{Column, Figure, Page, Table, facts, gallery, text};

use crate::black_box::ProgramAudit;
use crate::release::{self, ReleaseAudit};
use crate::statistic::Bound;
use crate::text::{FALSE, HOLDS, bound, claim, phase_name};
use crate::white_box::{MethodAudit, PairAudit, PhaseAudit};

/// Renders an audit of a method as a page.
pub fn method_page(audit: &MethodAudit) -> String {
    let MethodAudit { method, goal, accounting, .. } = audit;
    let lead = html! {
        p { strong { (if audit.holds() { HOLDS } else { FALSE }) } }
        p {
            "The method was fitted many times to a table and to a neighbour of it, one person apart. After every fit, the \
             likelihood ratio of everything that was released was computed: no attack on these two tables is better. Its errors \
             prove the lower bounds below, with 99.9 % confidence."
        }
    };
    let mut page = Page::new(format!("Audit of the method {method}"), lead);
    if audit.reads_real_rows {
        page = page.with_banner(crate::NOT_PRIVATE);
    }
    for (place, pair) in audit.pairs.iter().enumerate() {
        let heading = format!("Claim and best attack: {}", pair.pair);
        page = page.section(&format!("pair-{place}"), &heading, of_pair(audit, pair));
    }
    page.section("reading", "How to read this", reading())
        .section(
            "facts",
            "What was audited",
            facts([
                ("Method", text(method)),
                ("Options", text(serde_json::to_string(method).unwrap_or_default())),
                ("Goal", text(format!("epsilon {}, delta {}", goal.epsilon, goal.delta))),
                ("Accounting", text(accounting)),
                ("Program", text(format!("scumble {}", env!("CARGO_PKG_VERSION")))),
            ]),
        )
        .to_html()
}

fn of_pair(audit: &MethodAudit, pair: &PairAudit) -> Markup {
    let mut table = Table::new(
        format!("{} fits of each table", pair.runs),
        [
            Column::text("releases"),
            Column::number("claimed mu"),
            Column::number("proved mu"),
            Column::number("claimed epsilon"),
            Column::number("proved epsilon"),
            Column::number("at stake"),
        ],
    );
    let all = || std::iter::once(&pair.whole).chain(&pair.phases);
    for phase in all() {
        let mu = |shown: String| text(if phase.claim.mu.is_some() { shown } else { "-".into() });
        table.row([
            text(phase_name(phase)),
            mu(claim(phase.claim.mu.unwrap_or_default())),
            mu(bound(phase.mu, phase.claim.mu.unwrap_or_default())),
            text(claim(phase.claim.epsilon)),
            text(bound(phase.epsilon, phase.claim.epsilon)),
            text(format!("{:.0} %", 100.0 * phase.used)),
        ]);
    }
    let figure = |phase: &PhaseAudit| {
        let name = phase_name(phase);
        let title = format!("Errors of the best test by {name}");
        let proof = |bound: Option<Bound>| bound.map(|bound| bound.errors);
        let svg = if let Some(mu) = phase.claim.mu {
            curve::svg(&title, &phase.curve, curve::least_of_mu(mu), proof(phase.mu))
        } else {
            let limit = curve::least_of_epsilon(phase.claim.epsilon, audit.goal.delta.get());
            curve::svg(&title, &phase.curve, limit, proof(phase.epsilon))
        };
        Figure::new(svg, text(name))
    };
    html! {
        (table)
        p { "Red: the least errors that the claim allows. Blue: errors of the best test. Circle: the test that proves the bound." }
        (gallery(all().map(figure)))
    }
}

fn reading() -> Markup {
    html! {
        p { "A bound above its claim would mean that the certificate is false. A bound near its claim means that the guarantee \
             is tight: a better proof could not promise more on these tables." }
        p { "Where a bound stays below, the column " em { "at stake" } " says how much of the cost the distance between these two \
             tables uses. The rest pays for tables that are not these. What is missing beyond that is the price of a finite \
             number of fits, or of a proof that is not tight." }
        p { "The audit sees what the vault releases on its way, which is more than a reader of the model sees." }
    }
}

/// Renders an audit of a program as a page.
pub fn program_page(audit: &ProgramAudit) -> String {
    let ProgramAudit { method, goal, prospect, claimed_mu, .. } = audit;
    let lead = html! {
        p { strong { (if audit.holds { HOLDS } else { FALSE }) } }
        p { "The program was run many times on a made-up file and on the same file with one more row. The attacks below know \
             both files and see only what the program wrote: synthetic rows and the model." }
        p { (prospect) "." }
    };
    let columns = [Column::text("attack"), Column::number("proved mu"), Column::number("proved epsilon")];
    let mut table = Table::new("Lower bounds, of 99.9 % confidence for all attacks together", columns);
    for attack in &audit.attacks {
        table.row([
            text(attack.attack.name()),
            text(claimed_mu.map_or("-".into(), |claim| bound(attack.mu, claim))),
            text(bound(attack.epsilon, goal.epsilon.get())),
        ]);
    }
    table.row([text("claimed"), text(claimed_mu.map_or("-".into(), claim)), text(claim(goal.epsilon.get()))]);
    Page::new(format!("Audit of the program, method {method}"), lead)
        .section("attacks", "Claim and attacks", table)
        .section(
            "facts",
            "What was audited",
            facts([
                ("Method", text(method)),
                ("Goal", text(format!("epsilon {}, delta {}", goal.epsilon, goal.delta))),
                ("Runs on each file", text(prospect.runs)),
                ("Program", text(format!("scumble {}", env!("CARGO_PKG_VERSION")))),
            ]),
        )
        .to_html()
}

/// Renders an audit of a release as a page.
pub fn release_page(audit: &ReleaseAudit) -> String {
    let verdict = match (&audit.allowed, audit.exceeds_claim()) {
        (_, true) => {
            "An attack gains more than the guarantee allows: the guarantee is false, or the held-out rows are not of the same \
             population."
        }
        (Some(_), false) => "No attack gains more than the guarantee allows.",
        (None, false) => "No claim was given to compare the attacks with.",
    };
    let lead = html! {
        p { strong { (verdict) } }
        p { "Known attacks tried to tell the people whom the model was fitted to from people of the same population who were held \
             out. All numbers were computed from real rows without noise." }
    };
    Page::new("Audit of a release", lead)
        .with_banner(crate::NOT_PRIVATE)
        .section("attacks", "What attacks gain", release::section(audit))
        .section(
            "facts",
            "What was attacked",
            facts([
                ("Members attacked", text(audit.rows.members)),
                ("Held-out rows attacked", text(audit.rows.control)),
                ("Held-out rows that the attacker knows", text(audit.rows.auxiliary)),
                ("Synthetic rows", text(audit.rows.synthetic)),
                ("Seed", text(audit.seed)),
                ("Program", text(format!("scumble {}", env!("CARGO_PKG_VERSION")))),
            ]),
        )
        .to_html()
}
