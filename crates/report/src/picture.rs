//! A model as a picture: a list of its columns, in which each hangs below the one that it is tied to most strongly, and beside
//! it the tables in which columns were counted together.
//!
//! A drawing of all ties between columns as lines is a knot at fifteen columns already, and crosses its own labels. Here every
//! column has a line of its own, so that labels never meet each other or a line, whatever their number and length; and a
//! table of five columns is one thing and not ten lines. The same model gives the same bytes.

mod arranged;
mod drawing;
mod lanes;
mod legend;
mod strength;
#[cfg(test)]
mod tests;
mod ties;

use scumble_mechanisms::Model;

/// Which columns a model ties together, as SVG that stands on its own.
pub fn picture(model: &Model) -> String {
    let ties = ties::Ties::of(model);
    let arranged = arranged::Arranged::new(&ties);
    drawing::drawn(&ties, &arranged)
}
