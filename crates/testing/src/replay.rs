//! One run on a table, and a second on a neighbour with the same released values.

use std::any::Any;
use std::error::Error;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};

use scumble_schema::Schema;
use scumble_vault::replay::{Opened, Recording, force, record};
use scumble_vault::{Accounting, Adjacency, ApproxDp};

use crate::alarm::Difference;
use crate::artefacts::Artefacts;
use crate::row_source::RowSource;
use crate::subject::Subject;
use crate::tables::Row;

/// Name of the artefact that a failed run leaves.
const ERROR: &str = "error";

/// Two runs without a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Number of releases of each run.
    pub releases: usize,
    /// How both runs ended, if they failed.
    pub failure: Option<String>,
}

/// Runs `subject` on `table`, forces the released values on `neighbour`, and compares releases and
/// artefacts.
pub(crate) fn compare<A: Adjacency, M: Accounting>(
    subject: &impl Subject<A, M>,
    schema: &Schema,
    goal: ApproxDp,
    table: &[Row],
    neighbour: &[Row],
) -> Result<Replay, Difference> {
    let max_contributions = schema.privacy().max_contributions;
    let (first, recording) = run(subject, schema, table, |source| record(source, goal, max_contributions));
    let (second, replayed) =
        run(subject, schema, neighbour, |source| force(source, goal, max_contributions, &recording));
    if let Err(fault) = recording.check_neighbour(&replayed) {
        return Err(Difference::Release { fault, failure: failure(&second) });
    }
    if let Some((name, excerpts)) = first.difference(&second) {
        return Err(Difference::Artefact { name, excerpts });
    }
    Ok(Replay { releases: recording.events().count(), failure: failure(&first) })
}

fn run<A: Adjacency, M: Accounting>(
    subject: &impl Subject<A, M>,
    schema: &Schema,
    rows: &[Row],
    open: impl FnOnce(Box<RowSource>) -> Opened<A, M>,
) -> (Artefacts, Recording) {
    let source = RowSource::new(schema.domain().clone(), rows.to_vec());
    #[cfg(feature = "planted-bugs")]
    let source = subject.leak(source);
    let (vault, budget, recorder) = open(Box::new(source)).expect("the goals of the battery allow releases");
    // The message of a panic is an artefact too.
    let ended = catch_unwind(AssertUnwindSafe(|| subject.run(vault, budget, schema)));
    let artefacts = match ended {
        Ok(Ok(artefacts)) => artefacts,
        Ok(Err(error)) => Artefacts::new().with(ERROR, chain(&*error)),
        Err(panic) => Artefacts::new().with(ERROR, format!("panic: {}", message(&*panic))),
    };
    (artefacts, recorder.finish())
}

fn failure(artefacts: &Artefacts) -> Option<String> {
    artefacts.get(ERROR).map(|text| String::from_utf8_lossy(text).into_owned())
}

/// Returns the texts of an error and of its causes.
fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}

#[cfg(test)]
mod tests {
    use scumble_schema::{Clique, Schema};
    use scumble_vault::{AddRemove, Budget, Delta, Epsilon, Gdp, ReplaceOne, Share, Vault};

    use super::*;
    use crate::tables::integers;

    /// A mechanism from a closure.
    struct Function<F>(F);

    impl<A, F> Subject<A, Gdp> for Function<F>
    where
        A: Adjacency,
        F: Fn(Vault<A, Gdp>, Budget<A, Gdp>) -> Result<Artefacts, Box<dyn Error>>,
    {
        fn run(&self, vault: Vault<A, Gdp>, budget: Budget<A, Gdp>, _: &Schema) -> Result<Artefacts, Box<dyn Error>> {
            self.0(vault, budget)
        }
    }

    fn compared<A: Adjacency>(
        mechanism: impl Fn(Vault<A, Gdp>, Budget<A, Gdp>) -> Result<Artefacts, Box<dyn Error>>,
        table: &[Row],
        neighbour: &[Row],
    ) -> Result<Replay, Difference> {
        let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        compare(&Function(mechanism), &integers(&[2, 3], 1, A::KIND), goal, table, neighbour)
    }

    fn rows_of<A: Adjacency>(mut vault: Vault<A, Gdp>, budget: Budget<A, Gdp>) -> Result<Artefacts, Box<dyn Error>> {
        let rows = vault.measure(&[Clique::empty()], budget)?;
        Ok(Artefacts::new().with("rows", format!("{:?}", rows[0].values())))
    }

    #[test]
    fn neighbours_of_an_honest_mechanism_agree() {
        let replay = compared::<AddRemove>(rows_of, &[], &[vec![0, 2]]).unwrap();
        assert_eq!(replay, Replay { releases: 1, failure: None });
        compared::<ReplaceOne>(rows_of, &[vec![1, 1]], &[vec![0, 2]]).unwrap();
    }

    #[test]
    fn tables_that_are_no_neighbours_raise_an_alarm() {
        let difference = compared::<AddRemove>(rows_of, &[], &[vec![0, 2], vec![0, 2]]).unwrap_err();
        assert!(difference.to_string().contains("further apart than the sensitivity"), "{difference}");
    }

    /// Returns the alarm over a mechanism that knows which of the two runs it is in.
    fn alarm_over(
        mechanism: impl Fn(Vault<AddRemove, Gdp>, Budget<AddRemove, Gdp>, bool) -> Result<Artefacts, Box<dyn Error>>,
    ) -> String {
        let second = std::cell::Cell::new(false);
        let leaking = |vault, budget| mechanism(vault, budget, second.replace(true));
        compared::<AddRemove>(leaking, &[], &[vec![0, 0]]).unwrap_err().to_string()
    }

    #[test]
    fn an_error_of_one_run_alone_raises_an_alarm() {
        let alarm = alarm_over(|vault, budget, second| {
            let artefacts = rows_of(vault, budget)?;
            if second { Err("a count is too large".into()) } else { Ok(artefacts) }
        });
        assert!(alarm.contains("`rows` differs") && alarm.contains("became nothing"), "{alarm}");
        let alarm = alarm_over(|_, _, second| Err(format!("column {}", u8::from(second)).into()));
        assert_eq!(alarm, r#"the artefact `error` differs: "column 0" became "column 1""#);
    }

    #[test]
    fn a_panic_of_one_run_alone_raises_an_alarm() {
        let alarm = alarm_over(|vault, budget, second| {
            assert!(!second, "not empty");
            rows_of(vault, budget)
        });
        assert!(alarm.contains("one run made a release more") && alarm.contains("panic: not empty"), "{alarm}");
    }

    #[test]
    fn another_question_with_an_ignored_answer_raises_an_alarm() {
        let alarm = alarm_over(|mut vault, budget, second| {
            let (most, _rest) = budget.split(Share::of(2, 3).unwrap());
            let asked =
                if second { integers(&[2, 3], 1, AddRemove::KIND).domain().one_way() } else { vec![Clique::empty()] };
            let _ignored = vault.measure(&asked, most);
            Ok(Artefacts::new())
        });
        assert!(alarm.contains("one run made a release more at release 0"), "{alarm}");
    }

    #[test]
    fn errors_are_shown_with_their_causes() {
        let error = scumble_vault::VaultError::from(scumble_vault::SourceError::new("the disk is gone"));
        assert_eq!(chain(&error), "the tables could not be counted: the disk is gone");
    }
}
