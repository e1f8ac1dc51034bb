//! Tests of the picture, with made-up ties.

use std::collections::BTreeMap;

use super::arranged::Arranged;
use super::drawing::drawn;
use super::ties::{Group, Member, Role, Ties};

/// Returns ties between named columns: the groups, and a strength for every two columns in one.
fn ties(names: Vec<String>, groups: &[&[usize]]) -> Ties {
    let member = |&column: &usize| Member { column, role: Role::Beside, whole: true };
    let mut strengths = BTreeMap::new();
    for (place, group) in groups.iter().enumerate() {
        for (index, &one) in group.iter().enumerate() {
            for &other in &group[..index] {
                let strength = 0.5 / f64::from(u32::try_from(place).unwrap() + 1);
                let held = strengths.entry((one.min(other), one.max(other))).or_insert(strength);
                *held = strength.max(*held);
            }
        }
    }
    let groups = groups.iter().map(|group| Group(group.iter().map(member).collect())).collect();
    Ties { names, groups, strengths, directed: false, parities: false }
}

fn named(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("column {column}")).collect()
}

fn columns_of(arranged: &Arranged) -> Vec<(usize, usize)> {
    arranged.lines.iter().map(|line| (line.column, line.depth)).collect()
}

#[test]
fn columns_are_below_those_they_are_tied_to_most() {
    // 0 is tied to 1 most, then 1 to 2, then 0 to 3, then 2 to 3; 4 is alone.
    let ties = ties(named(5), &[&[0, 1], &[1, 2], &[0, 3], &[2, 3]]);
    let arranged = Arranged::new(&ties);
    assert_eq!(columns_of(&arranged), [(1, 0), (2, 1), (0, 1), (3, 2)]);
    assert_eq!(arranged.alone, [4]);
    // The tie that is in no branch is a table beside.
    let strips: Vec<Vec<usize>> =
        arranged.lanes.iter().flatten().map(|strip| strip.marks.iter().map(|mark| mark.1.column).collect()).collect();
    assert_eq!(strips, [[2, 3]]);
}

#[test]
fn overlapping_tables_have_lanes_of_their_own_and_contained_ones_are_left_out() {
    let ties = ties(named(6), &[&[0, 1, 2], &[0, 2], &[3, 4, 5], &[0, 5], &[1, 4]]);
    let arranged = Arranged::new(&ties);
    assert_eq!(arranged.lines.len(), 6);
    let shown: usize = arranged.lanes.iter().map(Vec::len).sum();
    assert_eq!(shown, 3, "both tables of three, and the pair in no branch: {:?}", arranged.lanes);
    for lane in &arranged.lanes {
        for (place, strip) in lane.iter().enumerate() {
            for other in &lane[..place] {
                assert!(strip.top() > other.bottom() || strip.bottom() < other.top());
            }
        }
    }
    assert_eq!(arranged.lanes[0].len(), 2, "those that do not meet share a lane");
}

#[test]
fn a_drawn_column_is_below_one_drawn_before() {
    let mut ties = ties(named(4), &[&[0, 1], &[0, 1, 2], &[0, 2, 3]]);
    ties.directed = true;
    ties.strengths.insert((2, 3), 0.4);
    for (group, child) in [(1, 2), (2, 3)] {
        for member in &mut ties.groups[group].0 {
            member.role = if member.column == child { Role::Drawn } else { Role::Given };
        }
    }
    let arranged = Arranged::new(&ties);
    assert_eq!(columns_of(&arranged), [(0, 0), (1, 1), (2, 1), (3, 2)]);
    let drawn: Vec<bool> = arranged.lines.iter().filter_map(|line| line.hangs).map(|hangs| hangs.drawn).collect();
    assert_eq!(drawn, [false, true, true], "the first two are drawn together");
}

/// The numbers of the attributes of every element of this name, in order.
fn elements(svg: &str, element: &str, attributes: [&str; 4]) -> Vec<[f64; 4]> {
    let number = |text: &str, attribute: &str| -> Option<f64> {
        let (_, after) = text.split_once(&format!(" {attribute}=\""))?;
        after.split_once('"')?.0.parse().ok()
    };
    let opened = svg.split('<').filter(|text| text.starts_with(&format!("{element} ")));
    opened
        .filter_map(|text| {
            let found: Vec<f64> = attributes.iter().filter_map(|attribute| number(text, attribute)).collect();
            found.try_into().ok()
        })
        .collect()
}

