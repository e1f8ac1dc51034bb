//! The registry of methods.

use std::fmt;

use scumble_schema::{Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Budget, Delta, Event, Selecting, Vault};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::MechanismError;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::workload::Workload;
use crate::mechanism::{Mechanism, ModelTerms};
use crate::methods::{aim, auto, independent, mst, pb_pgm, privbayes, privbayes_nist, privmrf, smoothed_histogram};
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

/// Declares [`Method`], which forwards every call to the options of its method.
macro_rules! methods {
    ($($(#[$doc:meta])+ $name:literal => $method:ident($options:ty),)+) => {
        /// A method of fitting, with its options.
        ///
        /// ```
        /// use scumble_mechanisms::Method;
        /// # use scumble_vault::{ApproxDp, Delta, Epsilon};
        ///
        /// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
        /// assert_eq!(Method::recommended(goal).name(), "auto");
        /// let method = Method::named("privbayes")?.with_options(["theta=6", "encoding=hierarchical"])?;
        /// assert!(Method::named("mst")?.with_options(["theta=6"]).is_err(), "`mst` has no such option");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$doc])+ $method($options),)+
        }

        impl Method {
            /// The names of all methods.
            pub const NAMES: [&str; [$($name),+].len()] = [$($name),+];

            /// Returns the method of a name with its default options.
            ///
            /// # Errors
            /// If the name is unknown.
            pub fn named(name: &str) -> Result<Self, MechanismError> {
                match name {
                    $($name => Ok(Self::$method(<$options>::default())),)+
                    _ => Err(MechanismError::NoSuchMethod { name: name.into(), known: &Self::NAMES }),
                }
            }

            /// Name of the method on the command line and in files.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$method(_) => $name,)+
                }
            }

            /// Returns the options as a trait object.
            fn mechanism(&self) -> &dyn Mechanism {
                match self {
                    $(Self::$method(options) => options,)+
                }
            }

            /// Replaces names of columns in the options by their positions in a schema.
            ///
            /// # Errors
            /// If an option names an unknown column.
            pub(crate) fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
                match self {
                    $(Self::$method(options) => options.of_schema(schema).map(Self::$method),)+
                }
            }

            /// Runs the method in a vault.
            pub(crate) fn fit<A: MethodAdjacency, M: MethodAccounting>(
                &self,
                vault: &mut Vault<A, M>,
                budget: Budget<A, M>,
                model: &ModelTerms,
            ) -> Result<Fitted, MechanismError> {
                if !self.mechanism().accountings().contains(&M::KIND) {
                    return Err(MechanismError::OtherAccounting { method: self.name(), accounting: M::KIND });
                }
                match self {
                    $(Self::$method(options) => options.fit(vault, budget, model),)+
                }
            }

            /// Outlines a fit that spends `amount`.
            pub(crate) fn outline<A: MethodAdjacency, M: Selecting>(
                &self,
                outline: &mut Outline<A, M>,
                recoding: &Recoding,
                amount: Amount<M>,
            ) -> Result<(), MechanismError> {
                match self {
                    $(Self::$method(options) => options.outline(outline, recoding, amount),)+
                }
            }

            /// Returns the options as JSON.
            fn options(&self) -> Map<String, Value> {
                let options = match self {
                    $(Self::$method(options) => serde_json::to_value(options),)+
                };
                match options {
                    Ok(Value::Object(options)) => options,
                    _ => Map::new(),
                }
            }

            /// Deserializes options of this method.
            fn reading_options<'de, D: Deserializer<'de>>(&self, options: D) -> Result<Self, D::Error> {
                match self {
                    $(Self::$method(_) => Deserialize::deserialize(options).map(Self::$method),)+
                }
            }
        }

        /// In files, a method is its name if it has no options, and `{NAME: OPTIONS}` otherwise.
        /// Options are written in the order of their declaration, so that a model that is read and
        /// written again has the same bytes.
        impl Serialize for Method {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.options().is_empty() {
                    return serializer.serialize_str(self.name());
                }
                let mut map = serializer.serialize_map(Some(1))?;
                match self {
                    $(Self::$method(options) => map.serialize_entry($name, options)?,)+
                }
                map.end()
            }
        }
    };
}

