//! Tables for tests.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::{Method, Model, fit};
use scumble_schema::{AttributeId, Clique, Domain, Recoding, Schema};
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

use super::cells::Cells;
use super::study::Study;
use super::{CodedTable, Inputs, Settings};

/// Members, control and synthetic rows.
pub(super) struct Tables {
    pub(super) members: CodedTable,
    pub(super) control: CodedTable,
    pub(super) synthetic: CodedTable,
}

impl Tables {
    pub(super) fn inputs<'a>(&'a self, model: Option<&'a Model>) -> Inputs<'a> {
        let Self { members, control, synthetic } = self;
        Inputs { members, control, synthetic, model, names: &[] }
    }
}

/// Number of codes of the columns of the population. The last is unrelated to the others.
pub(super) const SIZES: [u32; 7] = [8, 8, 8, 8, 4, 4, 12];

/// The tree of the population, as it is learned: parent and child.
pub(super) const EDGES: [(&[usize], usize); 7] =
    [(&[], 0), (&[0], 1), (&[1], 2), (&[2], 3), (&[3], 4), (&[4], 5), (&[], 6)];

/// Draws tables of these numbers of rows, all from one population.
pub(super) fn tables(seed: u64, members: usize, control: usize, synthetic: usize) -> Tables {
    let mut rng = SmallRng::seed_from_u64(seed);
    let [members, control, synthetic] = [members, control, synthetic].map(|rows| population(rows, &mut rng));
    Tables { members, control, synthetic }
}

/// Draws rows in which each column but the last follows the one before it in two of three rows.
pub(super) fn population(rows: usize, rng: &mut SmallRng) -> CodedTable {
    let domain = Domain::new(SIZES.to_vec()).unwrap();
    let mut columns: Vec<Vec<u32>> = vec![Vec::with_capacity(rows); SIZES.len()];
    for _ in 0..rows {
        let mut before = None;
        for (column, &size) in columns.iter_mut().zip(&SIZES) {
            let follows = size < 12 && rng.random_bool(0.67);
            let code =
                before.filter(|_| follows).map_or_else(|| rng.random_range(0..size), |before: u32| before % size);
            column.push(code);
            before = Some(code);
        }
    }
    CodedTable::new(domain, columns).unwrap()
}

/// The roles of the rows, with default settings.
pub(super) fn study<'a>(tables: &'a Tables, model: Option<&'a Model>) -> Study<'a> {
    Study::new(&tables.inputs(model), &Settings::default()).unwrap()
}

/// A schema with the domain of the population, and a public number of rows where a method needs it.
fn schema(method: &Method) -> Schema {
    let field = |(place, size): (usize, &u32)| {
        let values: Vec<String> = (0..*size).map(|code| format!("v{code}")).collect();
        format!("{{name: c{place}, type: string, constraints: {{required: true, enum: [{}]}}}}", values.join(", "))
    };
    let fields: Vec<String> = SIZES.iter().enumerate().map(field).collect();
    let terms = if method.name() == "smoothed-histogram" { "dp: {adjacency: replace-one}\n" } else { "" };
    Schema::parse(&format!("{terms}fields: [{}]", fields.join(", "))).unwrap()
}

struct Source(CodedTable);

impl MarginalSource for Source {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let recoding = Recoding::identity(self.0.domain());
        let table = |clique: &Clique| {
            let mut counts = vec![0; self.0.domain().table_len(clique).unwrap()];
            for cell in Cells::new(&recoding, clique.attributes()).of_rows(&self.0) {
                counts[usize::try_from(cell).unwrap()] += 1;
            }
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

/// Fits a method, given as its name and options, to the members.
pub(super) fn model(members: &CodedTable, method: &str, epsilon: f64) -> Model {
    let mut words = method.split(' ');
    let method = Method::named(words.next().unwrap()).unwrap().with_options(words).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-6).unwrap() };
    fit(&schema(&method), Box::new(Source(members.clone())), &method, goal, None).unwrap()
}

/// Draws synthetic rows from a model.
pub(super) fn sample(model: &Model, rows: u64) -> CodedTable {
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); SIZES.len()];
    for chunk in model.sample_codes(rows, 1, "matched".parse().unwrap()) {
        for (column, codes) in columns.iter_mut().zip(&chunk) {
            column.extend(codes.iter());
        }
    }
    CodedTable::new(model.schema().domain().clone(), columns).unwrap()
}

/// The column at a position.
pub(super) fn id(column: usize) -> AttributeId {
    AttributeId::new(column)
}
