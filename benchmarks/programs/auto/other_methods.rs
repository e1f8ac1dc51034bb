//! Errors of our other methods, from the files of their figures.

use scumble_benchmarks::Result;
use scumble_benchmarks::data::published;
use scumble_benchmarks::grid::mean_and_spread;
use scumble_benchmarks::reference::DELTA;

/// Lines of other programs, with the names of their columns.
pub(crate) struct OtherMethods {
    privbayes: Lines,
    privmrf: Lines,
}

struct Lines {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl OtherMethods {
    pub(crate) fn read() -> Result<Self> {
        Ok(Self { privbayes: Lines::read("privbayes-utility.csv")?, privmrf: Lines::read("privmrf-utility.csv")? })
    }

    /// Names of those that were run at a point, at the same delta, and their errors in tables of
    /// `order` columns.
    pub(crate) fn errors(&self, table: &str, epsilon: f64, order: usize) -> Result<Vec<(String, f64)>> {
        let (epsilon, delta, of_order) = (epsilon.to_string(), DELTA.to_string(), order.to_string());
        let point = [("table", table), ("epsilon", &epsilon), ("delta", &delta)];
        let mut errors = Vec::new();
        for method in ["independent", "privbayes-nist", "pb-pgm"] {
            let wanted = [&point[..], &[("method", method), ("order", &of_order)]].concat();
            errors.extend(self.privbayes.mean(&wanted, "mean_tvd")?.map(|error| (method.into(), error)));
        }
        let paper = self.privmrf.mean(&[&point[..], &[("profile", "paper")]].concat(), &format!("tvd{order}"))?;
        errors.extend(paper.map(|error| ("privmrf, paper".into(), error)));
        Ok(errors)
    }
}

impl Lines {
    fn read(name: &str) -> Result<Self> {
        let mut reader = csv::Reader::from_path(published().join(name))?;
        let header = reader.headers()?.iter().map(Into::into).collect();
        let rows = reader.records().map(|record| Ok(record?.iter().map(Into::into).collect()));
        Ok(Self { header, rows: rows.collect::<Result<_>>()? })
    }

    /// The mean of a column over all lines with these values, if there are any.
    fn mean(&self, wanted: &[(&str, &str)], column: &str) -> Result<Option<f64>> {
        let place =
            |name: &str| self.header.iter().position(|column| column == name).ok_or(format!("no column {name}"));
        let wanted = wanted.iter().map(|(name, value)| Ok((place(name)?, *value))).collect::<Result<Vec<_>>>()?;
        let column = place(column)?;
        let lines = self.rows.iter().filter(|row| wanted.iter().all(|(place, value)| row[*place] == *value));
        let values: Vec<f64> = lines.map(|row| row[column].parse()).collect::<Result<_, _>>()?;
        Ok(if values.is_empty() { None } else { Some(mean_and_spread(&values).0) })
    }
}