methods! {
    /// Selects tables round by round for a workload, and fits a Markov random field to them.
    "aim" => Aim(aim::Options),
    /// Selects tables round by round, as large as the budget allows, and fits a Markov random field
    /// to them.
    "auto" => Auto(auto::Options),
    /// Measures one table per column; columns of the model are independent of each other.
    "independent" => Independent(independent::Options),
    /// Measures a spanning tree of the pairs of columns that are most strongly related.
    "mst" => Mst(mst::Options),
    /// Selects a Bayesian network by the exponential mechanism, with pure differential privacy.
    "privbayes" => PrivBayes(privbayes::Options),
    /// Builds a Bayesian network on noisy scores of pairs, with Gaussian noise.
    "privbayes-nist" => PrivBayesNist(privbayes_nist::Options),
    /// Fits a graphical model to the tables of the network of `privbayes`.
    "pb-pgm" => PbPgm(pb_pgm::Options),
    /// Selects the tables of a Markov random field by the algorithms of the PrivMRF paper.
    "privmrf" => PrivMrf(privmrf::Options),
    /// Draws rows from the smoothed table of all columns; for few columns and a public number of
    /// rows.
    "smoothed-histogram" => SmoothedHistogram(smoothed_histogram::Options),
}

impl Method {
    /// The method that measures one table per column.
    pub const INDEPENDENT: Self = Self::Independent(independent::Options {});

    /// Returns the method with the smallest errors on the benchmark tables, of those that reach
    /// `goal`: see `docs/reproduction/auto.md`, and `docs/reproduction/privbayes.md` for a delta
    /// of 0.
    pub fn recommended(goal: ApproxDp) -> Self {
        if goal.delta == Delta::ZERO {
            Self::PbPgm(pb_pgm::Options::default())
        } else {
            Self::Auto(auto::Options::default())
        }
    }

