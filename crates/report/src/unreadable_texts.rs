//! Columns with many texts that were not read, from the released classes of their texts.

use std::fmt;

use scumble_mechanisms::{Model, Origin};
use scumble_schema::learn::Class;
use scumble_vault::account::Question;

/// Least share of the texts of a column that is worth a warning.
const MANY: f64 = 0.02;
/// Number of standard deviations by which a count is above zero beyond doubt.
const SURE: f64 = 4.0;

/// A column with many texts that are not UTF-8, or too long to be categories.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadableTexts {
    /// The name of the column.
    pub column: String,
    /// Share of such texts.
    pub share: f64,
}

impl fmt::Display for UnreadableTexts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "about {:.0} % of the texts of column `{}` are not UTF-8, or longer than 100 bytes, and count as others. If the file has \
             another encoding, name it with `--encoding`",
            100.0 * self.share,
            self.column
        )
    }
}

/// Returns the learned columns with many texts that were not read.
///
/// # Privacy
/// Post-processing of released counts.
pub fn unreadable_texts(model: &Model) -> Vec<UnreadableTexts> {
    let Origin::Measured { released, certificate, .. } = model.origin() else { return Vec::new() };
    let place = Class::Long.code() as usize;
    let columns = certificate.events().iter().zip(released).filter_map(|(event, counts)| {
        let Question::Grid { column, grid } = event.question() else { return None };
        let unread = *counts.get(place).filter(|_| grid == "classes")? as f64;
        let all = counts.iter().sum::<i64>() as f64;
        let is_sure = unread > SURE * event.mechanism().standard_deviation()?;
        (is_sure && unread > MANY * all)
            .then(|| UnreadableTexts { column: column.clone(), share: (unread / all).min(1.0) })
    });
    columns.collect()
}
