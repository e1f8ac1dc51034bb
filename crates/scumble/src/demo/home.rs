//! Dwelling, smoking and height of a person.

use super::dice::Dice;
use super::person::{Education, Person, Sex, band};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Housing {
    Owner,
    Tenant,
    SocialTenant,
    RentFree,
}

pub(super) fn housing(dice: &mut Dice, person: &Person, income: i32) -> Housing {
    const KINDS: [Housing; 4] = [Housing::Owner, Housing::Tenant, Housing::SocialTenant, Housing::RentFree];
    // Flats for rent are in the cities; houses in the country are owned.
    let urban = person.region.urban;
    let mut weights = [70.0 - 38.0 * urban, 18.0 + 32.0 * urban, 5.0 + 12.0 * urban, 4.0];
    // Young people rent before they can buy.
    if (18..35).contains(&person.age) {
        weights[0] *= 0.4;
    }
    if person.age >= 16 {
        match income {
            ..12_000 => weights[2] *= 2.5,
            50_000.. => {
                weights[0] *= 1.8;
                weights[2] *= 0.1;
            }
            _ => {}
        }
    }
    KINDS[dice.pick(&weights)]
}

/// Returns the years in this dwelling; `None` for people who were born into it.
pub(super) fn years_here(dice: &mut Dice, person: &Person, housing: Housing) -> Option<f64> {
    let (longest, evenness) = match housing {
        Housing::Owner => (70.0, 0.3),
        Housing::SocialTenant | Housing::RentFree => (45.0, 0.2),
        Housing::Tenant => (26.0, 0.15),
    };
    // Between a fraction and its square: most people moved recently, some long ago.
    let fraction = dice.fraction();
    let years = longest * fraction * (evenness + (1.0 - evenness) * fraction);
    (years < f64::from(person.age)).then_some(years)
}

pub(super) fn smokes(dice: &mut Dice, person: &Person) -> bool {
    let mut probability = [0.0, 0.06, 0.20, 0.25, 0.23, 0.10][band(person.age, &[15, 18, 25, 45, 65])];
    if person.education < Education::UpperSecondary {
        probability *= 1.3;
    } else if person.education > Education::Vocational {
        probability *= 0.55;
    }
    if person.sex == Sex::Male {
        probability *= 1.2;
    }
    dice.chance(probability)
}

/// Returns the body height in centimetres, to a tenth.
pub(super) fn height(dice: &mut Dice, person: &Person) -> f64 {
    // Centimetres by age. Girls grow as boys do, and stop at 15; boys stop at 18.
    const GROWING: [f64; 19] = [
        62.0, 77.0, 88.0, 96.0, 103.0, 110.0, 116.0, 122.0, 128.0, 133.0, 138.0, 144.0, 150.0, 157.0, 164.0, 170.0,
        174.0, 176.5, 178.0,
    ];
    let grown = if person.sex == Sex::Male { 178.0 } else { 165.0 };
    let usual = GROWING.get(person.age as usize).map_or(grown, |&height| height.min(grown));
    // People shrink from the age of fifty on, and older generations were shorter.
    let years_past_fifty = f64::from(person.age.saturating_sub(50));
    let height = usual * (1.0 + 0.039 * dice.bell()) - 0.12 * years_past_fifty;
    (height * 10.0).round() / 10.0
}
