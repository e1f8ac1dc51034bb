//! What expressions mean, and which are refused.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::{CodeColumn, Decoder, Schema};

/// Columns with one value each, so that every row is known.
const COLUMNS: &str = "
  - {name: born, type: date, constraints: {enum: [2000-02-29], required: true}}
  - {name: seen, type: datetime, constraints: {enum: ['2024-02-28T21:05:09'], required: true}, dp: {timeZone: '+02:00'}}
  - {name: parts, type: integer, constraints: {enum: [7], required: true}}
  - {name: weight, type: number, constraints: {enum: [70.5], required: true}}
  - {name: code, type: string, constraints: {enum: [C50.9é], required: true}}
  - {name: smokes, type: boolean, constraints: {required: true}}
  - {name: gone, type: integer, constraints: {minimum: 0, maximum: 0}}
  - {name: 'Fee paid', type: integer, constraints: {enum: [3], required: true}}
  - {name: opens, type: time, constraints: {enum: ['08:30'], required: true}}
";

fn schema(derived: &str) -> Result<Schema, String> {
    let yaml = format!("fields:{COLUMNS}  - {derived}\n");
    Schema::parse(&yaml).map_err(|problems| format!("{problems}; {}", problems.list()[0].hint()))
}

/// Returns a row in which everybody smokes and `gone` is missing.
fn row(schema: &Schema) -> RecordBatch {
    let codes = |(attribute, name): (&crate::Attribute, &str)| {
        let mut column = CodeColumn::with_capacity(attribute.size(), 1);
        column.push(u32::from(["smokes", "gone"].contains(&name)));
        column
    };
    let columns: Vec<CodeColumn> =
        schema.attributes().iter().map(|attribute| (attribute, attribute.name())).map(codes).collect();
    Decoder::new(schema).decode(&columns, &mut SmallRng::seed_from_u64(1))
}

/// Returns the value of an expression, as text.
fn value(expression: &str) -> String {
    let quoted = serde_json::to_string(&format!("CAST(({expression}) AS TEXT)")).unwrap();
    let schema = schema(&format!("{{name: x, dp: {{derive: {quoted}}}}}")).unwrap_or_else(|error| panic!("{error}"));
    let batch = row(&schema);
    let column = batch.column(9);
    if column.is_null(0) { "NULL".into() } else { column.as_string::<i32>().value(0).into() }
}

