//! Names of tables and columns, by the rules of SQL.

use std::fmt;

use crate::push_down::quoted;

/// `schema.name` or `name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName {
    schema: Option<String>,
    name: String,
}

impl TableName {
    /// Parses a name as SQL does: outside double quotes, capitals become lower case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (first, rest) = part(text)?;
        if rest.is_empty() {
            return Some(Self { schema: None, name: first });
        }
        let (second, rest) = part(rest.strip_prefix('.')?)?;
        rest.is_empty().then_some(Self { schema: Some(first), name: second })
    }

    /// Returns the name for a statement.
    pub(crate) fn quoted(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(&self.name)),
            None => quoted(&self.name),
        }
    }
}

/// Quoted only where necessary.
impl fmt::Display for TableName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.schema.iter().chain([&self.name]).enumerate() {
            let separator = if index == 0 { "" } else { "." };
            let plain = part.chars().all(|letter| is_plain(letter) && !letter.is_ascii_uppercase());
            let part = if plain { part.clone() } else { quoted(part) };
            write!(formatter, "{separator}{part}")?;
        }
        Ok(())
    }
}

/// Returns the first part of a name, and the rest.
fn part(text: &str) -> Option<(String, &str)> {
    let (name, rest) = if let Some(inside) = text.strip_prefix('"') {
        let mut name = String::new();
        let mut letters = inside.char_indices();
        let end = loop {
            match letters.next()? {
                (at, '"') if !inside[at + 1..].starts_with('"') => break at + 1,
                (_, '"') => {
                    letters.next();
                    name.push('"');
                }
                (_, letter) => name.push(letter),
            }
        };
        (name, &inside[end..])
    } else {
        let end = text.find(|letter| !is_plain(letter)).unwrap_or(text.len());
        (text[..end].to_ascii_lowercase(), &text[end..])
    };
    (!name.is_empty() && !name.contains('\0')).then_some((name, rest))
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sql_reads_them_and_always_quoted_in_statements() {
        for (text, in_sql, shown) in [
            ("people", r#""people""#, "people"),
            ("People", r#""people""#, "people"),
            (r#""People""#, r#""People""#, r#""People""#),
            ("public.people", r#""public"."people""#, "public.people"),
            (r#"a."b.c""#, r#""a"."b.c""#, r#"a."b.c""#),
            (r#""say ""so""".t1$"#, r#""say ""so"""."t1$""#, r#""say ""so""".t1$"#),
            ("größe", r#""größe""#, "größe"),
            (r#""x; drop table y""#, r#""x; drop table y""#, r#""x; drop table y""#),
        ] {
            let name = TableName::parse(text).unwrap();
            assert_eq!((name.quoted().as_str(), name.to_string().as_str()), (in_sql, shown));
            assert_eq!(TableName::parse(&name.to_string()), Some(name));
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        for text in
            ["", ".", "a.", ".a", "a.b.c", "a b", "a;b", "\"a", "\"\"", "a\"b\"", "a-b", "\"a\"b", "\"a\0\"", "a@b"]
        {
            assert_eq!(TableName::parse(text), None, "{text}");
        }
    }
}
