//! The address of a table that a driver reaches: `adbc:DRIVER?table=NAME&OPTION=VALUE`.

use crate::error::EngineError;
use crate::source::identifier::TableName;
use crate::source::input::DRIVERS;
use crate::source::path_columns::decode;

/// The address of a table, with the options that its driver is opened with.
///
/// It is shown without the options, which may hold a password.
#[derive(Clone)]
pub(crate) struct Address {
    /// The name of a driver, or the path of its library.
    pub(super) driver: String,
    pub(super) entry_point: Option<String>,
    table: TableName,
    pub(super) options: Vec<(String, String)>,
    shown: String,
}

impl Address {
    /// Parses an address. The error quotes nothing of it, because any part of a wrong address may
    /// be a password.
    pub(crate) fn parse(url: &str) -> Result<Self, EngineError> {
        Self::parts(url).ok_or_else(|| {
            EngineError::config(
                "the address of a table of a database driver cannot be read",
                "write it like `adbc:duckdb?path=people.duckdb&table=people`; within values `%26` stands for `&` and \
                 `%25` for `%`",
            )
        })
    }

    fn parts(url: &str) -> Option<Self> {
        let (driver, parameters) = url.strip_prefix(DRIVERS)?.split_once('?')?;
        let decoded = |text: &str| String::from_utf8(decode(text)).ok().filter(|text| !text.contains('\0'));
        let driver = decoded(driver).filter(|driver| !driver.is_empty())?;
        let (mut table, mut entry_point, mut options) = (None, None, vec![]);
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=')?;
            let value = decoded(value)?;
            match name {
                "table" if table.is_none() => table = Some(TableName::parse(&value)?),
                "entrypoint" if entry_point.is_none() => entry_point = Some(value),
                "table" | "entrypoint" => return None,
                _ => options.push((decoded(name)?, value)),
            }
        }
        let table = table?;
        let shown = format!("{DRIVERS}{driver}?table={table}");
        Some(Self { driver, entry_point, table, options, shown })
    }

    /// The address without the driver's options, for messages.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// The table, in quotes.
    pub(crate) fn from(&self) -> String {
        self.table.quoted()
    }

    /// Whether an option is given.
    pub(super) fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Address").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_options() {
        let address =
            Address::parse("adbc:/opt/lib%20duck.so?entrypoint=init&path=a%26b.db&password=SECRET&table=main.\"My T\"")
                .unwrap();
        assert_eq!((address.driver.as_str(), address.entry_point.as_deref()), ("/opt/lib duck.so", Some("init")));
        assert_eq!(address.options[0], ("path".into(), "a&b.db".into()));
        assert_eq!(address.from(), "\"main\".\"My T\"");
        assert_eq!(address.shown(), "adbc:/opt/lib duck.so?table=main.\"My T\"");
        assert!(!format!("{address:?}").contains("SECRET") && address.has_option("password"));
    }

    #[test]
    fn wrong_addresses_are_not_quoted() {
        for url in ["adbc:", "adbc:duckdb", "adbc:?table=t", "adbc:d?path=x", "adbc:d?table", "adbc:d?table=t&table=u"]
        {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(!error.contains(url), "{error}");
        }
    }
}
