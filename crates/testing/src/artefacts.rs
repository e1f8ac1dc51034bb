//! Everything that leaves a run.

/// Everything that leaves a run of a mechanism: model, synthetic rows and their number,
/// certificate, log lines, report.
///
/// The battery compares artefacts byte for byte, so they may depend on the schema, released values
/// and fixed seeds alone. Leave out time stamps and names of temporary files. An error is an
/// artefact too; the battery records it itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artefacts(Vec<(&'static str, Vec<u8>)>);

impl Artefacts {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an artefact.
    ///
    /// # Panics
    /// If there is one of that name already: only one of them would be compared.
    #[must_use]
    pub fn with(mut self, name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        assert!(self.get(name).is_none(), "there are two artefacts `{name}`");
        self.0.push((name, content.into()));
        self
    }

    /// Returns the content of the artefact of this name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, content)| content.as_slice())
    }

    /// Returns the first artefact that differs from the other run's, and both contents around the
    /// first difference.
    pub(crate) fn difference(&self, other: &Self) -> Option<(&'static str, [String; 2])> {
        let names = self.0.iter().chain(&other.0).map(|(name, _)| *name);
        names.into_iter().find_map(|name| {
            let [own, others] = [self.get(name), other.get(name)];
            (own != others).then(|| (name, excerpts(own, others)))
        })
    }
}

/// Number of bytes shown before and after the first difference.
const EXCERPT_BYTES: usize = 24;

fn excerpts(own: Option<&[u8]>, others: Option<&[u8]>) -> [String; 2] {
    let [whole, wholes] = [own, others].map(Option::unwrap_or_default);
    let same = whole.iter().zip(wholes).take_while(|(one, other)| one == other).count();
    let excerpt = |content: Option<&[u8]>| match content {
        None => "nothing".to_owned(),
        Some(content) => {
            let shown = &content[same.saturating_sub(EXCERPT_BYTES)..content.len().min(same + EXCERPT_BYTES)];
            format!("\"{}\"", shown.escape_ascii())
        }
    };
    [excerpt(own), excerpt(others)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown_with_its_context() {
        let one = Artefacts::new().with("model", [1, 2]).with("log", "read 3 rows\n");
        assert_eq!(one.difference(&one), None);
        let other = Artefacts::new().with("model", [1, 2]).with("log", "read 4 rows\n");
        let (name, excerpts) = one.difference(&other).unwrap();
        assert_eq!((name, excerpts.concat().as_str()), ("log", r#""read 3 rows\n""read 4 rows\n""#));
    }

    #[test]
    #[should_panic(expected = "there are two artefacts `log`")]
    fn a_second_artefact_of_one_name_is_refused() {
        let _ = Artefacts::new().with("log", "first").with("log", "second");
    }

    #[test]
    fn an_artefact_of_one_run_alone_is_a_difference() {
        let one = Artefacts::new().with("model", "m");
        let other = one.clone().with("error", "e");
        for (one, other) in [(&one, &other), (&other, &one)] {
            assert_eq!(one.difference(other).unwrap().0, "error");
        }
    }
}
