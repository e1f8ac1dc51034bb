//! The statement that counts several tables in one pass over the rows.

use scumble_schema::{AttributeId, Clique, Domain, cells};

use super::code::Dialect;

/// A statement over one table of a database.
pub(super) struct Statement<'a> {
    pub(super) dialect: Dialect,
    /// The table, in quotes.
    pub(super) from: &'a str,
    pub(super) domain: &'a Domain,
}

/// A column whose codes are needed.
pub(super) struct CodedColumn {
    /// The value that is compared.
    pub(super) value: String,
    /// The code of it, by the name of the value.
    pub(super) code: String,
}

impl Statement<'_> {
    /// The text. Each row of the result has the position of a clique, a cell of its table, and the
    /// number of rows in it; cells without rows are left out. `column_of` returns the column of an
    /// attribute, given a name for its value.
    pub(super) fn text(&self, cliques: &[&Clique], column_of: impl Fn(AttributeId, &str) -> CodedColumn) -> String {
        let mut attributes: Vec<AttributeId> = cliques.iter().flat_map(|clique| clique.attributes()).copied().collect();
        attributes.sort_unstable();
        attributes.dedup();
        let (mut values, mut codes) = (vec![], vec![]);
        for &attribute in &attributes {
            let name = format!("v{}", attribute.index());
            let CodedColumn { value, code } = column_of(attribute, &name);
            codes.push(format!("{code} AS c{}", attribute.index()));
            values.push(format!("{value} AS {name}"));
        }
        // A table over no attribute has one cell.
        let key = |clique: &Clique| {
            let terms = clique.attributes().iter().zip(cells::strides(self.domain, clique));
            let terms = terms.map(|(attribute, stride)| format!("CAST(c{} AS bigint) * {stride}", attribute.index()));
            terms.reduce(|sum, term| format!("{sum} + {term}")).unwrap_or_else(|| "CAST(0 AS bigint)".into())
        };
        let keys: Vec<String> = (0..cliques.len()).map(|table| format!("k{table}")).collect();
        let key_columns: Vec<String> =
            cliques.iter().zip(&keys).map(|(clique, name)| format!("{} AS {name}", key(clique))).collect();
        let which: Vec<String> =
            keys.iter().zip(0..).map(|(key, table)| format!("WHEN GROUPING({key}) = 0 THEN {table}")).collect();
        let sets: Vec<String> = keys.iter().map(|key| format!("({key})")).collect();
        let fence = self.dialect.fence();
        let some = |columns: Vec<String>| if columns.is_empty() { "1 AS one".into() } else { columns.join(", ") };
        format!(
            "SELECT CAST(CASE {which} END AS integer), COALESCE({keys}), COUNT(*) FROM (\
             SELECT {key_columns} FROM (SELECT {codes} FROM (SELECT {values} FROM {from}{fence}) AS typed{fence}) AS coded{fence}\
             ) AS keyed GROUP BY GROUPING SETS ({sets})",
            which = which.join(" "),
            keys = keys.join(", "),
            key_columns = key_columns.join(", "),
            codes = some(codes),
            values = some(values),
            from = self.from,
            sets = sets.join(", "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_statement_counts_all_tables() {
        let domain = Domain::new(vec![2, 3]).unwrap();
        let (a, b) = (AttributeId::new(0), AttributeId::new(1));
        let statement = Statement { dialect: Dialect::DuckDb, from: "\"t\"", domain: &domain };
        let column_of = |attribute: AttributeId, value: &str| CodedColumn {
            value: format!("x{}", attribute.index()),
            code: format!("f({value})"),
        };
        let text = statement.text(&[&Clique::new([a, b]), &Clique::single(b)], column_of);
        assert_eq!(
            text,
            "SELECT CAST(CASE WHEN GROUPING(k0) = 0 THEN 0 WHEN GROUPING(k1) = 0 THEN 1 END AS integer), \
             COALESCE(k0, k1), COUNT(*) FROM (SELECT CAST(c0 AS bigint) * 3 + CAST(c1 AS bigint) * 1 AS k0, \
             CAST(c1 AS bigint) * 1 AS k1 FROM (SELECT f(v0) AS c0, f(v1) AS c1 FROM (SELECT x0 AS v0, x1 AS v1 FROM \
             \"t\") AS typed) AS coded) AS keyed GROUP BY GROUPING SETS ((k0), (k1))"
        );
        assert!(statement.text(&[&Clique::empty()], column_of).contains("SELECT 1 AS one FROM \"t\""));
    }
}
