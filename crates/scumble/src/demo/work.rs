//! Occupation and income of a person, given age, education, sex and region.

use super::dice::Dice;
use super::person::{Education, Person, Sex, band};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Occupation {
    Manager,
    Professional,
    Technician,
    Clerk,
    Service,
    Farmer,
    Craft,
    Operator,
    Labourer,
    Soldier,
}

const OCCUPATIONS: [Occupation; 10] = [
    Occupation::Manager,
    Occupation::Professional,
    Occupation::Technician,
    Occupation::Clerk,
    Occupation::Service,
    Occupation::Farmer,
    Occupation::Craft,
    Occupation::Operator,
    Occupation::Labourer,
    Occupation::Soldier,
];

/// Draws the occupation; `None` for people who are not at work.
pub(super) fn occupation(dice: &mut Dice, person: &Person) -> Option<Occupation> {
    // Share of people at work, from 16 on: school, work, and a pension at 65 that some draw early
    // and some late.
    const AT_WORK: [f64; 9] = [0.0, 0.22, 0.58, 0.83, 0.74, 0.50, 0.16, 0.06, 0.0];
    let mut probability = AT_WORK[band(person.age, &[16, 20, 25, 55, 60, 65, 70, 75])];
    probability *= match person.education {
        Education::None | Education::Primary => 0.7,
        Education::LowerSecondary => 0.9,
        Education::UpperSecondary | Education::Vocational => 1.0,
        Education::Bachelor | Education::Master | Education::Doctorate => 1.1,
    };
    // Mothers of small children stay at home more often than fathers.
    if person.sex == Sex::Female && (25..45).contains(&person.age) && person.household >= 3 {
        probability *= 0.85;
    }
    if !dice.chance(probability) {
        return None;
    }
    // Degrees give access to more occupations.
    let mut weights = match person.education {
        Education::None | Education::Primary => [1.0, 0.3, 1.0, 3.0, 22.0, 8.0, 14.0, 17.0, 33.0, 0.2],
        Education::LowerSecondary => [2.0, 1.0, 4.0, 8.0, 28.0, 5.0, 18.0, 15.0, 17.0, 1.0],
        Education::UpperSecondary => [5.0, 4.0, 14.0, 17.0, 27.0, 2.5, 12.0, 9.0, 7.0, 1.5],
        Education::Vocational => [4.0, 5.0, 19.0, 12.0, 17.0, 4.0, 25.0, 9.0, 4.0, 0.8],
        Education::Bachelor => [11.0, 45.0, 20.0, 11.0, 7.0, 1.0, 2.0, 1.0, 1.0, 0.9],
        Education::Master | Education::Doctorate => [17.0, 65.0, 10.0, 4.0, 2.0, 0.5, 0.5, 0.2, 0.2, 0.4],
    };
    let scale = |weights: &mut [f64; 10], occupation: Occupation, by: f64| weights[occupation as usize] *= by;
    // Farms are outside the cities.
    scale(&mut weights, Occupation::Farmer, 2.0 - 1.9 * person.region.urban);
    // Managers are rarely below 25.
    if person.age < 25 {
        scale(&mut weights, Occupation::Manager, 0.15);
    }
    if person.sex == Sex::Female {
        scale(&mut weights, Occupation::Clerk, 1.8);
        scale(&mut weights, Occupation::Service, 1.6);
        scale(&mut weights, Occupation::Craft, 0.15);
        scale(&mut weights, Occupation::Operator, 0.3);
        scale(&mut weights, Occupation::Soldier, 0.2);
    }
    Some(OCCUPATIONS[dice.pick(&weights)])
}

/// Draws the income of a year in whole crowns; a business may make a loss.
pub(super) fn income(dice: &mut Dice, person: &Person, occupation: Option<Occupation>) -> i32 {
    let pension = if person.age >= 65 { pension(dice, person.education) } else { 0 };
    match occupation {
        Some(occupation) if dice.chance(loss_probability(occupation)) => rounded(-12_000.0 * dice.fraction(), 100),
        Some(occupation) => wage(dice, person, occupation) + pension,
        None if person.age >= 65 => pension,
        // Half of the people without work live on others: pupils, students, spouses.
        None if dice.chance(0.5) => 0,
        None => rounded(dice.between(4_000.0, 14_000.0), 100),
    }
}

/// Returns the probability of a loss: a bad harvest or a bad year of a firm.
fn loss_probability(occupation: Occupation) -> f64 {
    match occupation {
        Occupation::Farmer => 0.05,
        Occupation::Manager => 0.012,
        Occupation::Craft => 0.006,
        _ => 0.001,
    }
}

fn wage(dice: &mut Dice, person: &Person, occupation: Occupation) -> i32 {
    let usual = match occupation {
        Occupation::Manager => 62_000.0,
        Occupation::Professional => 54_000.0,
        Occupation::Technician => 42_000.0,
        Occupation::Soldier => 38_000.0,
        Occupation::Craft => 35_000.0,
        Occupation::Clerk => 34_000.0,
        Occupation::Operator => 32_000.0,
        Occupation::Service => 27_000.0,
        Occupation::Farmer => 24_000.0,
        Occupation::Labourer => 22_000.0,
    };
    // Pay grows with experience, and falls when hours are cut before the pension.
    let from_best_years = f64::from(person.age) - 48.0;
    let practice = 1.0 - 0.0004 * from_best_years * from_best_years;
    // Mostly shorter hours.
    let hours = if person.sex == Sex::Female { 0.86 } else { 1.0 };
    // People report their wage in hundreds.
    rounded(usual * practice * hours * person.region.pay * dice.factor(0.35), 100)
}

/// Draws a pension, which grows with education.
fn pension(dice: &mut Dice, education: Education) -> i32 {
    let usual = match education {
        Education::None | Education::Primary => 10_500.0,
        Education::LowerSecondary => 12_500.0,
        Education::UpperSecondary | Education::Vocational => 16_000.0,
        Education::Bachelor | Education::Master | Education::Doctorate => 24_000.0,
    };
    // People know their pension exactly, from the letter of the pension office.
    rounded(usual * dice.factor(0.22), 1)
}

fn rounded(crowns: f64, to: i32) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "no income here exceeds a few million")]
    let units = (crowns / f64::from(to)).round() as i32;
    units * to
}
