//! An export of an insurer's customers as a German office has it: 60 columns apart by semicolons,
//! decimal commas with points between thousands, dates such as 31.12.2020, an identifier, 5,000
//! places, free text, and a dash where nothing is known.
//!
//! ```console
//! $ figures german-export 20000 export.csv export.schema.yaml
//! ```
//!
//! Every value is made up, by a seed that may follow. The second file is the schema as a person
//! would complete it: what the columns hold is known here without a look at any row.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use scumble_benchmarks::Result;

const PLACES: usize = 5_000;
const STATES: [&str; 16] = [
    "Baden-Württemberg",
    "Bayern",
    "Berlin",
    "Brandenburg",
    "Bremen",
    "Hamburg",
    "Hessen",
    "Mecklenburg-Vorpommern",
    "Niedersachsen",
    "Nordrhein-Westfalen",
    "Rheinland-Pfalz",
    "Saarland",
    "Sachsen",
    "Sachsen-Anhalt",
    "Schleswig-Holstein",
    "Thüringen",
];
const SALUTATIONS: [&str; 4] = ["Frau", "Herr", "Divers", "Firma"];
const MARITAL: [&str; 5] = ["ledig", "verheiratet", "geschieden", "verwitwet", "Lebenspartnerschaft"];
const WORK: [&str; 6] =
    ["angestellt", "selbständig", "verbeamtet", "in Ausbildung", "im Ruhestand", "ohne Beschäftigung"];
const SCHOOL: [&str; 5] = ["Hauptschule", "Mittlere Reife", "Abitur", "Hochschule", "ohne Abschluss"];
const CONTRACTS: [&str; 4] = ["Hausrat", "Haftpflicht", "Rechtsschutz", "Wohngebäude"];
const TARIFFS: [&str; 3] = ["Basis", "Komfort", "Premium"];
const PAYMENTS: [&str; 4] = ["monatlich", "vierteljährlich", "halbjährlich", "jährlich"];
const CHANNELS: [&str; 5] = ["Vertreter", "Makler", "Internet", "Telefon", "Bank"];
const ANSWERS: [&str; 5] = ["sehr zufrieden", "zufrieden", "teils/teils", "unzufrieden", "sehr unzufrieden"];

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    /// A number of the customer, which is in no other row.
    Identifier,
    Category(&'static [&'static str]),
    /// One of 5,000 names.
    Place,
    /// The postcode of the place.
    Postcode,
    /// A day between two years.
    Day(i64, i64),
    /// A day and a time between two years.
    Instant(i64, i64),
    /// A whole number up to this.
    Whole(u64),
    /// Euro and cents up to this.
    Amount(u64),
    YesNo,
    /// What somebody wrote.
    Text,
}

/// A column, and how many of a thousand of its values are blank.
struct Column {
    name: String,
    kind: Kind,
    blank: u64,
}

fn columns() -> Vec<Column> {
    let mut columns = vec![];
    let mut add = |name: &str, kind, blank| columns.push(Column { name: name.to_owned(), kind, blank });
    add("Kundennummer", Kind::Identifier, 0);
    add("Anrede", Kind::Category(&SALUTATIONS), 0);
    add("Geburtsdatum", Kind::Day(1930, 2005), 20);
    add("Familienstand", Kind::Category(&MARITAL), 50);
    add("PLZ", Kind::Postcode, 0);
    add("Ort", Kind::Place, 0);
    add("Bundesland", Kind::Category(&STATES), 0);
    add("Beschäftigung", Kind::Category(&WORK), 80);
    add("Schulabschluss", Kind::Category(&SCHOOL), 150);
    add("Kinder", Kind::Whole(8), 100);
    add("Haushaltsgröße", Kind::Whole(9), 30);
    add("Jahreseinkommen", Kind::Amount(150_000), 200);
    add("Wohnfläche m²", Kind::Whole(300), 60);
    add("Kunde seit", Kind::Day(1985, 2024), 0);
    add("Vertrag", Kind::Category(&CONTRACTS), 0);
    add("Tarif", Kind::Category(&TARIFFS), 0);
    add("Zahlweise", Kind::Category(&PAYMENTS), 10);
    add("Vertriebsweg", Kind::Category(&CHANNELS), 0);
    add("Vertragsbeginn", Kind::Day(1990, 2024), 0);
    add("Vertragsende", Kind::Day(2020, 2034), 600);
    add("Versicherungssumme", Kind::Amount(500_000), 0);
    add("Jahresbeitrag", Kind::Amount(2_500), 0);
    add("Selbstbeteiligung", Kind::Amount(1_000), 300);
    add("Rabatt in %", Kind::Amount(40), 250);
    add("Mahnstufe", Kind::Whole(3), 0);
    add("Offener Betrag", Kind::Amount(5_000), 700);
    add("Letzte Zahlung", Kind::Day(2018, 2024), 50);
    for month in 1..=12 {
        add(&format!("Beitrag {month:02}/2024"), Kind::Amount(250), 120);
    }
    for year in 2019..=2024 {
        add(&format!("Schäden {year}"), Kind::Whole(5), 0);
    }
    for year in 2022..=2024 {
        add(&format!("Schadenhöhe {year}"), Kind::Amount(50_000), 850);
    }
    for question in ["Beratung", "Erreichbarkeit", "Schadenregulierung"] {
        add(&format!("Zufriedenheit {question}"), Kind::Category(&ANSWERS), 550);
    }
    for flag in ["Newsletter", "App", "Telefonwerbung", "Postwerbung", "Einzugsermächtigung", "Papierlos"] {
        add(flag, Kind::YesNo, 0);
    }
    add("Bemerkung", Kind::Text, 650);
    add("Letzter Kontakt", Kind::Instant(2015, 2024), 90);
    add("Letzte Änderung", Kind::Instant(2020, 2024), 0);
    columns
}

