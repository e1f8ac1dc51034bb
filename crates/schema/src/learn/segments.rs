//! Where rows are on a grid, from noisy counts of its cells.

use std::ops::Range;

use super::SURE;

/// Penalty of a segment, in variances of the noise, for each unit of the logarithm of the number of
/// cells. In simulations, none of 150 grids of 2,338 cells of noise alone had a segment that seemed
/// to hold rows, and rows that stand out by eight deviations were found in 39 of 40.
const PENALTY: f64 = 3.0;
/// Number of standard deviations by which cells must be above zero to be taken for those that hold
/// rows, if no segment does beyond doubt.
const LIKELY: f64 = 2.0;

/// Share of the rows that may be in no populated cell.
const UNSEEN: f64 = 0.01;
/// Longest tail that is looked at in one step, in cells, and the number of standard deviations by
/// which it is above zero: less than elsewhere, because it can be in one place only.
const MAX_TAIL: usize = 32;
const SURE_BESIDE: f64 = 3.0;

/// Returns the cells from the first to the last that rows are in beyond doubt, and their counts,
/// which are the means of segments. If there are none, those that stand out most; `None` if none
/// does.
pub(super) fn populated(counts: &[f64], noise: f64, rows: Option<f64>) -> Option<(Range<usize>, Vec<f64>)> {
    let mut smooth = vec![0.0; counts.len()];
    let mut rows_in: Option<Range<usize>> = None;
    for segment in segments(counts, PENALTY * (counts.len() as f64).ln() * noise.powi(2)) {
        let length = segment.len() as f64;
        let mean = counts[segment.clone()].iter().sum::<f64>() / length;
        if mean * length.sqrt() > SURE * noise {
            smooth[segment.clone()].fill(mean);
            rows_in = Some(rows_in.map_or(segment.start, |rows| rows.start)..segment.end);
        }
    }
    if rows_in.is_none() {
        let likely = likeliest(counts).filter(|(_, evidence)| *evidence > LIKELY * noise)?.0;
        let mean = counts[likely.clone()].iter().sum::<f64>() / likely.len() as f64;
        smooth[likely.clone()].fill(mean);
        rows_in = Some(likely);
    }
    let Range { mut start, mut end } = rows_in?;
    // Rows that are known to be somewhere else are looked for with less caution.
    let is_unseen = |smooth: &[f64], cells: usize| {
        let unseen = rows.map_or(0.0, |rows| (1.0 - UNSEEN) * rows - smooth.iter().sum::<f64>());
        unseen > SURE * noise * (1.0 + cells as f64).sqrt()
    };
    while is_unseen(&smooth, end - start) {
        let below = likeliest(&counts[..start]);
        let above = likeliest(&counts[end..]).map(|(cells, evidence)| (cells.start + end..cells.end + end, evidence));
        let most = below.into_iter().chain(above).max_by(|left, right| left.1.total_cmp(&right.1));
        let Some((cells, _)) = most.filter(|(_, evidence)| *evidence > SURE * noise) else { break };
        let mean = counts[cells.clone()].iter().sum::<f64>() / cells.len() as f64;
        (start, end) = (start.min(cells.start), end.max(cells.end));
        smooth[cells].fill(mean);
    }
    while let Some((length, mean)) = tail(counts[end..].iter(), noise) {
        smooth[end..end + length].fill(mean);
        end += length;
    }
    while let Some((length, mean)) = tail(counts[..start].iter().rev(), noise) {
        smooth[start - length..start].fill(mean);
        start -= length;
    }
    Some((start..end, smooth[start..end].to_vec()))
}

/// Returns the cells that stand out most, and by how much. A guess, but better than any that does
/// not look at the counts.
fn likeliest(counts: &[f64]) -> Option<(Range<usize>, f64)> {
    let mut best: Option<(Range<usize>, f64)> = None;
    for start in 0..counts.len() {
        let mut sum = 0.0;
        for (length, count) in (1_u32..).zip(&counts[start..]) {
            sum += count;
            let evidence = sum / f64::from(length).sqrt();
            if best.as_ref().is_none_or(|(_, most)| evidence > *most) {
                best = Some((start..start + length as usize, evidence));
            }
        }
    }
    best
}

