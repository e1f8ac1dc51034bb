use super::*;
use crate::Schema;

fn schema(field: &str) -> Result<Schema, String> {
    let text = format!("fields:\n  - {{name: x, {field}}}\n  - {{name: other, type: boolean}}\n");
    Schema::parse(&text).map_err(|problems| format!("{problems}; hint: {}", problems.list()[0].hint()))
}

fn column(field: &str) -> FieldSpec {
    schema(field).unwrap().to_spec().fields.swap_remove(0)
}

#[test]
fn every_preset_alone_is_a_valid_public_column() {
    for preset in Preset::ALL {
        let schema = schema(&format!("dp: {{preset: {}}}", preset.name())).unwrap();
        assert_eq!(schema.assumed().count(), 0, "{}", preset.name());
        let is_generated = [Preset::Postcode, Preset::Identifier, Preset::FreeText].contains(&preset);
        assert_eq!(schema.generated().len(), usize::from(is_generated), "{}", preset.name());
        // The model stores the expanded preset, so that a later version cannot change its meaning.
        let written = schema.to_spec();
        assert!(written.fields.iter().all(|field| field.dp.preset.is_none()));
        assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
        assert_eq!(serde_json::to_value(preset).unwrap(), preset.name());
    }
}

#[test]
fn presets_encode_typical_values() {
    let codes = |field: &str, text: &str| {
        let schema = schema(field).unwrap();
        schema.attributes()[0].label(schema.attributes()[0].encoder().text(text.as_bytes()))
    };
    for (text, label) in [("ja", "true"), ("N", "false"), ("0", "false"), ("perhaps", "(missing)")] {
        assert_eq!(codes("dp: {preset: yes-no}", text), label);
    }
    assert_eq!(codes("dp: {preset: age}", "42"), "42");
    assert_eq!(codes("dp: {preset: age}", "130"), "120");
    assert_eq!(codes("dp: {preset: country}", "DE"), "DE");
    assert_eq!(codes("dp: {preset: country}", "Atlantis"), "(unknown)");
    assert_eq!(codes("dp: {preset: amount}", "0"), "0");
    assert_eq!(codes("dp: {preset: percentage}", "7.5"), "[5, 10)");
    assert_eq!(codes("dp: {preset: date}", "1984-03-05"), "1984-01-01 to 1984-12-31");
    assert_eq!(codes("dp: {preset: postcode}, constraints: {enum: ['01067', '80331']}", "01067"), "01067");
}

#[test]
fn properties_of_the_column_take_precedence_and_keep_their_source() {
    let age = column("constraints: {minimum: 18, maximum: 99, required: true}, dp: {preset: age, bins: {width: 3}}");
    assert_eq!(age.constraints.minimum, Some(Scalar::Integer(18)));
    assert_eq!(age.dp.bins.as_ref().unwrap().width, Some(3.0));
    assert_eq!(age.dp.source, Source::Assumed, "the bounds are the column's own");

    let visits = column("constraints: {maximum: 5000}, dp: {preset: count, source: assumed}");
    let bins = visits.dp.bins.unwrap();
    assert_eq!((bins.scale, bins.source), (Some(Scale::Log), Some(Source::Public)));

    let sex = column("type: integer, constraints: {enum: [1, 2]}, dp: {preset: sex, source: public}");
    assert_eq!(sex.constraints.categories.unwrap().len(), 2);

    let admitted =
        column("format: '%d.%m.%Y', constraints: {minimum: 01.01.2020, maximum: 31.12.2024}, dp: {preset: date}");
    assert_eq!(admitted.dp.bins.unwrap().by, Some(CalendarUnit::Month));

    let wage = column("type: integer, constraints: {minimum: 10, maximum: 90}, dp: {preset: amount}");
    assert_eq!(wage.dp.bins.as_ref().unwrap().points, None, "zero is out of bounds");
    let identifier = column("type: integer, dp: {preset: identifier, generate: {sequence: {from: 7}}}");
    assert_eq!(identifier.dp.generate.unwrap().sequence.unwrap().from, 7);
}

#[test]
fn contradictions_are_refused_naming_both_sides() {
    for (field, names) in [
        ("type: string, dp: {preset: age}", ["`preset: age`", "`type: string`"]),
        ("constraints: {minimum: 150}, dp: {preset: age}", ["ends at 120", "`minimum: 150`"]),
        ("constraints: {maximum: -1}, dp: {preset: count}", ["begins at 0", "`maximum: -1`"]),
        ("constraints: {minimum: -5}, dp: {preset: amount}", ["grow from 0", "below 0"]),
        ("constraints: {enum: [j, n]}, dp: {preset: yes-no}", ["`preset: yes-no`", "`trueValues`"]),
        ("trueValues: [x], dp: {preset: yes-no}", ["`preset: yes-no`", "write both"]),
        ("type: integer, dp: {preset: sex}", ["`preset: sex`", "enum"]),
        ("constraints: {enum: [a]}, dp: {preset: free-text}", ["never read", "categories"]),
        ("dp: {preset: age, generate: {constant: 7}}", ["`preset: age`", "`generate`"]),
        ("dp: {preset: agee}", ["agee", ""]),
        ("dp: {}", ["type", "preset"]),
    ] {
        let message = schema(field).unwrap_err();
        assert!(names.iter().all(|name| message.contains(name)), "{field}: {message}");
    }
}
