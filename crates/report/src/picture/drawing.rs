//! SVG of the arranged columns and tables.

use std::fmt::{self, Write};

use super::arranged::{Arranged, Hangs};
use super::lanes::{Folded, Strip};
use super::legend::{self, Uses};
use super::ties::{Member, Role, Ties};
use crate::chart::{escaped, to_f64};
use crate::words::counted;

/// Height of a line, and of the box in it.
pub(super) const LINE: f64 = 24.0;
const BOX: f64 = 19.0;
/// Font size of the text in boxes.
pub(super) const TEXT: f64 = 12.0;
/// Margin around the picture, and room above the first line for the title.
const MARGIN: f64 = 14.0;
const HEAD: f64 = 40.0;
/// Indent of a column below the one above, and maximum total indent: deep trees indent less.
const INDENT: f64 = 30.0;
const MAX_INDENT: f64 = 300.0;
/// Distance between lanes of tables.
const LANE: f64 = 14.0;
/// Height of the line about folded tables.
const FOLDED: f64 = 24.0;
/// Maximum number of characters of a name.
const MAX_NAME_LETTERS: usize = 48;
/// Maximum width of the columns without ties, if there are no others.
const MAX_ALONE_WIDTH: f64 = 900.0;

/// Colours of tables: dark enough for print on white, and distinguishable with colour blindness.
const COLOURS: [&str; 6] = ["#0072b2", "#b34d00", "#007a5a", "#a14d83", "#333333", "#7a6200"];
pub(super) const BRANCH: &str = "#0072b2";

/// Draws the whole picture.
pub(super) fn drawn(ties: &Ties, arranged: &Arranged) -> String {
    let mut svg = String::new();
    Drawing::new(ties, arranged).write(&mut svg).expect("text can be written to memory");
    svg
}

/// Positions of everything in the picture.
struct Drawing<'a> {
    ties: &'a Ties,
    arranged: &'a Arranged,
    names: Vec<String>,
    indent: f64,
    /// Position of the first lane of tables.
    beside: f64,
    /// Left position and row of each column without ties.
    alone: Vec<(f64, usize)>,
    width: f64,
}

impl<'a> Drawing<'a> {
    fn new(ties: &'a Ties, arranged: &'a Arranged) -> Self {
        let names: Vec<String> = ties.names.iter().map(|name| shortened(name)).collect();
        let deepest = arranged.lines.iter().map(|line| line.depth).max().unwrap_or(0);
        let indent = INDENT.min(MAX_INDENT / to_f64(deepest.max(1))).max(9.0);
        let ends =
            arranged.lines.iter().map(|line| MARGIN + indent * to_f64(line.depth) + width_of(&names[line.column]));
        let beside = ends.fold(0.0, f64::max) + 22.0;
        let tables = beside + LANE * to_f64(arranged.lanes.len()) + MARGIN;
        let least = tables.max(legend::WIDTH + 2.0 * MARGIN);
        let room = if arranged.lines.is_empty() { MAX_ALONE_WIDTH } else { least } - MARGIN;
        let (mut x, mut row, mut width) = (MARGIN, 0, least);
        let mut place = |&column: &usize| {
            let own = width_of(&names[column]);
            if x > MARGIN && x + own > room {
                (x, row) = (MARGIN, row + 1);
            }
            let left = x;
            x += own + 8.0;
            width = width.max(left + own + MARGIN);
            (left, row)
        };
        let alone = arranged.alone.iter().map(&mut place).collect();
        Self { ties, arranged, names, indent, beside, alone, width }
    }

