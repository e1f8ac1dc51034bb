//! Counting tables that do not fit the cache.
//!
//! An increment somewhere in hundreds of megabytes waits for memory. So rows are first partitioned
//! into buckets by the first number of their [split](Split) cell, and only the second number is
//! kept. Then each bucket is counted in a table that fits the cache.

use super::split::Split;
use crate::table::Columns;

/// Second numbers of all rows of a table, bucket by bucket.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    numbers: Vec<u16>,
    /// End of each bucket.
    ends: Vec<u32>,
}

impl Buckets {
    /// Partitions the rows of a table.
    pub(super) fn fill(&mut self, split: &Split, table: &Columns) {
        self.ends.clear();
        self.ends.resize(split.high_cells(), 0);
        split.for_each_block(table, |high, _| high.iter().for_each(|&bucket| self.ends[usize::from(bucket)] += 1));
        // Start of each bucket. It moves to the end of the bucket as rows are added.
        let mut rows = 0;
        for end in &mut self.ends {
            rows += std::mem::replace(end, rows);
        }
        self.numbers.resize(table.rows() as usize, 0);
        split.for_each_block(table, |high, low| {
            for (&bucket, &number) in high.iter().zip(low) {
                let place = &mut self.ends[usize::from(bucket)];
                self.numbers[*place as usize] = number;
                *place += 1;
            }
        });
    }

    /// Returns the numbers in a bucket.
    pub(super) fn get(&self, bucket: usize) -> &[u16] {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start as usize..self.ends[bucket] as usize]
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::{Clique, Domain};

    use super::*;

    #[test]
    fn every_row_is_in_the_bucket_of_its_first_number() {
        let domain = Domain::new(vec![1000, 300]).unwrap();
        let codes = |size: u32| (0..9000).map(|row| row * 7 % size).collect();
        let table = Columns::new(domain.clone(), vec![codes(1000), codes(300)]).unwrap();
        let split = Split::of(&domain, &Clique::new(domain.attributes())).unwrap();
        let mut due = vec![Vec::new(); split.high_cells()];
        split.for_each_block(&table, |high, low| {
            high.iter().zip(low).for_each(|(&bucket, &number)| due[usize::from(bucket)].push(number));
        });
        let mut buckets = Buckets::default();
        for _ in 0..2 {
            buckets.fill(&split, &table);
            for (bucket, due) in due.iter().enumerate() {
                assert_eq!(buckets.get(bucket), due);
            }
        }
        buckets.fill(&split, &table.pick(&[]));
        assert!((0..split.high_cells()).all(|bucket| buckets.get(bucket).is_empty()));
    }
}
