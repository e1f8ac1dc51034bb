//! Region, sex, age, marriage, household and education of a person.
//!
//! Every table is made up: round figures with the shape that such figures have in an ageing,
//! wealthy country. Rows are selected by age, and weights need not sum to 1.

use super::dice::Dice;

/// A region of the made-up country.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) name: &'static str,
    /// Relative number of inhabitants.
    weight: f64,
    /// Degree of urbanisation, from 0 to 1; affects education, tenancy and farming.
    pub(super) urban: f64,
    /// Wages relative to the country's.
    pub(super) pay: f64,
    /// Relative number of interviews in each of the four weeks: they start in the capital and end
    /// in the hills.
    pub(super) weeks: [f64; 4],
}

pub(super) const REGIONS: [Region; 9] = [
    Region { name: "Capital", weight: 19.0, urban: 1.0, pay: 1.20, weeks: [5.0, 3.0, 1.5, 0.5] },
    Region { name: "Eastvale", weight: 13.0, urban: 0.4, pay: 0.92, weeks: [2.0, 3.0, 3.0, 2.0] },
    Region { name: "Highlands", weight: 7.0, urban: 0.1, pay: 0.88, weeks: [0.5, 1.5, 3.0, 5.0] },
    Region { name: "Lakeland", weight: 11.0, urban: 0.3, pay: 0.97, weeks: [2.0, 2.0, 3.0, 3.0] },
    Region { name: "Midplain", weight: 12.0, urban: 0.5, pay: 1.00, weeks: [3.0, 3.0, 2.0, 2.0] },
    Region { name: "Northmark", weight: 9.0, urban: 0.2, pay: 0.90, weeks: [1.0, 2.0, 3.0, 4.0] },
    Region { name: "Southshore", weight: 16.0, urban: 0.7, pay: 1.06, weeks: [4.0, 3.0, 2.0, 1.0] },
    Region { name: "Westhaven", weight: 12.0, urban: 0.6, pay: 1.02, weeks: [3.0, 3.0, 2.0, 2.0] },
    // Founded after the form was printed: the schema does not list it.
    Region { name: "Harbour Isles", weight: 0.8, urban: 0.2, pay: 0.95, weeks: [0.0, 1.0, 1.0, 0.0] },
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sex {
    Female,
    Male,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Marriage {
    Never,
    Married,
    Separated,
    Divorced,
    Widowed,
}

/// From none to doctorate; each level requires those before it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Education {
    None,
    Primary,
    LowerSecondary,
    UpperSecondary,
    Vocational,
    Bachelor,
    Master,
    Doctorate,
}

/// The facts about a person, whether or not the form asks for them or the person answers.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) region: &'static Region,
    pub(super) sex: Sex,
    pub(super) age: u32,
    pub(super) marriage: Marriage,
    pub(super) household: u32,
    pub(super) education: Education,
}

impl Person {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let region = &REGIONS[dice.pick(&REGIONS.each_ref().map(|region| region.weight))];
        let sex = [Sex::Female, Sex::Male, Sex::Other][dice.pick(&[50.6, 49.0, 0.4])];
        let age = age(dice);
        let marriage = marriage(dice, age, sex);
        let household = household(dice, age, marriage);
        let education = education(dice, age, region.urban);
        Self { region, sex, age, marriage, household, education }
    }
}

/// Returns the row of a table for an age, given the first age of each row but the first.
pub(super) fn band(age: u32, starts: &[u32]) -> usize {
    starts.partition_point(|&start| start <= age)
}

/// Draws an age from a pyramid with a large generation in its late fifties and few children.
fn age(dice: &mut Dice) -> u32 {
    const BY_FIVE_YEARS: [f64; 21] =
        [5.0, 5.3, 5.5, 5.5, 5.9, 6.4, 6.7, 6.6, 6.4, 6.5, 7.2, 7.6, 6.8, 5.8, 4.9, 3.7, 2.9, 1.5, 0.6, 0.15, 0.02];
    let fives = u32::try_from(dice.pick(&BY_FIVE_YEARS)).expect("21 rows");
    fives * 5 + dice.whole(5)
}