    /// Sets options such as `theta=6`. A value is parsed as JSON if possible, and taken as text
    /// otherwise.
    ///
    /// # Errors
    /// If an option is unknown, given twice, or has an invalid value.
    pub fn with_options<'a>(self, options: impl IntoIterator<Item = &'a str>) -> Result<Self, MechanismError> {
        let mut given = Map::new();
        for option in options {
            let refused = |problem: &str| MechanismError::Option { option: option.into(), problem: problem.into() };
            let (name, text) = option.split_once('=').ok_or_else(|| refused("has no value; write NAME=VALUE"))?;
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into()));
            if given.insert(name.trim().replace('-', "_"), value).is_some() {
                return Err(refused("is given twice"));
            }
        }
        if given.is_empty() {
            return Ok(self);
        }
        let names: Vec<&str> = given.keys().map(String::as_str).collect();
        let names = names.join(", ");
        let refused = |problem: String| MechanismError::Option { option: names.clone(), problem };
        let mut options = self.options();
        if options.is_empty() {
            return Err(refused(format!("is unknown: `{self}` has none")));
        }
        // Another profile has other options, so it starts from its own defaults.
        if given.get("profile").is_some_and(|profile| options.get("profile") != Some(profile)) {
            options.clear();
        }
        options.extend(given);
        self.reading_options(Value::Object(options)).map_err(|error| refused(format!("is refused: {error}")))
    }

    /// Sets the tables that matter more than others, in place of those of the options.
    ///
    /// # Errors
    /// If the method has no workload.
    pub fn with_workload(self, workload: Workload) -> Result<Self, MechanismError> {
        match self {
            Self::Aim(options) => Ok(Self::Aim(aim::Options { workload, ..options })),
            Self::Auto(options) => Ok(Self::Auto(auto::Options { workload, ..options })),
            Self::Mst(options) => Ok(Self::Mst(mst::Options { workload, ..options })),
            other => Err(MechanismError::NoWorkload { method: other.name() }),
        }
    }

    /// Returns the tables that matter more than others; none if the method has no workload.
    pub fn workload(&self) -> &Workload {
        const NONE: &Workload = &Workload::EMPTY;
        match self {
            Self::Aim(options) => &options.workload,
            Self::Auto(options) => &options.workload,
            Self::Mst(options) => &options.workload,
            _ => NONE,
        }
    }

    /// Describes the method and its publication in one or two sentences.
    pub fn description(&self) -> &'static str {
        self.mechanism().description()
    }

    /// Runs the method in a vault without a schema: on the columns of the source, without levels
    /// and rules.
    ///
    /// # Errors
    /// If an option is invalid, or the vault refuses.
    pub fn fit_columns<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<Fitted, MechanismError> {
        let recoding = self.recoding(vault.domain())?;
        self.fit(vault, budget, &ModelTerms { recoding, rules: Vec::new() })
    }

    /// Returns whether the method asks for all its counts at once. Then rows need not be kept; for
    /// a method that asks repeatedly, the engine keeps them as codes.
    pub fn asks_once(&self) -> bool {
        self.mechanism().asks_once()
    }

    /// Returns the accounting under which the method reaches `goal`.
    pub fn accounting(&self, goal: ApproxDp) -> AccountingKind {
        self.mechanism().accounting(goal)
    }

    /// Returns whether rows of the model keep the rules of a schema.
    pub fn keeps_rules(&self) -> bool {
        self.mechanism().keeps_rules()
    }

    /// Returns the columns that a fit may ask about: those of the domain, and coarser ones where
    /// the method uses them.
    ///
    /// # Errors
    /// If an option is out of its range, or there would be too many columns.
    pub fn recoding(&self, base: &Domain) -> Result<Recoding, MechanismError> {
        self.mechanism().recoding(base, &Hierarchies::new())
    }

    /// Returns the columns that a fit of a schema may ask about, with the coarser versions that the
    /// schema declares where the method uses them.
    ///
    /// # Errors
    /// Those of [`Method::recoding`].
    pub fn recoding_of(&self, schema: &Schema) -> Result<Recoding, MechanismError> {
        self.mechanism().recoding(schema.domain(), &schema.hierarchies())
    }

    /// Recomputes the columns of a fitted model from its releases: those of
    /// [`Method::recoding_of`], or some of them, and merged columns that follow from the releases.
    ///
    /// # Errors
    /// Those of [`Method::recoding_of`], and if no fit makes such releases.
    pub fn recoding_after(
        &self,
        schema: &Schema,
        events: &[Event],
        released: &[Vec<i64>],
    ) -> Result<Recoding, MechanismError> {
        self.mechanism().recoding_after(schema, events, released)
    }

    /// Errors measured on the benchmark tables, relative to planned noise.
    pub(crate) fn measured_errors(&self) -> [ErrorRange; 5] {
        self.mechanism().measured_errors()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrOptions;
        impl<'de> Visitor<'de> for NameOrOptions {
            type Value = Method;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a method, or `{NAME: OPTIONS}`")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Method, E> {
                Method::named(name).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Method, A::Error> {
                let name = map.next_key::<String>()?.ok_or_else(|| A::Error::custom("a method has a name"))?;
                let method = Method::named(&name).map_err(A::Error::custom)?;
                let options = map.next_value::<Value>()?;
                let method = method.reading_options(options).map_err(A::Error::custom)?;
                match map.next_key::<String>()? {
                    None => Ok(method),
                    Some(_) => Err(A::Error::custom("one method has one name")),
                }
            }
        }
        deserializer.deserialize_any(NameOrOptions)
    }
}
