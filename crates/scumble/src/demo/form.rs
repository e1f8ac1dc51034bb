//! The form that a person fills in: dates, questions that are not asked, blanks, and errors.

use chrono::{Datelike, NaiveDate};

use super::dice::Dice;
use super::home::{self, Housing};
use super::person::{Education, Marriage, Person, Sex};
use super::work::{self, Occupation};

/// Monday of the first of four weeks.
const FIRST_DAY: NaiveDate = NaiveDate::from_ymd_opt(2024, 5, 6).expect("a day of May");
/// Ages above are recorded as this one.
const OLDEST: u32 = 85;

/// The answers of one person. `None` is a blank.
#[derive(Debug)]
pub(super) struct Form {
    /// Microseconds since 1970, in local time.
    pub(super) interview: Option<i64>,
    pub(super) region: &'static str,
    pub(super) sex: Option<&'static str>,
    pub(super) age: i64,
    /// Days since 1970.
    pub(super) birth_date: Option<i32>,
    pub(super) marital_status: Option<&'static str>,
    pub(super) household_size: i64,
    pub(super) education: Option<&'static str>,
    pub(super) occupation: Option<&'static str>,
    pub(super) income: Option<i64>,
    pub(super) housing: Option<&'static str>,
    pub(super) moved_in: Option<i32>,
    pub(super) smoker: Option<bool>,
    pub(super) height_cm: Option<f64>,
}

impl Form {
    /// Draws a person, and the form that the person fills in.
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let person = Person::draw(dice);
        let occupation = work::occupation(dice, &person);
        let income = work::income(dice, &person, occupation);
        let housing = home::housing(dice, &person, income);
        let years_here = home::years_here(dice, &person, housing);
        let smokes = home::smokes(dice, &person);
        let height = home::height(dice, &person);
        let (day, time) = appointment(dice, &person, occupation);
        let asked_from = |age: u32| person.age >= age;
        // Blanks: some people skip these questions. In the order of the form.
        let mut answered = |probability: f64| dice.chance(probability);
        let online = answered(0.97);
        let (gives_sex, gives_birth) = (answered(0.99), answered(0.95));
        let (gives_marriage, gives_education) = (answered(0.98), answered(0.97));
        let (gives_occupation, gives_housing) = (answered(0.98), answered(0.985));
        // High incomes are missing more often.
        let gives_income = answered(if income < 60_000 { 0.93 } else { 0.82 });
        let (gives_move, gives_smoking, is_measured) = (answered(0.96), answered(0.97), answered(0.90));
        Self {
            interview: online.then(|| day.and_time(time).and_utc().timestamp_micros()),
            region: written_region(dice, &person),
            sex: gives_sex.then(|| sex_word(person.sex)),
            age: person.age.min(OLDEST).into(),
            birth_date: born(dice, day, person.age).filter(|_| gives_birth),
            marital_status: (asked_from(16) && gives_marriage).then(|| marriage_word(person.marriage)),
            household_size: person.household.into(),
            education: (asked_from(15) && gives_education).then(|| education_word(person.education)),
            occupation: occupation.filter(|_| gives_occupation).map(|occupation| written_occupation(dice, occupation)),
            income: (asked_from(16) && gives_income).then(|| income.into()),
            housing: gives_housing.then(|| housing_word(housing)),
            moved_in: years_here.filter(|_| gives_move).map(|years| year_before(day, years)),
            smoker: (asked_from(15) && gives_smoking).then_some(smokes),
            height_cm: (asked_from(2) && is_measured).then(|| written_height(dice, height)),
        }
    }
}

