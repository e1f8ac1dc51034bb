use rand::SeedableRng;

use super::*;

fn clique(columns: &[usize]) -> Clique {
    Clique::new(columns.iter().map(|&column| AttributeId::new(column)))
}

fn random_case(rng: &mut ChaCha8Rng) -> (Domain, Vec<Clique>, SetLimits) {
    let domain = Domain::new((0..8).map(|_| rng.random_range(2..7)).collect()).unwrap();
    let some = |rng: &mut ChaCha8Rng| (0..8).filter(|_| rng.random_range(0..2) == 0).collect::<Vec<usize>>();
    let cliques = (0..rng.random_range(1..4)).map(|_| clique(&some(rng))).collect();
    (domain, cliques, SetLimits { cells: rng.random_range(0..80), columns: rng.random_range(1..6) })
}

/// Lines 3 to 6 word by word.
fn word_by_word(domain: &Domain, cliques: &[Clique], limits: SetLimits) -> Vec<Clique> {
    let subsets = (1..1_u32 << domain.len())
        .map(|bits| clique(&(0..domain.len()).filter(|column| bits >> column & 1 == 1).collect::<Vec<_>>()));
    let useful = |set: &Clique| domain.cells(set) <= u128::from(limits.cells) && set.len() <= limits.columns;
    let mut all: Vec<Clique> =
        subsets.filter(|set| useful(set) && cliques.iter().any(|clique| clique.holds(set))).collect();
    all.sort();
    all
}

#[test]
fn candidates_are_the_useful_subsets_of_cliques() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100 {
        let (domain, cliques, limits) = random_case(&mut rng);
        let candidates = Candidates::new(&domain, &cliques, limits);
        let expected = word_by_word(&domain, &cliques, limits);
        assert_eq!(candidates.listed.as_ref().unwrap(), &expected);
        assert!(expected.iter().all(|set| candidates.has(set)));
        assert_eq!(candidates.left(5), expected.len().min(5));
        for (clique, &count) in cliques.iter().zip(&candidates.counts) {
            let own = expected.iter().filter(|set| clique.holds(set)).count();
            assert_eq!(usize::try_from(count).unwrap(), own);
            let mut subsets = Subsets::new(&domain, clique.attributes());
            let mut numbered: Vec<Clique> = (0..=count).map(|number| subsets.nth(number, limits)).collect();
            numbered.sort();
            numbered.dedup();
            if limits.cells > 0 {
                assert_eq!(numbered.len(), own + 1, "and the empty one");
            }
        }
    }
}

#[test]
fn without_a_list_all_sets_are_equally_likely() {
    let domain = Domain::new(vec![2; 6]).unwrap();
    let cliques = [clique(&[0, 1, 2, 3]), clique(&[1, 2, 3, 4]), clique(&[4, 5])];
    let mut candidates = Candidates::new(&domain, &cliques, SetLimits { cells: 8, columns: 9 });
    let taken = clique(&[1, 2]);
    candidates.take(taken.clone());
    let mut all: BTreeMap<Clique, u32> = candidates.listed.take().unwrap().into_iter().map(|set| (set, 0)).collect();
    all.remove(&taken);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let draws: u32 = 20_000;
    for _ in 0..draws {
        for set in candidates.draw(2, &mut rng, |_| true) {
            *all.get_mut(&set).expect("a candidate") += 1;
        }
    }
    // Two sets at a time; 6 standard deviations of a binomial count.
    let expected = 2.0 * f64::from(draws) / f64::from(u32::try_from(all.len()).unwrap());
    for (set, times) in &all {
        assert!((f64::from(*times) - expected).abs() < 6.0 * expected.sqrt(), "{set:?} {times} times, not {expected}");
    }
}

#[test]
fn sets_that_were_taken_or_do_not_fit_are_not_drawn() {
    let domain = Domain::new(vec![2; 23]).unwrap();
    let cliques = [Clique::new(domain.attributes())];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for limits in [SetLimits { cells: 4, columns: 9 }, SetLimits { cells: 512, columns: 9 }] {
        let mut candidates = Candidates::new(&domain, &cliques, limits);
        assert_eq!(candidates.listed.is_none(), limits.cells == 512);
        let first = candidates.draw(200, &mut rng, |set| set.len() > 1);
        assert_eq!(first.len(), 200);
        assert!(first.iter().all(|set| set.len() > 1 && domain.cells(set) <= u128::from(limits.cells)));
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 200);
        for set in &first {
            candidates.take(set.clone());
        }
        let second = candidates.draw(50, &mut rng, |_| true);
        assert!(second.len() == 50 && second.iter().all(|set| !first.contains(set)));
    }
}

#[test]
fn where_nothing_is_useful_there_is_nothing_to_draw() {
    let domain = Domain::new(vec![5, 5]).unwrap();
    let cliques = [clique(&[0, 1])];
    for cells in [0, 4] {
        let candidates = Candidates::new(&domain, &cliques, SetLimits { cells, columns: 2 });
        assert_eq!(candidates.left(10), 0);
        assert!(candidates.draw(10, &mut ChaCha8Rng::seed_from_u64(1), |_| true).is_empty());
    }
}
