//! Picture of a model: a list of its columns, each below the one that it is tied to most strongly,
//! and beside the list the tables in which columns were counted together.
//!
//! A graph with all ties as lines is unreadable from fifteen columns on. Here every column has a
//! line of its own, so labels never overlap each other or a line, whatever their number and length,
//! and a table of five columns is one mark instead of ten lines. The same model gives the same
//! bytes.

mod arranged;
mod drawing;
mod lanes;
mod legend;
mod strength;
#[cfg(test)]
mod tests;
mod ties;

use scumble_mechanisms::Model;

/// Draws the columns that a model ties together, as a standalone SVG.
pub fn picture(model: &Model) -> String {
    let ties = ties::Ties::of(model);
    let arranged = arranged::Arranged::new(&ties);
    drawing::drawn(&ties, &arranged)
}
