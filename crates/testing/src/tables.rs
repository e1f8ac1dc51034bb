//! Small schemas, and all tables over them.

use scumble_schema::{AdjacencyKind, Schema};

/// One code per column.
pub type Row = Vec<u32>;
/// Rows of codes.
pub type Table = Vec<Row>;

/// Returns a schema of closed integer columns with these sizes, where one unit has at most
/// `max_contributions` rows.
pub fn integers(sizes: &[u32], max_contributions: u32, adjacency: AdjacencyKind) -> Schema {
    let fields = sizes.iter().enumerate().map(|(column, size)| {
        format!(
            "  - {{name: c{column}, type: integer, constraints: {{minimum: 0, maximum: {}, required: true}}}}\n",
            size - 1
        )
    });
    let terms = format!("dp: {{maxContributions: {max_contributions}, adjacency: {adjacency}}}\n");
    parse(&format!("{terms}fields:\n{}", fields.collect::<String>()))
}

pub(crate) fn parse(schema: &str) -> Schema {
    Schema::parse(schema).expect("schemas of tests keep the rules")
}

/// Returns every possible row of a schema.
pub(crate) fn all_rows(schema: &Schema) -> Vec<Row> {
    schema.domain().sizes().iter().fold(vec![vec![]], |rows, &size| {
        rows.iter().flat_map(|row| (0..size).map(move |code| [row.clone(), vec![code]].concat())).collect()
    })
}

/// Returns every multiset of at most `max_rows` rows of these kinds as a table, smaller tables
/// first.
pub(crate) fn all_tables(kinds: &[Row], max_rows: usize) -> Vec<Table> {
    let mut tables = vec![vec![]];
    let mut grown: Vec<(usize, Table)> = vec![(0, vec![])];
    for _ in 0..max_rows {
        grown = grown
            .iter()
            .flat_map(|(from, table)| {
                (*from..kinds.len()).map(move |kind| (kind, [table.clone(), vec![kinds[kind].clone()]].concat()))
            })
            .collect();
        tables.extend(grown.iter().map(|(_, table)| table.clone()));
    }
    tables
}
