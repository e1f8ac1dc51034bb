//! The two ways to run the method.

use scumble::mechanisms::Method;

use scumble_benchmarks::Result;
use scumble_benchmarks::request::Request;

/// A way to run the method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Best,
    Paper,
}

impl Profile {
    pub(crate) const ALL: [Self; 2] = [Self::Best, Self::Paper];
    pub(crate) const NAMES: [&str; 2] = ["best", "paper"];

    /// Those that were asked for.
    pub(crate) fn asked(request: &Request) -> Vec<Self> {
        let names = request.contenders(&Self::NAMES);
        names.iter().filter_map(|name| Self::ALL.into_iter().find(|profile| profile.name() == *name)).collect()
    }

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The method with these options besides.
    pub(crate) fn method(self, options: &[&str]) -> Result<Method> {
        let profile = format!("profile={}", self.name());
        let options = std::iter::once(profile.as_str()).chain(options.iter().copied());
        Ok(Method::named("privmrf")?.with_options(options)?)
    }
}