fn marriage(dice: &mut Dice, age: u32, sex: Sex) -> Marriage {
    const STATES: [Marriage; 5] =
        [Marriage::Never, Marriage::Married, Marriage::Separated, Marriage::Divorced, Marriage::Widowed];
    const BY_AGE: [[f64; 5]; 7] = [
        [1.0, 0.0, 0.0, 0.0, 0.0],    // under 16: nobody may marry
        [95.0, 4.5, 0.3, 0.2, 0.0],   // to 24
        [60.0, 36.0, 2.0, 2.0, 0.1],  // to 34
        [28.0, 56.0, 4.0, 11.5, 0.5], // to 49
        [15.0, 60.0, 3.5, 18.0, 3.5], // to 64
        [7.0, 58.0, 2.0, 15.0, 18.0], // to 79
        [5.0, 34.0, 1.0, 8.0, 52.0],
    ];
    let mut weights = BY_AGE[band(age, &[16, 25, 35, 50, 65, 80])];
    // Women live longer than their husbands.
    weights[4] *= if sex == Sex::Male { 0.5 } else { 1.4 };
    STATES[dice.pick(&weights)]
}

/// Draws the size of the household, including the person.
fn household(dice: &mut Dice, age: u32, marriage: Marriage) -> u32 {
    // One weight for each size from 1 to 10.
    const CHILD: [f64; 10] = [0.0, 9.0, 26.0, 39.0, 17.0, 6.0, 2.0, 0.8, 0.4, 0.2];
    const COUPLE_WITH_CHILDREN: [f64; 10] = [0.0, 24.0, 25.0, 34.0, 12.0, 3.5, 1.0, 0.4, 0.2, 0.1];
    const COUPLE_AFTERWARDS: [f64; 10] = [0.0, 80.0, 13.0, 5.0, 1.5, 0.4, 0.1, 0.0, 0.0, 0.0];
    const YOUNG_SINGLE: [f64; 10] = [33.0, 27.0, 19.0, 13.0, 5.0, 2.0, 0.7, 0.3, 0.1, 0.1];
    const SINGLE: [f64; 10] = [62.0, 23.0, 10.0, 3.5, 1.0, 0.4, 0.1, 0.0, 0.0, 0.0];
    let weights = match (marriage, age) {
        (_, ..18) => CHILD,
        (Marriage::Married, ..55) => COUPLE_WITH_CHILDREN,
        (Marriage::Married, _) => COUPLE_AFTERWARDS,
        (_, ..30) => YOUNG_SINGLE,
        _ => SINGLE,
    };
    1 + u32::try_from(dice.pick(&weights)).expect("ten sizes")
}

fn education(dice: &mut Dice, age: u32, urban: f64) -> Education {
    const LEVELS: [Education; 8] = [
        Education::None,
        Education::Primary,
        Education::LowerSecondary,
        Education::UpperSecondary,
        Education::Vocational,
        Education::Bachelor,
        Education::Master,
        Education::Doctorate,
    ];
    // Education takes years, and has grown from generation to generation.
    const BY_AGE: [[f64; 8]; 7] = [
        [60.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],    // under 15
        [0.5, 14.0, 82.0, 3.5, 0.0, 0.0, 0.0, 0.0],    // to 17
        [0.4, 3.0, 16.0, 62.0, 16.0, 2.6, 0.0, 0.0],   // to 22
        [0.4, 2.5, 11.0, 36.0, 21.0, 25.0, 4.1, 0.0],  // to 26
        [0.6, 3.0, 10.0, 26.0, 24.0, 21.0, 14.0, 1.4], // to 44
        [1.0, 6.0, 16.0, 28.0, 28.0, 12.0, 8.0, 1.0],  // to 64
        [3.0, 20.0, 25.0, 20.0, 22.0, 6.0, 3.5, 0.5],
    ];
    let mut weights = BY_AGE[band(age, &[15, 18, 23, 27, 45, 65])];
    // Universities, and jobs for their graduates, are in the cities.
    weights[5..].iter_mut().for_each(|weight| *weight *= 0.6 + 0.8 * urban);
    LEVELS[dice.pick(&weights)]
}