#[test]
fn expressions_mean_what_they_mean_in_sql() {
    for (expression, expected) in [
        // Numbers.
        ("parts + 1", "8"),
        ("2 * (parts - 10)", "-6"),
        ("-parts % 4", "-3"),
        ("div(parts, 2)", "3"),
        ("parts / 2.0", "3.5"),
        ("weight / power(1.8, 2)", "21.75925925925926"),
        ("round(weight)", "71"),
        ("round(weight / 3, 2)", "23.5"),
        ("floor(weight) + ceil(weight)", "141"),
        ("abs(-weight)", "70.5"),
        ("sqrt(16)", "4"),
        ("\"Fee paid\" * 2", "6"),
        // Nothing comes of nothing.
        ("gone + 1", "NULL"),
        ("weight / 0", "NULL"),
        ("div(parts, 0)", "NULL"),
        ("9223372036854775807 + parts", "NULL"),
        ("sqrt(-1.0)", "NULL"),
        ("coalesce(gone, parts)", "7"),
        ("nullif(parts, 7)", "NULL"),
        ("greatest(gone, parts, 3)", "7"),
        ("least(weight, parts)", "7"),
        // Truth of three kinds.
        ("gone > 1 or smokes", "true"),
        ("gone > 1 and smokes", "NULL"),
        ("gone > 1 and not smokes", "false"),
        ("gone is null", "true"),
        ("parts is not null", "true"),
        ("parts between 5 and 7", "true"),
        ("parts not in (1, 2)", "true"),
        ("parts in (gone, 2)", "NULL"),
        ("parts = 7.0", "true"),
        // Branches.
        ("case when parts > 10 then 'many' when parts > 5 then 'some' end", "some"),
        ("case parts when 1 then 'one' else 'more' end", "more"),
        ("case when gone > 1 then 1 else 2.5 end", "2.5"),
        // Texts, by characters and not by bytes.
        ("left(code, 3)", "C50"),
        ("right(code, 2)", "9é"),
        ("left(code, -3)", "C50"),
        ("substring(code from 1 for 1) || '-' || substr(code, 5)", "C-9é"),
        ("substring(code from -1 for 3)", "C"),
        ("lower(code)", "c50.9é"),
        ("length(code)", "6"),
        ("concat(code, null, '!')", "C50.9é!"),
        ("code || null", "NULL"),
        ("cast(parts as text) || 'x'", "7x"),
        ("cast('12' as integer) + 1", "13"),
        // Days and times, on the clock of their zone.
        ("extract(year from age(seen, born))", "23"),
        ("extract(year from age(date '2024-02-29', born))", "24"),
        ("extract(month from age(seen, born))", "11"),
        ("extract(year from age(born, seen))", "-23"),
        ("date '2000-03-01' - born", "1"),
        ("born + 1", "2000-03-01"),
        ("extract(year from born) * 100 + extract(month from born)", "200002"),
        ("extract(quarter from born)", "1"),
        ("extract(dow from born)", "2"),
        ("extract(hour from seen)", "21"),
        ("cast(seen as date)", "2024-02-28"),
        ("cast(seen as time)", "21:05:09"),
        ("opens < cast(seen as time) and opens >= time '08:30'", "true"),
        ("extract(hour from opens) * 60 + extract(minute from opens)", "510"),
        ("coalesce(null, opens)", "08:30:00"),
        ("seen > timestamp '2024-02-28 21:00:00'", "true"),
        ("make_date(extract(year from born), 1, 1)", "2000-01-01"),
        ("make_date(2023, 2, 29)", "NULL"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn columns_are_written_by_their_types() {
    for (derived, expected) in [
        ("{name: x, dp: {derive: parts * 2}}", "integer"),
        ("{name: x, dp: {derive: parts * 2.5}}", "number"),
        ("{name: x, type: number, dp: {derive: parts, decimals: 1}}", "number"),
        ("{name: x, type: year, dp: {derive: extract(year from born)}}", "year"),
        ("{name: x, type: date, format: '%d.%m.%Y', dp: {derive: born + 1}}", "date"),
        ("{name: x, dp: {derive: parts > 3}}", "boolean"),
    ] {
        let schema = schema(derived).unwrap();
        let column = &schema.generated()[0];
        assert_eq!(column.field_type().name(), expected, "{derived}");
        assert!(column.in_words().starts_with("computed: "), "{}", column.in_words());
        assert_eq!(row(&schema).column(9).data_type(), &column.field_type().arrow_type());
        // A schema that is written is read back as itself.
        assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
        assert!(Schema::new(schema.output_spec()).is_ok());
    }
    let schema = schema("{name: x, type: date, format: '%d.%m.%Y', dp: {derive: born + 1}}").unwrap();
    let columns: Vec<CodeColumn> = schema.attributes().iter().map(|column| one(column.size())).collect();
    let rows = Decoder::new(&schema).decode_rows(0, &columns, &mut SmallRng::seed_from_u64(1));
    let (_, form) = rows.forms.iter().find(|(place, _)| *place == 9).unwrap();
    assert_eq!(form.texts(rows.batch.column(9)).value(0), "01.03.2000");
}

fn one(size: u32) -> CodeColumn {
    let mut column = CodeColumn::with_capacity(size, 1);
    column.push(0);
    column
}

#[test]
fn what_cannot_be_computed_is_refused_with_a_hint() {
    for (derived, problem) in [
        ("{name: x, dp: {derive: part + 1}}", "did you mean `parts`?"),
        ("{name: x, dp: {derive: parts +}}", "is not SQL"),
        ("{name: x, dp: {derive: parts parts}}", "goes on after its end"),
        ("{name: x, dp: {derive: parts / 2}}", "drops the remainder"),
        ("{name: x, dp: {derive: code + 1}}", "a text and a whole number"),
        ("{name: x, dp: {derive: \"born = '2000-01-01'\"}}", "DATE '2024-12-31'"),
        ("{name: x, dp: {derive: random()}}", "`random`, which is not known here"),
        ("{name: x, dp: {derive: rond(weight)}}", "did you mean `round`?"),
        ("{name: x, dp: {derive: sum(parts) over ()}}", "not known here"),
        ("{name: x, dp: {derive: (select 1)}}", "not known here"),
        ("{name: x, dp: {derive: 'age(seen, born)'}}", "whose value is an age"),
        ("{name: x, dp: {derive: 'null'}}", "whose value is NULL"),
        ("{name: x, type: integer, dp: {derive: weight * 2}}", "`ROUND(...)`"),
        ("{name: x, type: string, dp: {derive: parts}}", "`CAST(... AS TEXT)`"),
        ("{name: x, type: integer, dp: {derive: parts, decimals: 2}}", "only numbers have"),
        ("{name: x, type: integer, format: '%Y', dp: {derive: parts}}", "invalid `format`"),
        ("{name: x, type: integer, constraints: {minimum: 1}, dp: {derive: parts}}", "is derived, but declares"),
        ("{name: x, dp: {derive: parts, generate: {sequence: {}}}}", "is derived, but declares"),
        ("{name: x, dp: {derive: case when parts then 1 end}}", "compare it with something"),
        ("{name: x, dp: {derive: case when smokes then 1 else 'a' end}}", "the same type"),
    ] {
        let error = schema(derived).unwrap_err();
        assert!(error.contains(problem), "{derived}: {error}");
    }
    let long = format!("{{name: x, dp: {{derive: '1{}'}}}}", "+1".repeat(1_000));
    assert!(schema(&long).unwrap_err().contains("more than 2000 bytes"));
    // Deep nesting ends the parser, not the program.
    let deep = format!("{{name: x, dp: {{derive: '{}1{}'}}}}", "(".repeat(900), ")".repeat(900));
    assert!(schema(&deep).unwrap_err().contains("is not SQL"));
}