/// Returns how many cells beyond the populated ones hold rows, and how many each: the number of
/// cells that stands out most, if it does. The few rows in a long tail are less than any segment
/// needs.
fn tail<'a>(beyond: impl Iterator<Item = &'a f64>, noise: f64) -> Option<(usize, f64)> {
    let sums = beyond.take(MAX_TAIL).scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    let means = (1..).zip(sums).map(|(length, sum)| (length, sum / length as f64));
    let evidence = |(length, mean): &(usize, f64)| mean * (*length as f64).sqrt();
    let most = means.max_by(|left, right| evidence(left).total_cmp(&evidence(right)))?;
    (evidence(&most) > SURE_BESIDE * noise).then_some(most)
}

/// Divides numbers into segments of about equal ones: the division with the least sum of squared
/// distances from the means, plus a penalty for each segment.
fn segments(numbers: &[f64], penalty: f64) -> Vec<Range<usize>> {
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for number in numbers {
        sums.push(sums.last().unwrap_or(&0.0) + number);
        squares.push(squares.last().unwrap_or(&0.0) + number * number);
    }
    let cost = |from: usize, to: usize| {
        let sum: f64 = sums[to] - sums[from];
        squares[to] - squares[from] - sum * sum / (to - from) as f64
    };
    let mut best = vec![0.0; numbers.len() + 1];
    let mut starts = vec![0; numbers.len() + 1];
    // Starts that can still be part of the best division: those that are worse by more than the
    // penalty now stay so.
    let mut candidates: Vec<usize> = Vec::new();
    for to in 1..=numbers.len() {
        candidates.push(to - 1);
        let costs: Vec<f64> = candidates.iter().map(|&from| best[from] + cost(from, to)).collect();
        let (place, least) =
            costs.iter().enumerate().min_by(|left, right| left.1.total_cmp(right.1)).expect("at least the last start");
        (best[to], starts[to]) = (least + penalty, candidates[place]);
        let kept = candidates.iter().zip(&costs).filter(|(_, cost)| **cost <= best[to]).map(|(from, _)| *from);
        candidates = kept.collect();
    }
    let mut segments = Vec::new();
    let mut to = numbers.len();
    while to > 0 {
        segments.push(starts[to]..to);
        to = starts[to];
    }
    segments.reverse();
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_steps_and_not_noise() {
        let numbers: Vec<f64> =
            (0..300).map(|place| if (100..150).contains(&place) { 10.0 } else { f64::from(place % 2) }).collect();
        assert_eq!(segments(&numbers, 20.0), [0..100, 100..150, 150..300]);
        assert_eq!(segments(&[], 1.0), Vec::<Range<usize>>::new());
        assert_eq!(segments(&[5.0, 5.0], 1.0), vec![0..2; 1]);
    }

    #[test]
    fn a_thin_spread_and_its_tail_are_found() {
        let noise = |cell: u32| 3.4 * (f64::from(cell.wrapping_mul(2_654_435_761) >> 8) / f64::from(1_u32 << 24) - 0.5);
        let counts = |rows: &dyn Fn(u32) -> f64| (0..2_000).map(|cell| noise(cell) + rows(cell)).collect::<Vec<f64>>();
        // No cell stands out of the noise by itself.
        let thin = counts(&|cell| if (500..900).contains(&cell) { 1.5 } else { 0.0 });
        let (range, smooth) = populated(&thin, 1.0, None).unwrap();
        assert!((480..520).contains(&range.start) && (880..940).contains(&range.end), "{range:?}");
        assert!(smooth.iter().all(|&count| (0.0..2.5).contains(&count)));
        let tailed = counts(&|cell| match cell {
            500..600 => 20.0,
            600..620 => 1.2,
            _ => 0.0,
        });
        let (range, _) = populated(&tailed, 1.0, None).unwrap();
        assert!(range.start == 500 && (608..640).contains(&range.end), "{range:?}");
        // Rows that are not beyond doubt are where most of them are.
        let (range, _) =
            populated(&counts(&|cell| if (700..716).contains(&cell) { 1.2 } else { 0.0 }), 1.0, None).unwrap();
        assert!(range.start > 600 && range.end < 800, "{range:?}");
        assert_eq!(populated(&[0.0; 100], 1.0, None), None);
        // Losses of few people, far from the zeros of all others.
        let losses = counts(&|cell| match cell {
            1_000 => 900.0,
            1_170..1_215 => 0.8,
            _ => 0.0,
        });
        assert_eq!(populated(&losses, 1.0, None).unwrap().0, 1_000..1_001);
        let (range, _) = populated(&losses, 1.0, Some(936.0)).unwrap();
        assert!(range.start == 1_000 && (1_205..1_260).contains(&range.end), "{range:?}");
    }
}
