//! Which relations between columns were measured, and which must not be trusted.

use maud::{Markup, html};
use scumble_mechanisms::{Distribution, Model};
use scumble_schema::{Attribute, AttributeId, Clique};

use crate::chart::{Look, Matrix};
use crate::noisy_table::NoisyTable;
use crate::page::{Column, Figure, Table, details, text};
use crate::words::grouped;

/// Maximum number of columns of the matrix and of the list. With more, neither is readable.
const MAX_COLUMNS: usize = 120;

/// Relation of two columns in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// A table over both was measured.
    Measured,
    /// A table over groups or binary digits of one or both was measured.
    InPart,
    /// The model ties both to each other through other columns.
    Through,
    /// The model does not tie them.
    Independent,
}

impl Relation {
    const ALL: [Self; 4] = [Self::Measured, Self::InPart, Self::Through, Self::Independent];

    fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured together",
            Self::InPart => "measured together, in groups of values",
            Self::Through => "related only through other columns",
            Self::Independent => "independent in the model",
        }
    }

    /// Explains the relation to readers.
    fn meaning(self) -> &'static str {
        match self {
            Self::Measured => "Rows have the relation of the two as it was measured, with the noise of the table.",
            Self::InPart => {
                "Rows have the relation between groups of values as it was measured. Within a group they have none."
            }
            Self::Through => {
                "The model keeps as much of the relation as passes through other columns. The real one may be stronger or of \
                 another kind: draw no conclusion about these two from the synthetic rows."
            }
            Self::Independent => {
                "The model keeps no relation at all. That synthetic rows show none says nothing about the real table."
            }
        }
    }

    fn look(self) -> Look {
        let (colour, size) = match self {
            Self::Measured => ("#0b5394", 1.0),
            Self::InPart => ("#4d86b8", 0.72),
            Self::Through => ("#b3742a", 0.36),
            Self::Independent => ("#e3e8ee", 0.9),
        };
        Look { name: self.name().into(), colour: colour.into(), size }
    }
}

/// Relations of all pairs of columns in a model.
pub(super) struct Relations {
    /// Relation of every column to each column before it.
    before: Vec<Vec<Relation>>,
}