/// Numbers that look random and follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// As below, small ones much more often.
    fn small_below(&mut self, bound: u64) -> u64 {
        let once = self.below(bound) + 1;
        self.below(once)
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.small_below(choices.len() as u64)).expect("an index")]
    }
}

/// The name of a place: no two are the same.
fn place(number: usize) -> String {
    const HEADS: [&str; 20] = [
        "Alt", "Neu", "Ober", "Nieder", "Groß", "Klein", "Bären", "Birken", "Eichen", "Hirsch", "Königs", "Löwen",
        "Mühl", "Rosen", "Schön", "Stein", "Tannen", "Wald", "Wiesen", "Zwölf",
    ];
    const MIDDLES: [&str; 10] = ["", "berg", "brück", "feld", "furt", "grün", "heim", "kirch", "moos", "see"];
    const TAILS: [&str; 25] = [
        "au", "bach", "born", "burg", "büttel", "dorf", "eck", "hagen", "hausen", "hof", "holz", "höfen", "ingen",
        "kamp", "leben", "münde", "ow", "rode", "stadt", "stein", "tal", "thal", "walde", "weiler", "wörth",
    ];
    let (tail, rest) = (number % TAILS.len(), number / TAILS.len());
    format!("{}{}{}", HEADS[rest % HEADS.len()], MIDDLES[rest / HEADS.len() % MIDDLES.len()], TAILS[tail])
}

