//! Legend of the picture, with the symbols that are used.

use std::fmt::{self, Write};

use super::arranged::Arranged;
use super::drawing::{branch, mark};
use super::ties::{Member, Role, Ties};
use crate::chart::to_f64;

/// Width of the widest entry.
pub(super) const WIDTH: f64 = 640.0;
const LINE: f64 = 19.0;
/// Font size.
const TEXT: f64 = 11.5;
/// Position of the text, after the symbols.
const BESIDE: f64 = 86.0;
/// Gap above the legend.
const GAP: f64 = 14.0;

/// The symbols that the picture uses.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each sign is there or not, whatever the others")]
pub(super) struct Uses {
    branches: bool,
    drawn: bool,
    parities: bool,
    dashes: bool,
    strips: bool,
    together: bool,
    squares: bool,
}

impl Uses {
    pub(super) fn of(ties: &Ties, arranged: &Arranged) -> Self {
        let hangs = || arranged.lines.iter().filter_map(|line| line.hangs);
        let marks = || arranged.lanes.iter().flatten().flat_map(|strip| &strip.marks);
        Self {
            branches: hangs().next().is_some(),
            drawn: ties.directed,
            parities: ties.parities,
            dashes: hangs().any(|hangs| !hangs.whole),
            strips: marks().next().is_some(),
            together: marks().any(|(_, member)| member.role == Role::Beside),
            squares: marks().any(|(_, member)| !member.whole && member.role != Role::Drawn),
        }
    }

    /// Returns the symbols with their explanations.
    fn entries(self) -> Vec<(String, &'static str)> {
        let member = |role, whole| Member { column: 0, role, whole };
        let mut entries = Vec::new();
        if self.branches {
            let signs = [(0.0, 0.05), (26.0, 0.2), (52.0, 0.5)];
            let signs: String = signs.iter().map(|&(x, strength)| branch(x, x + 22.0, 0.0, strength, true)).collect();
            let text = if self.drawn {
                "A column hangs below the one, of those it is drawn given, that it is tied to most strongly."
            } else {
                "A column hangs below the one that it is tied to most strongly."
            };
            entries.push((signs, text));
            entries.push((
                String::new(),
                "The thicker the line, the larger the share of rows that would have to change for the two",
            ));
            entries.push((String::new(), "to be independent; here 0.05, 0.2 and 0.5."));
        }
        if self.dashes {
            let sign = branch(26.0, 48.0, 0.0, 0.2, false);
            entries.push((sign, "Only groups of values, or single digits, of the two columns are tied."));
        }
        let joined = |signs: String| {
            let colour = "<g stroke=\"#333333\" fill=\"#333333\"><path d=\"M28 0H48\" stroke-width=\"2\"/>";
            format!("{colour}{signs}</g>")
        };
        if self.strips && self.drawn {
            let signs = mark(28.0, 0.0, member(Role::Drawn, true)) + &mark(48.0, 0.0, member(Role::Given, true));
            entries.push((joined(signs), "The column at the triangle is drawn given all those at circles."));
        }
        if self.together {
            let signs = mark(28.0, 0.0, member(Role::Beside, true)) + &mark(48.0, 0.0, member(Role::Beside, true));
            let text = if self.drawn {
                "Columns that are drawn together."
            } else if self.parities {
                "Columns of two values. The parities of all sets of up to three of them were measured."
            } else {
                "Columns that were counted together in one table. Parts of larger tables are left out."
            };
            entries.push((joined(signs), text));
        }
        if self.squares {
            let sign = mark(38.0, 0.0, member(Role::Beside, false));
            entries.push((
                format!("<g fill=\"#333333\">{sign}</g>"),
                "Groups of values, or single digits, of the column.",
            ));
        }
        if !self.branches && !self.strips {
            entries.push((String::new(), "No relation between columns was measured: each is drawn on its own."));
        }
        entries
    }
}

pub(super) fn height(uses: Uses) -> f64 {
    GAP + LINE * to_f64(uses.entries().len())
}

pub(super) fn write(svg: &mut String, uses: Uses, left: f64, top: f64) -> fmt::Result {
    for (place, (signs, text)) in uses.entries().into_iter().enumerate() {
        let y = top + GAP + LINE * (to_f64(place) + 0.5);
        writeln!(svg, "<g transform=\"translate({left:.1} {y:.1})\">{signs}")?;
        let beside = if uses.branches || uses.strips { BESIDE } else { 0.0 };
        writeln!(svg, "<text x=\"{beside}\" y=\"4\" font-size=\"{TEXT}\">{text}</text></g>")?;
    }
    Ok(())
}
