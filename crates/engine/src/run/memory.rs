//! Limits the memory of a table.

use std::fmt;
use std::fs;
use std::str::FromStr;

/// The limit if the system does not report its memory.
const UNKNOWN_SYSTEM: u64 = 4 << 30;
/// Smallest limit: less does not hold even the buffers of a scan.
const MIN_BYTES: u64 = 64 << 20;

/// Maximum number of bytes that the rows and counts of one table may use in memory.
///
/// Half of it is for the coded table, the other half for counting and sorting. Anything beyond goes
/// to private files. The buffers of the scan are not included: tens of megabytes per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryLimit(u64);

impl MemoryLimit {
    /// Creates a limit of `bytes`, or of 64 MiB if that is more.
    pub fn of_bytes(bytes: u64) -> Self {
        Self(bytes.max(MIN_BYTES))
    }

    /// Half of the memory of this machine, or of the container.
    pub fn of_this_machine() -> Self {
        let physical = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
        let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
        let memory = [physical, container].into_iter().flatten().min();
        Self::of_bytes(memory.map_or(UNKNOWN_SYSTEM, |bytes| bytes / 2))
    }

    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Half of the limit, as a `usize`.
    pub(crate) fn half(self) -> usize {
        usize::try_from(self.0 / 2).unwrap_or(usize::MAX)
    }
}

fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Parses `1GiB`, `512 MiB`, `2G` (equal to `2GiB`), `1.5GB` (powers of ten) or a plain number of
/// bytes.
impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || format!("`{text}` is not a size; write for example 4GiB or 512MiB");
        let text = text.trim();
        let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit: f64 = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1024.0 * 1024.0,
            "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
            "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            _ => return Err(problem()),
        };
        let number: f64 = number.parse().map_err(|_| problem())?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no digits make a negative number")]
        let bytes = (number * unit) as u64;
        if bytes < MIN_BYTES {
            return Err("the least memory limit is 64MiB".into());
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}MiB", self.0 >> 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_notations_of_sizes_are_parsed() {
        let bytes = |text: &str| text.parse::<MemoryLimit>().map(MemoryLimit::bytes);
        assert_eq!(bytes("1GiB"), Ok(1 << 30));
        assert_eq!(bytes(" 512 mib "), Ok(512 << 20));
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!(bytes("104857600"), Ok(100 << 20));
        for wrong in ["", "GiB", "-1GiB", "1 giraffe", "1e9", "1MiB", "..5G", "0"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn total_memory_is_read_from_meminfo() {
        assert_eq!(total_memory("MemTotal:       24689764 kB\nMemFree: 1 kB\n"), Some(24_689_764 << 10));
        assert_eq!(total_memory("nothing of the kind"), None);
        assert!(MemoryLimit::of_this_machine().bytes() >= MIN_BYTES);
    }
}