    fn write(&self, svg: &mut String) -> fmt::Result {
        let lines_end = HEAD + LINE * to_f64(self.arranged.lines.len());
        let rows_alone = self.alone.last().map_or(0, |(_, row)| row + 1);
        let folded = self.arranged.folded.map(in_words);
        let lines_end = lines_end + if folded.is_some() { FOLDED } else { 0.0 };
        let alone_head = if rows_alone > 0 && !self.arranged.lines.is_empty() { 30.0 } else { 0.0 };
        let alone_end = lines_end + alone_head + LINE * to_f64(rows_alone);
        let uses = Uses::of(self.ties, self.arranged);
        let height = alone_end + legend::height(uses) + MARGIN;
        let title = title(self.ties);
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {0:.0} {height:.0}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\" \
             font-size=\"{TEXT}\" fill=\"#1a1a1a\">",
            self.width
        )?;
        writeln!(svg, "<title>{}</title>", escaped(&title))?;
        writeln!(svg, "<desc>{}</desc>", escaped(&described(self.ties, self.arranged)))?;
        writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>")?;
        writeln!(svg, "<text x=\"{MARGIN}\" y=\"22\" font-size=\"14\" font-weight=\"600\">{}</text>", escaped(&title))?;
        self.write_guides(svg)?;
        for (line, entry) in self.arranged.lines.iter().enumerate() {
            if let Some(hangs) = entry.hangs {
                self.write_branch(svg, line, hangs)?;
            }
        }
        for (line, entry) in self.arranged.lines.iter().enumerate() {
            write_box(svg, self.left(line), middle(line), &self.ties.names[entry.column], &self.names[entry.column])?;
        }
        for (lane, strips) in self.arranged.lanes.iter().enumerate() {
            for strip in strips {
                self.write_strip(svg, lane, strip)?;
            }
        }
        if let Some(folded) = folded {
            writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>", lines_end - 6.0, escaped(&folded))?;
        }
        self.write_alone(svg, lines_end, alone_head)?;
        legend::write(svg, uses, MARGIN, alone_end)?;
        svg.write_str("</svg>\n")
    }

    fn left(&self, line: usize) -> f64 {
        MARGIN + self.indent * to_f64(self.arranged.lines[line].depth)
    }

    fn right(&self, line: usize) -> f64 {
        self.left(line) + width_of(&self.names[self.arranged.lines[line].column])
    }

    /// Returns the position of the line down from a column.
    fn trunk(&self, line: usize) -> f64 {
        self.left(line) + (self.indent / 2.0).min(10.0)
    }

    /// Writes thin lines from the columns to their tables.
    fn write_guides(&self, svg: &mut String) -> fmt::Result {
        let mut furthest = vec![None; self.arranged.lines.len()];
        for (lane, strips) in self.arranged.lanes.iter().enumerate() {
            for &(line, _) in strips.iter().flat_map(|strip| &strip.marks) {
                furthest[line] = Some(lane);
            }
        }
        for (line, lane) in furthest.into_iter().enumerate() {
            if let Some(lane) = lane {
                let (from, to, y) = (self.right(line), self.beside + LANE * to_f64(lane), middle(line));
                writeln!(svg, "<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"#d4d4d4\"/>")?;
            }
        }
        Ok(())
    }

    fn write_branch(&self, svg: &mut String, line: usize, hangs: Hangs) -> fmt::Result {
        let (trunk, from, to) = (self.trunk(hangs.line), middle(hangs.line) + BOX / 2.0, middle(line));
        writeln!(svg, "<path d=\"M{trunk:.1} {from:.1}V{to:.1}\" stroke=\"#8a8a8a\"/>")?;
        let end = self.left(line) - if hangs.drawn { 6.0 } else { 0.0 };
        let [above, below] = [hangs.line, line].map(|line| &self.ties.names[self.arranged.lines[line].column]);
        let word = if hangs.drawn { "drawn given" } else { "tied to" };
        writeln!(
            svg,
            "<g><title>{} {word} {}: {:.2}</title>{}</g>",
            escaped(below),
            escaped(above),
            hangs.strength,
            branch(trunk, end, to, hangs.strength, hangs.whole)
        )?;
        if hangs.drawn {
            writeln!(svg, "<path d=\"M{:.1} {to:.1}l-8 -4.5v9z\" fill=\"{BRANCH}\"/>", self.left(line))?;
        }
        Ok(())
    }

    fn write_strip(&self, svg: &mut String, lane: usize, strip: &Strip) -> fmt::Result {
        let (x, colour) = (self.beside + LANE * to_f64(lane), COLOURS[lane % COLOURS.len()]);
        let names: Vec<&str> = strip.marks.iter().map(|(_, member)| self.ties.names[member.column].as_str()).collect();
        writeln!(svg, "<g stroke=\"{colour}\" fill=\"{colour}\"><title>{}</title>", escaped(&names.join(", ")))?;
        writeln!(
            svg,
            "<path d=\"M{x:.1} {:.1}V{:.1}\" stroke-width=\"2\"/>",
            middle(strip.top()),
            middle(strip.bottom())
        )?;
        for &(line, member) in &strip.marks {
            svg.write_str(&mark(x, middle(line), member))?;
        }
        svg.write_str("</g>\n")
    }

    fn write_alone(&self, svg: &mut String, top: f64, head: f64) -> fmt::Result {
        if head > 0.0 {
            writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.1}\">Tied to no other column:</text>", top + head - 9.0)?;
        }
        for (&column, &(x, row)) in self.arranged.alone.iter().zip(&self.alone) {
            let y = top + head + LINE * (to_f64(row) + 0.5);
            write_box(svg, x, y, &self.ties.names[column], &self.names[column])?;
        }
        Ok(())
    }
}