/// The years before, in days; leap years as they fall between 1901 and 2099.
fn day(days: u64, first_year: i64) -> String {
    let mut year = first_year;
    let mut left = i64::try_from(days).expect("some decades");
    let length = |year: i64| if year % 4 == 0 { 366 } else { 365 };
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let months = [31, if year % 4 == 0 { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= months[month] {
        left -= months[month];
        month += 1;
    }
    format!("{:02}.{:02}.{year}", left + 1, month + 1)
}

/// Days in the years from one to another.
fn days_of(first: i64, last: i64) -> u64 {
    let days = (first..=last).map(|year| if year % 4 == 0 { 366 } else { 365 }).sum::<i64>();
    u64::try_from(days).expect("years in order")
}

/// A number with points between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    text
}

fn value(column: &Column, row: u64, place_of_row: usize, numbers: &mut Numbers) -> String {
    // Drawn whether or not it is used, so that blanks of one column do not move the values of
    // others.
    let blank = numbers.below(1000) < column.blank;
    let value = match column.kind {
        Kind::Identifier => format!("K-{:07}", row + 1),
        Kind::Category(choices) => numbers.of(choices).to_owned(),
        Kind::Place => place(place_of_row),
        Kind::Postcode => format!("{:05}", 1_000 + place_of_row * 19),
        Kind::Day(first, last) => day(numbers.below(days_of(first, last)), first),
        Kind::Instant(first, last) => {
            let day = day(numbers.below(days_of(first, last)), first);
            format!("{day} {:02}:{:02}", numbers.below(24), numbers.below(60))
        }
        Kind::Whole(most) => grouped(numbers.small_below(most + 1)),
        Kind::Amount(most) => {
            let cents = numbers.small_below(most * 100 + 1);
            format!("{},{:02}", grouped(cents / 100), cents % 100)
        }
        Kind::YesNo => ["nein", "ja"][usize::try_from(numbers.below(2)).expect("an index")].to_owned(),
        Kind::Text => {
            let what =
                numbers.of(&["bittet um Rückruf", "sagt \"später\"", "Adresse prüfen; dringend", "schöne Grüße, müde"]);
            format!("Kunde {what} (Vorgang {})", numbers.below(100_000))
        }
    };
    if blank { "-".into() } else { value }
}

/// In quotes where it must be.
fn field(text: &str) -> String {
    if text.contains(['"', ';']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn write_rows(columns: &[Column], rows: u64, seed: u64, mut sink: impl Write) -> io::Result<()> {
    let mut numbers = Numbers(seed);
    let names: Vec<String> = columns.iter().map(|column| field(&column.name)).collect();
    write!(sink, "{}\r\n", names.join(";"))?;
    for row in 0..rows {
        let place_of_row = usize::try_from(numbers.small_below(PLACES as u64)).expect("an index");
        let values = columns.iter().map(|column| field(&value(column, row, place_of_row, &mut numbers)));
        write!(sink, "{}\r\n", values.collect::<Vec<_>>().join(";"))?;
    }
    sink.flush()
}

/// The lines of the schema for a column; none for one that is left out.
fn schema_of(column: &Column) -> Option<String> {
    let required = column.blank == 0;
    let joined = |choices: &mut dyn Iterator<Item = String>| choices.collect::<Vec<_>>().join(", ");
    let (kind, constraints, dp) = match column.kind {
        // Postcodes follow from places, and free text cannot be modelled.
        Kind::Postcode | Kind::Text => return None,
        Kind::Identifier => ("string", None, "generate: {pattern: \"K-#######\", unique: true}".to_owned()),
        Kind::Category(choices) => {
            let choices = joined(&mut choices.iter().map(|choice| format!("{choice:?}")));
            ("string", Some(format!("enum: [{choices}]")), "source: public".into())
        }
        Kind::Place => {
            let choices = joined(&mut (0..PLACES).map(place));
            ("string", Some(format!("enum: [{choices}]")), "source: public, open: true".into())
        }
        Kind::Day(first, last) => {
            let bounds = format!("minimum: 01.01.{first}, maximum: 31.12.{last}");
            ("date, format: \"%d.%m.%Y\"", Some(bounds), "source: public, bins: {by: year}".into())
        }
        Kind::Instant(first, last) => {
            let bounds = format!("minimum: \"01.01.{first} 00:00\", maximum: \"31.12.{last} 23:59\"");
            ("datetime, format: \"%d.%m.%Y %H:%M\"", Some(bounds), "source: public, bins: {by: year}".into())
        }
        Kind::Whole(most) => {
            let bins = if most > 50 { ", bins: {count: 20}" } else { "" };
            let bounds = format!("minimum: 0, maximum: {most}");
            ("integer, decimalChar: \",\", groupChar: \".\"", Some(bounds), format!("source: public{bins}"))
        }
        Kind::Amount(most) => (
            "number, decimalChar: \",\", groupChar: \".\"",
            Some(format!("minimum: 0, maximum: {most}")),
            "source: public, bins: {count: 20}".into(),
        ),
        Kind::YesNo => ("boolean, trueValues: [ja], falseValues: [nein]", None, "source: public".into()),
    };
    let is_generated = matches!(column.kind, Kind::Identifier);
    let constraints = match (constraints, required && !is_generated) {
        (Some(constraints), true) => Some(format!("{constraints}, required: true")),
        (None, true) => Some("required: true".to_owned()),
        (constraints, false) => constraints,
    };
    let constraints = constraints.map_or_else(String::new, |constraints| format!(", constraints: {{{constraints}}}"));
    Some(format!("  - {{name: {:?}, type: {kind}{constraints}, dp: {{{dp}}}}}\n", column.name))
}

fn schema(columns: &[Column]) -> String {
    let mut yaml =
        String::from("title: Kundenbestand\nmissingValues: [\"\", \"-\"]\ndialect: {delimiter: \";\"}\nfields:\n");
    for column in columns {
        let _ = write!(yaml, "{}", schema_of(column).unwrap_or_default());
    }
    yaml
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [rows, export, rest @ ..] = arguments else {
        return Err("usage: figures german-export ROWS EXPORT.csv [SCHEMA.yaml [SEED]]".into());
    };
    let seed = rest.get(1).map_or(Ok(1), |seed| seed.parse())?;
    let columns = columns();
    write_rows(&columns, rows.parse()?, seed, BufWriter::new(File::create(export)?))?;
    if let Some(path) = rest.first() {
        std::fs::write(path, schema(&columns))?;
    }
    Ok(())
}
