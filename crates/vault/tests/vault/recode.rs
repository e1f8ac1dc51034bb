//! Questions about columns that are functions of those of the source.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique, Domain, Recoding};
use scumble_vault::score::TotalVariation;
use scumble_vault::{AddRemove, ApproxDp, Delta, Epsilon, Gdp, Pure, Vault};

#[test]
fn questions_about_recoded_columns_are_answered_as_if_rows_were_recoded() {
    let base = Domain::new(vec![5, 3, 9]).unwrap();
    let rows: Vec<Vec<u32>> = (0..200_u32).map(|row| vec![row % 5, row / 7 % 3, row * row % 9]).collect();
    for recoding in [Recoding::binary(&base).unwrap(), Recoding::with_coarser(&base, 2, 2).unwrap()] {
        let domain = recoding.domain();
        let recoded = rows.iter().map(|row| {
            domain.attributes().map(|id| recoding.codes(id)[row[recoding.of(id).index()] as usize]).collect()
        });
        let recoded = Rows::new(domain.sizes(), recoded.collect());
        let cliques: Vec<Clique> = domain
            .attributes()
            .flat_map(|left| domain.attributes().map(move |right| Clique::new([left, right])))
            .chain([Clique::empty()])
            .collect();
        let source = Rows::new(base.sizes(), rows.clone());
        // Noise that is zero in every draw but one in e^1000.
        let goal = ApproxDp { epsilon: Epsilon::new(500_000.0).unwrap(), delta: Delta::ZERO };
        let measure = |source: Rows, recoding: Option<Recoding>| -> Vec<Vec<i64>> {
            let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(source), goal, NonZeroU32::MIN).unwrap();
            if let Some(recoding) = recoding {
                vault.recode(recoding).unwrap();
            }
            let tables = vault.measure(&cliques, budget).unwrap();
            tables.iter().map(|table| table.values().to_vec()).collect()
        };
        assert_eq!(measure(source, Some(recoding.clone())), measure(recoded, None));
    }
}

#[test]
fn recodings_of_another_domain_or_after_a_release_are_refused() {
    let source = || Box::new(Rows::new(&[4], vec![vec![3]]));
    let (mut vault, budget) = Vault::<AddRemove, Gdp>::open(source(), goal(1.0, 1e-9), NonZeroU32::MIN).unwrap();
    let other = Recoding::binary(&Domain::new(vec![5]).unwrap()).unwrap();
    assert!(vault.recode(other).unwrap_err().to_string().contains("recoding"));
    vault.measure(&[Clique::empty()], budget).unwrap();
    let late = Recoding::binary(&Domain::new(vec![4]).unwrap()).unwrap();
    assert!(vault.recode(late).unwrap_err().to_string().contains("recoding"));
}

#[test]
fn after_a_release_columns_may_be_added_and_none_may_change() {
    let rows: Vec<Vec<u32>> = (0..60_u32).map(|row| vec![row % 5, row % 3]).collect();
    let base = Domain::new(vec![5, 3]).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(500_000.0).unwrap(), delta: Delta::ZERO };
    let source = Box::new(Rows::new(base.sizes(), rows));
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(source, goal, NonZeroU32::MIN).unwrap();
    let mut budgets = budget.split_evenly(3.try_into().unwrap()).into_iter();
    let mut counts = |vault: &mut Vault<AddRemove, Pure>, columns: &[usize]| {
        let clique = Clique::new(columns.iter().copied().map(AttributeId::new));
        vault.measure(&[clique], budgets.next().unwrap()).unwrap()[0].values().to_vec()
    };
    assert_eq!(counts(&mut vault, &[0]), [12; 5]);
    let grouped =
        |groups: [u32; 5]| Recoding::with_groups(&base, vec![(AttributeId::new(0), groups.to_vec())]).unwrap();
    vault.recode(grouped([0, 1, 1, 1, 0])).unwrap();
    assert_eq!(counts(&mut vault, &[2]), [24, 36]);
    assert_eq!(counts(&mut vault, &[1, 2]), [8, 12, 8, 12, 8, 12]);
    for other in [grouped([0, 1, 1, 1, 1]), Recoding::identity(&base), Recoding::binary(&base).unwrap()] {
        assert!(vault.recode(other).unwrap_err().to_string().contains("only adds columns"));
    }
    assert_eq!(vault.domain().sizes(), [5, 3, 2]);
}

#[test]
fn bits_of_columns_that_are_too_large_together_are_refused_by_a_source_that_cannot_recode() {
    let base = Domain::new(vec![1 << 12; 2]).unwrap();
    let source = Rows::new(base.sizes(), vec![]);
    let (mut vault, budget) =
        Vault::<AddRemove, Gdp>::open(Box::new(source), goal(1.0, 1e-9), NonZeroU32::MIN).unwrap();
    vault.recode(Recoding::binary(&base).unwrap()).unwrap();
    let error = vault.measure(&[Clique::new([0, 12].map(AttributeId::new))], budget).unwrap_err();
    assert!(format!("{error:?}").contains("TableTooLarge"), "{error:?}");
}

#[test]
fn a_score_is_computed_once() {
    let source = Rows::new(&[2, 2, 2], vec![vec![0, 1, 0]; 10]);
    let calls = source.calls.clone();
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(source), goal, NonZeroU32::MIN).unwrap();
    let pair = |left, right| {
        let [left, right] = [left, right].map(|index| Clique::single(AttributeId::new(index)));
        TotalVariation::between(left, right).unwrap()
    };
    let mut budgets = budget.split_evenly(3.try_into().unwrap()).into_iter();
    for (candidates, counted) in
        [(vec![pair(0, 1), pair(0, 2)], 1), (vec![pair(0, 2), pair(0, 1)], 1), (vec![pair(0, 1), pair(1, 2)], 2)]
    {
        vault.select(&candidates, budgets.next().unwrap()).unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), counted);
    }
    assert!(format!("{vault:?}").contains("ScoreCache(..)"), "nothing exact is printed");
}