/// States the folded tables and their strongest tie, rounded up because it is a bound.
fn in_words(Folded { tables, strongest }: Folded) -> String {
    let strongest = (strongest * 100.0).ceil() / 100.0;
    let (tables, verb) = (counted(tables, "more table", "more tables"), if tables == 1 { "is" } else { "are" });
    format!("{tables} {verb} folded, with ties of {strongest:.2} or less; `scumble inspect` lists tables.")
}

fn middle(line: usize) -> f64 {
    HEAD + LINE * (to_f64(line) + 0.5)
}

/// Draws a branch, with the thickness of the strength of the tie.
pub(super) fn branch(from: f64, to: f64, y: f64, strength: f64, whole: bool) -> String {
    let dash = if whole { "" } else { " stroke-dasharray=\"4 3\"" };
    let thickness = 1.0 + 9.0 * strength.min(0.7);
    format!("<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"{BRANCH}\" stroke-width=\"{thickness:.1}\"{dash}/>")
}

/// Draws the mark of a column in a table. Its colour is inherited.
pub(super) fn mark(x: f64, y: f64, member: Member) -> String {
    let fill = if member.role == Role::Given { " fill=\"white\" stroke-width=\"1.6\"" } else { " stroke=\"none\"" };
    match (member.role, member.whole) {
        (Role::Drawn, _) => format!("<path d=\"M{:.1} {y:.1}l9.5 -5.2v10.4z\"{fill}/>", x - 5.5),
        (_, true) => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"{fill}/>"),
        (_, false) => format!("<path d=\"M{:.1} {:.1}h7.2v7.2h-7.2z\"{fill}/>", x - 3.6, y - 3.6),
    }
}

fn write_box(svg: &mut String, x: f64, y: f64, name: &str, shown: &str) -> fmt::Result {
    writeln!(
        svg,
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BOX}\" rx=\"4\" fill=\"#eef4f9\" \
         stroke=\"#5b7f9c\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        escaped(name),
        y - BOX / 2.0,
        width_of(shown),
        x + 7.0,
        y + 4.2,
        escaped(shown)
    )
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_LETTERS {
        name.to_owned()
    } else {
        name.chars().take(MAX_NAME_LETTERS - 1).chain(['…']).collect()
    }
}

/// Estimates the width of the box around a name, for a wide font.
fn width_of(name: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | '-' | ' ' | '\'' | '|' => 5.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 11.2,
        'A'..='Z' => 9.0,
        '\u{1100}'.. => 12.6,
        _ => 7.6,
    };
    14.0 + name.chars().map(width).sum::<f64>()
}

fn title(ties: &Ties) -> String {
    let columns = counted(ties.names.len(), "column", "columns");
    match (ties.groups.len(), ties.directed) {
        (0, _) => format!("The model: {columns}, each on its own"),
        (_, true) => format!("The model: a network of {columns}"),
        _ if ties.parities => format!("The model: {columns}, and all sets of two or three of them"),
        (tables, false) => {
            format!("The model: {columns}, {} of two or more of them", counted(tables, "table", "tables"))
        }
    }
}

/// Describes the picture for screen readers.
fn described(ties: &Ties, arranged: &Arranged) -> String {
    let mut ends: Vec<String> = Vec::new();
    for line in &arranged.lines {
        if let Some(hangs) = line.hangs {
            let above = &ties.names[arranged.lines[hangs.line].column];
            let word = if hangs.drawn { "is drawn given" } else { "is tied to" };
            ends.push(format!("{} {word} {above} ({:.2})", ties.names[line.column], hangs.strength));
        }
    }
    let alone: Vec<&str> = arranged.alone.iter().map(|&column| ties.names[column].as_str()).collect();
    if !alone.is_empty() {
        ends.push(format!("tied to no other column: {}", alone.join(", ")));
    }
    let tables = arranged.lanes.iter().map(Vec::len).sum::<usize>();
    if tables > 0 {
        ends.push(format!("{} more", counted(tables, "table", "tables")));
    }
    ends.extend(arranged.folded.map(|folded| in_words(folded).trim_end_matches('.').to_owned()));
    format!("{}.", ends.join("; "))
}