/// Draws the day and time of the interview: Monday to Saturday, from 8 to 20 o'clock; after work
/// for people at work.
fn appointment(dice: &mut Dice, person: &Person, occupation: Option<Occupation>) -> (NaiveDate, chrono::NaiveTime) {
    const BY_WEEKDAY: [f64; 6] = [1.0, 1.1, 1.1, 1.0, 0.8, 0.5];
    let week = dice.pick(&person.region.weeks) as u64;
    let weekday = dice.pick(&BY_WEEKDAY) as u64;
    let day = FIRST_DAY + chrono::Days::new(7 * week + weekday);
    let evening = occupation.is_some() && weekday < 5 && dice.chance(0.75);
    let (from, to) = if evening { (16, 20) } else { (8, 18) };
    let second = from * 3600 + dice.whole((to - from) * 3600);
    (day, chrono::NaiveTime::from_num_seconds_from_midnight_opt(second, 0).expect("before 20 o'clock"))
}

/// Draws a date of birth that gives this age at the interview.
fn born(dice: &mut Dice, interview: NaiveDate, age: u32) -> Option<i32> {
    let birthday_of = |age: u32| interview.checked_sub_months(chrono::Months::new(12 * age));
    let (latest, too_early) = (birthday_of(age)?.to_epoch_days(), birthday_of(age + 1)?.to_epoch_days());
    let days = dice.whole(latest.abs_diff(too_early));
    Some(latest - i32::try_from(days).expect("within a year"))
}

/// Returns the year that was `years` before a day.
fn year_before(day: NaiveDate, years: f64) -> i32 {
    let now = f64::from(day.year()) + f64::from(day.ordinal0()) / 366.0;
    #[expect(clippy::cast_possible_truncation, reason = "a year of this or the last century")]
    let year = (now - years).floor() as i32;
    year
}

/// Returns the region as typed by the interviewer, sometimes with transposed letters.
fn written_region(dice: &mut Dice, person: &Person) -> &'static str {
    let name = person.region.name;
    if !dice.chance(0.004) {
        return name;
    }
    match name {
        "Capital" => "Captial",
        "Eastvale" => "Eastvail",
        "Highlands" => "Higlands",
        "Lakeland" => "Lakeand",
        "Southshore" => "South Shore",
        _ => "?",
    }
}

/// Returns the occupation as written: about one in a hundred ticks no box and writes on the line.
fn written_occupation(dice: &mut Dice, occupation: Occupation) -> &'static str {
    const ON_THE_LINE: [&str; 5] = ["artist", "beekeeper", "a bit of everything", "on call", "puppeteer"];
    if dice.chance(0.012) {
        return ON_THE_LINE[dice.whole(5) as usize];
    }
    match occupation {
        Occupation::Manager => "manager",
        Occupation::Professional => "professional",
        Occupation::Technician => "technician",
        Occupation::Clerk => "clerk",
        Occupation::Service => "service and sales",
        Occupation::Farmer => "farmer",
        Occupation::Craft => "craft worker",
        Occupation::Operator => "machine operator",
        Occupation::Labourer => "labourer",
        Occupation::Soldier => "soldier",
    }
}

/// Returns the height as written: some people write metres instead of centimetres.
fn written_height(dice: &mut Dice, height: f64) -> f64 {
    if dice.chance(0.005) { height.round() / 100.0 } else { height }
}

fn sex_word(sex: Sex) -> &'static str {
    match sex {
        Sex::Female => "female",
        Sex::Male => "male",
        Sex::Other => "other",
    }
}

fn marriage_word(marriage: Marriage) -> &'static str {
    match marriage {
        Marriage::Never => "never married",
        Marriage::Married => "married",
        Marriage::Separated => "separated",
        Marriage::Divorced => "divorced",
        Marriage::Widowed => "widowed",
    }
}

fn education_word(education: Education) -> &'static str {
    match education {
        Education::None => "none",
        Education::Primary => "primary",
        Education::LowerSecondary => "lower secondary",
        Education::UpperSecondary => "upper secondary",
        Education::Vocational => "vocational",
        Education::Bachelor => "bachelor",
        Education::Master => "master",
        Education::Doctorate => "doctorate",
    }
}

fn housing_word(housing: Housing) -> &'static str {
    match housing {
        Housing::Owner => "owner",
        Housing::Tenant => "tenant",
        Housing::SocialTenant => "social tenant",
        Housing::RentFree => "rent-free",
    }
}
