//! Columns of the regression metric: income, sex and place.

use scumble_schema::{AttributeId, Domain};

use crate::error::EvaluateError;

/// The columns of the regression metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Earnings {
    /// Column of the income.
    pub income: AttributeId,
    /// Income of each code, not below zero; `None` for a code that is no income, such as a missing
    /// value. The Gini coefficient needs incomes that are not negative, so a loss counts as zero.
    pub incomes: Vec<Option<f64>>,
    /// Column of the sex.
    pub sex: AttributeId,
    /// The two codes whose mean incomes are compared. The pay gap is the mean of the first less
    /// that of the second.
    pub sexes: [u32; 2],
    /// Column of the place.
    pub place: AttributeId,
}

impl Earnings {
    /// Checks the columns and codes against a domain.
    ///
    /// # Errors
    /// If the domain lacks one of the columns or codes, or an income is below zero or not finite.
    pub(super) fn check(&self, domain: &Domain) -> Result<(), EvaluateError> {
        let roles = [self.income, self.sex, self.place];
        if roles.iter().any(|role| role.index() >= domain.len()) {
            return Err(EvaluateError::OtherDomain { what: "the columns of the regression metric" });
        }
        if self.incomes.len() != domain.size(self.income) as usize {
            return Err(EvaluateError::config("incomes", "one per code of the column `income`"));
        }
        if self.incomes.iter().flatten().any(|income| !(0.0..f64::INFINITY).contains(income)) {
            return Err(EvaluateError::config("incomes", "finite and not below zero"));
        }
        if self.sexes.iter().any(|&sex| sex >= domain.size(self.sex)) {
            return Err(EvaluateError::config("sexes", "codes of the column `sex`"));
        }
        Ok(())
    }
}

/// Returns the incomes of a column that is cut into equal bins of the signed logarithm
/// `sign(x) ln(1 + |x|)` from `minimum` to `maximum`, after a code for missing values. The income
/// of a bin is its middle on that scale; losses are zero.
///
/// Column `PINCP` of the benchmark table `acs_national2019` is coded like this.
pub fn signed_log_bins(bins: u32, minimum: f64, maximum: f64) -> Vec<Option<f64>> {
    let middle = |bin: u32| minimum + (f64::from(bin) + 0.5) * (maximum - minimum) / f64::from(bins);
    let incomes = (0..bins).map(|bin| Some(middle(bin).exp_m1().max(0.0)));
    std::iter::once(None).chain(incomes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_a_signed_logarithm_stand_for_their_middles() {
        let incomes = signed_log_bins(3, -1.0, 5.0);
        assert_eq!(incomes.len(), 4);
        assert_eq!(incomes[0], None);
        assert!((incomes[1].unwrap()).abs() < 1e-15, "the middle is zero");
        assert!((incomes[3].unwrap() - (4_f64.exp() - 1.0)).abs() < 1e-9);
        assert_eq!(signed_log_bins(2, -4.0, 4.0)[1], Some(0.0), "a loss is no income");
    }

    #[test]
    fn columns_that_cannot_be_earnings_are_refused() {
        let domain = Domain::new(vec![2, 2, 2]).unwrap();
        let [income, sex, place] = [0, 1, 2].map(AttributeId::new);
        let right = Earnings { income, incomes: vec![Some(0.0), None], sex, sexes: [0, 1], place };
        assert!(right.check(&domain).is_ok());
        let wrong = [
            Earnings { place: AttributeId::new(3), ..right.clone() },
            Earnings { incomes: vec![Some(1.0)], ..right.clone() },
            Earnings { incomes: vec![Some(1.0), Some(-1.0)], ..right.clone() },
            Earnings { incomes: vec![Some(1.0), Some(f64::NAN)], ..right.clone() },
            Earnings { sexes: [0, 2], ..right },
        ];
        assert!(wrong.iter().all(|earnings| earnings.check(&domain).is_err()));
    }
}
