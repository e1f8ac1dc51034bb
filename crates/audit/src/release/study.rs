//! Which rows an audit uses for what.

use scumble_mechanisms::Model;
use scumble_schema::{AttributeId, Recoding};

use super::coded_table::CodedTable;
use super::draw::Draw;
use super::error::ReleaseError;
use super::{Inputs, Settings};

/// Minimum number of members.
const MIN_MEMBERS: usize = 10;
/// Minimum number of control rows: one half is auxiliary.
const MIN_CONTROL: usize = 2 * MIN_MEMBERS;

/// The rows of an audit, each with its role.
pub(super) struct Study<'a> {
    /// Members, followed by control rows that are not auxiliary.
    pub(super) targets: CodedTable,
    /// Number of targets that are members.
    pub(super) members: usize,
    /// The half of the control that an attacker knows: a sample of the population.
    pub(super) auxiliary: CodedTable,
    /// The released rows.
    pub(super) synthetic: &'a CodedTable,
    /// The released model, if there is one.
    pub(super) model: Option<&'a Model>,
    /// Columns that the tables of the model are over.
    pub(super) recoding: Recoding,
    pub(super) seed: u64,
}

impl<'a> Study<'a> {
    /// Checks the inputs and draws the roles.
    pub(super) fn new(inputs: &Inputs<'a>, settings: &Settings) -> Result<Self, ReleaseError> {
        let Inputs { members, control, synthetic, model, names } = *inputs;
        let domain = members.domain();
        for (what, table) in [("the control", control), ("the synthetic table", synthetic)] {
            if table.domain() != domain {
                return Err(ReleaseError::OtherDomain { what });
            }
        }
        if model.is_some_and(|model| model.schema().domain() != domain) {
            return Err(ReleaseError::OtherDomain { what: "the model" });
        }
        let tables = [
            ("the table of members", members, MIN_MEMBERS),
            ("the control", control, MIN_CONTROL),
            ("the synthetic table", synthetic, 1),
        ];
        if let Some(&(what, _, least)) = tables.iter().find(|(_, table, least)| table.rows() < *least) {
            return Err(ReleaseError::TooFewRows { what, least });
        }
        if settings.targets < MIN_MEMBERS {
            return Err(ReleaseError::Config { parameter: "targets", rule: "ten or more" });
        }
        if !names.is_empty() && names.len() != domain.len() {
            return Err(ReleaseError::Config { parameter: "names", rule: "one name per column, or none" });
        }
        if settings.secrets.iter().any(|secret| secret.index() >= domain.len()) {
            return Err(ReleaseError::Config { parameter: "secrets", rule: "columns of the tables" });
        }
        let seed = settings.seed;
        let auxiliary = Draw::Auxiliary.places(seed, control.rows(), control.rows() / 2);
        let mut is_auxiliary = vec![false; control.rows()];
        for &row in &auxiliary {
            is_auxiliary[row] = true;
        }
        let rest: Vec<usize> = (0..control.rows()).filter(|&row| !is_auxiliary[row]).collect();
        let member_rows = Draw::Members.places(seed, members.rows(), settings.targets);
        let control_rows: Vec<usize> =
            Draw::Control.places(seed, rest.len(), settings.targets).into_iter().map(|place| rest[place]).collect();
        Ok(Self {
            targets: members.pick(&member_rows).followed_by(&control.pick(&control_rows)),
            members: member_rows.len(),
            auxiliary: control.pick(&auxiliary),
            synthetic,
            model,
            recoding: model.map_or_else(|| Recoding::identity(domain), |model| model.recoding().clone()),
            seed,
        })
    }

    /// Returns the number of targets that are control rows.
    pub(super) fn control(&self) -> usize {
        self.targets.rows() - self.members
    }

    /// Returns the columns of the tables.
    pub(super) fn columns(&self) -> impl Iterator<Item = AttributeId> + use<> {
        self.targets.domain().attributes()
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    /// A table of one column whose codes number its rows.
    fn numbered(first: u32, rows: u32) -> CodedTable {
        let domain = Domain::new(vec![1_000, 2]).unwrap();
        CodedTable::new(domain, vec![(first..first + rows).collect(), vec![0; rows as usize]]).unwrap()
    }

    #[test]
    fn no_row_has_two_roles() {
        let (members, control, synthetic) = (numbered(0, 100), numbered(100, 51), numbered(0, 1));
        let inputs = Inputs { members: &members, control: &control, synthetic: &synthetic, model: None, names: &[] };
        let study = Study::new(&inputs, &Settings { targets: 20, ..Settings::default() }).unwrap();
        assert_eq!((study.members, study.control(), study.auxiliary.rows()), (20, 20, 25));
        let codes = study.targets.columns()[0].iter();
        let (members, control): (Vec<u32>, Vec<u32>) = codes.copied().partition(|&code| code < 100);
        assert_eq!(study.targets.columns()[0], [members.as_slice(), &control].concat());
        assert!(control.iter().all(|code| !study.auxiliary.columns()[0].contains(code)));
    }

    #[test]
    fn inputs_that_cannot_be_judged_are_refused() {
        let (members, control, synthetic) = (numbered(0, 100), numbered(100, 50), numbered(0, 10));
        let inputs = Inputs { members: &members, control: &control, synthetic: &synthetic, model: None, names: &[] };
        let refusal = |inputs: Inputs<'_>, settings: Settings| Study::new(&inputs, &settings).err();
        let few = numbered(0, 5);
        assert!(matches!(
            refusal(Inputs { control: &few, ..inputs }, Settings::default()),
            Some(ReleaseError::TooFewRows { what: "the control", .. })
        ));
        let other = CodedTable::new(Domain::new(vec![3]).unwrap(), vec![vec![0; 50]]).unwrap();
        assert!(matches!(
            refusal(Inputs { synthetic: &other, ..inputs }, Settings::default()),
            Some(ReleaseError::OtherDomain { what: "the synthetic table" })
        ));
        let secrets = Settings { secrets: vec![AttributeId::new(2)], ..Settings::default() };
        assert!(matches!(refusal(inputs, secrets), Some(ReleaseError::Config { parameter: "secrets", .. })));
        let names = ["one".to_owned()];
        assert!(refusal(Inputs { names: &names, ..inputs }, Settings::default()).is_some());
        assert!(refusal(inputs, Settings { targets: 2, ..Settings::default() }).is_some());
    }
}