#[test]
fn labels_never_overlap_each_other_or_a_table() {
    for (columns, length) in [(1, 5), (15, 9), (60, 12), (60, 40), (200, 70)] {
        let names: Vec<String> = (0..columns).map(|column| format!("{column:W>length$}")).collect();
        let mut groups: Vec<Vec<usize>> = (1..columns).map(|column| vec![column / 3, column]).collect();
        groups.extend((4..columns).map(|column| vec![column / 2 - 1, column / 2, column]));
        let groups: Vec<&[usize]> = groups.iter().map(Vec::as_slice).collect();
        for groups in [&groups[..], &[]] {
            let ties = ties(names.clone(), groups);
            let arranged = Arranged::new(&ties);
            let svg = drawn(&ties, &arranged);
            assert_eq!(svg, drawn(&ties, &Arranged::new(&ties)));
            let boxes = elements(&svg, "rect", ["x", "y", "width", "height"]);
            assert_eq!(boxes.len(), columns);
            for (place, [x, y, width, height]) in boxes.iter().enumerate() {
                for [other_x, other_y, other_width, other_height] in &boxes[..place] {
                    let beside = x + width <= *other_x || other_x + other_width <= *x;
                    let below = y + height <= *other_y || other_y + other_height <= *y;
                    assert!(beside || below, "two labels meet");
                }
            }
            let right = boxes.iter().map(|[x, _, width, _]| x + width).fold(0.0, f64::max);
            let [[width, ..]] = elements(&svg, "svg", ["width", "height", "width", "height"])[..] else {
                panic!("{svg}")
            };
            assert!(right < width, "a label stands out of the picture");
            if !groups.is_empty() && arranged.alone.is_empty() {
                let circles = elements(&svg, "circle", ["cx", "cy", "r", "r"]);
                // Those of the legend stand below, in places of their own.
                let dots = arranged.lanes.iter().flatten().map(|strip| strip.marks.len()).sum::<usize>();
                assert!(circles[..dots].iter().all(|[x, ..]| *x > right), "a table crosses a label");
            }
        }
    }
}

#[test]
fn names_are_no_markup() {
    let names = vec!["<b>".to_owned(), "a & b".to_owned(), "\"quoted\"".to_owned()];
    let svg = drawn(&ties(names.clone(), &[&[0, 1]]), &Arranged::new(&ties(names, &[&[0, 1]])));
    assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;") && svg.contains("a &amp; b"), "{svg}");
    assert!(svg.contains("<title>The model: 3 columns, one table of two or more of them</title>"), "{svg}");
    assert!(svg.contains("a &amp; b is tied to &lt;b&gt; (0.50); tied to no other column: \"quoted\"."), "{svg}");
}

#[test]
fn weak_tables_beside_many_columns_are_folded_and_counted() {
    // A chain, and a table of every column with the one after the next. Tables that come later are
    // tied more weakly.
    let with = |columns: usize| {
        let mut groups: Vec<Vec<usize>> = (1..columns).map(|column| vec![column - 1, column]).collect();
        groups.extend((2..columns).map(|column| vec![column - 2, column]));
        let groups: Vec<&[usize]> = groups.iter().map(Vec::as_slice).collect();
        let mut ties = ties(named(columns), &groups);
        for column in 2..columns {
            let strength = if column % 2 == 0 { 0.2 } else { 0.031 };
            ties.strengths.insert((column - 2, column), strength);
        }
        for column in 1..columns {
            ties.strengths.insert((column - 1, column), 0.5);
        }
        ties
    };
    let few = with(30);
    let arranged = Arranged::new(&few);
    assert_eq!((arranged.folded, arranged.lanes.iter().map(Vec::len).sum::<usize>()), (None, 28));
    assert!(!drawn(&few, &arranged).contains("folded"));

    let many = with(50);
    let arranged = Arranged::new(&many);
    let shown: usize = arranged.lanes.iter().map(Vec::len).sum();
    let folded = arranged.folded.expect("weak tables are folded");
    assert_eq!((shown, folded.tables), (24, 24), "the strong half is shown");
    let svg = drawn(&many, &arranged);
    assert!(
        svg.contains(">24 more tables are folded, with ties of 0.04 or less; `scumble inspect` lists tables.</text>"),
        "{svg}"
    );
    assert!(svg.contains("24 more tables are folded"), "the description for screen readers has it too");
}