impl Relations {
    pub(super) fn new(model: &Model, tables: &[NoisyTable<'_>]) -> Self {
        let columns = model.schema().attributes().len();
        let tied = tied(model);
        let of_pair = |row: usize, column: usize| {
            if tied[row] == tied[column] { Relation::Through } else { Relation::Independent }
        };
        let mut before: Vec<Vec<Relation>> =
            (0..columns).map(|row| (0..row).map(|column| of_pair(row, column)).collect()).collect();
        let mut know = |clique: &Clique| {
            let recoding = model.recoding();
            let is_whole =
                |part: AttributeId| recoding.domain().size(part) == model.schema().domain().size(recoding.of(part));
            for (place, &one) in clique.attributes().iter().enumerate() {
                for &other in &clique.attributes()[..place] {
                    let (row, column) = (recoding.of(one).index(), recoding.of(other).index());
                    if row == column {
                        continue;
                    }
                    let relation = if is_whole(one) && is_whole(other) { Relation::Measured } else { Relation::InPart };
                    let known = &mut before[row.max(column)][row.min(column)];
                    *known = (*known).min(relation);
                }
            }
        };
        for table in tables {
            know(&table.clique);
        }
        Self { before }
    }

    pub(super) fn between(&self, one: usize, other: usize) -> Relation {
        self.before[one.max(other)][one.min(other)]
    }

    fn count(&self, relation: Relation) -> usize {
        self.before.iter().flatten().filter(|&&known| known == relation).count()
    }

    /// Returns the columns that have a relation to a column.
    fn with(&self, column: usize, relation: Relation) -> Vec<usize> {
        (0..self.before.len()).filter(|&other| other != column && self.between(column, other) == relation).collect()
    }
}

/// Returns the component of every column of the schema: a number shared with the columns that the
/// model ties it to.
fn tied(model: &Model) -> Vec<usize> {
    let recoding = model.recoding();
    let mut group: Vec<usize> = (0..model.schema().attributes().len()).collect();
    let mut tie = |clique: &Clique| {
        let mut columns = clique.attributes().iter().map(|&part| recoding.of(part).index());
        let Some(first) = columns.next() else { return };
        for column in columns {
            let (kept, gone) = (group[first], group[column]);
            for number in &mut group {
                if *number == gone {
                    *number = kept;
                }
            }
        }
    };
    match model.distribution() {
        Distribution::Tree(tree) => {
            for node in tree.nodes() {
                tie(&node.separator().union(node.residual()));
            }
            model.targets().iter().for_each(|target| tie(target.clique()));
        }
        Distribution::Network(network) => network.model().network().cliques().for_each(|clique| tie(&clique)),
        // Independent columns are not tied. Models of rows do not use this function.
        _ => {}
    }
    group
}

pub(super) fn section(model: &Model, tables: &[NoisyTable<'_>]) -> Markup {
    let columns = model.schema().attributes().len();
    if columns < 2 {
        return html! { p { "There is one column, and so no relation." } };
    }
    if matches!(model.distribution(), Distribution::Rows(_)) {
        return html! {
            p {
                "Whole rows were drawn, so the model keeps every relation between columns, of two and of more. Smoothing has made all "
                "of them weaker than they are in the real table: that a relation is weak, or cannot be seen, says nothing about the "
                "real one."
            }
        };
    }
    if columns > MAX_COLUMNS {
        return html! {
            p {
                "With " (columns) " columns there are too many pairs to draw. The tables that were measured are listed above: "
                "a relation of columns that stand in no table together must not be trusted."
            }
        };
    }
    let relations = Relations::new(model, tables);
    let pairs = columns * (columns - 1) / 2;
    html! {
        p {
            "There are " (grouped(pairs as u64)) " pairs of columns. Of their relations the model keeps what was measured, and "
            "what follows from that. Relations of three or more columns at once are kept only where a table over all of them was "
            "measured."
        }
        (kinds(&relations))
        (matrix(model, &relations))
        (details("The relations as a list, column by column", list(model, &relations)))
    }
}

/// Explains the kinds of relations that occur.
fn kinds(relations: &Relations) -> Table {
    let mut table = Table::new(
        "What the model keeps of pairs of columns",
        [Column::text("the pair is"), Column::number("pairs"), Column::sentences("what that means")],
    );
    for relation in Relation::ALL {
        let pairs = relations.count(relation);
        if pairs > 0 {
            table.row([text(relation.name()), text(grouped(pairs as u64)), text(relation.meaning())]);
        }
    }
    table
}

fn matrix(model: &Model, relations: &Relations) -> Figure {
    let names: Vec<String> = model.schema().attributes().iter().map(|column| column.name().into()).collect();
    let place = |relation: Relation| Relation::ALL.iter().position(|&known| known == relation);
    let squares = relations.before.iter().map(|row| row.iter().map(|&relation| place(relation)).collect()).collect();
    let look = |relation: Relation| {
        let look = relation.look();
        // Only what occurs is in the legend.
        if relations.count(relation) > 0 { look } else { Look { name: String::new(), ..look } }
    };
    let counts = Relation::ALL.map(|relation| format!("{} {}", relations.count(relation), relation.name()));
    let svg = Matrix {
        title: "Which pairs of columns were measured together".into(),
        description: format!("Pairs: {}. The list below names them.", counts.join(", ")),
        names,
        looks: Relation::ALL.map(look).to_vec(),
        squares,
    };
    let caption = "Every name stands at the end of its row and on top of its column: the square of two columns is where the row of \
                   the lower one meets the column of the upper one.";
    Figure::wide(svg.to_svg(), "Matrix of pairs of columns", text(caption))
}

/// Lists the other columns by relation for every column.
fn list(model: &Model, relations: &Relations) -> Table {
    let names: Vec<&str> = model.schema().attributes().iter().map(Attribute::name).collect();
    let shown: Vec<Relation> = Relation::ALL.into_iter().filter(|&kind| relations.count(kind) > 0).collect();
    let headings = shown.iter().map(|kind| Column::sentences(kind.name()));
    let mut table = Table::new("Relations of every column", std::iter::once(Column::text("column")).chain(headings));
    for (column, name) in names.iter().enumerate() {
        let cell = |&relation: &Relation| {
            let others: Vec<&str> = relations.with(column, relation).into_iter().map(|other| names[other]).collect();
            let all = others.len() + 1 == names.len();
            match (others.len(), relation) {
                (0, _) => "none".into(),
                (1, _) => others[0].to_owned(),
                (_, _) if all => "all others".into(),
                // The last kind holds all columns that no other kind names, so its names are not
                // repeated.
                (many, last) if Some(&last) == shown.last() && shown.len() > 1 => format!("the other {many}"),
                _ => others.join(", "),
            }
        };
        table.row(std::iter::once(text(name)).chain(shown.iter().map(|kind| text(cell(kind)))));
    }
    table
}
