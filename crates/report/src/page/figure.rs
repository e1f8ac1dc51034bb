//! Pictures within a page.

use maud::{Markup, PreEscaped, Render, html};

/// A picture with a caption.
#[derive(Debug, Clone)]
pub struct Figure {
    svg: String,
    caption: Markup,
    /// Label of the scrolled area, if the picture keeps its size.
    scrolled: Option<String>,
}

impl Figure {
    /// Creates a picture that shrinks with the screen, so its text must be readable at the width of
    /// a phone. `svg` must be trusted and have a title: it is inserted without escaping.
    pub fn new(svg: impl Into<String>, caption: impl Render) -> Self {
        Self { svg: svg.into(), caption: caption.render(), scrolled: None }
    }

    /// Creates a picture that keeps its size and is scrolled on smaller screens. `label` names the
    /// scrolled area for screen readers.
    pub fn wide(svg: impl Into<String>, label: impl Into<String>, caption: impl Render) -> Self {
        Self { scrolled: Some(label.into()), ..Self::new(svg, caption) }
    }
}

impl Render for Figure {
    fn render(&self) -> Markup {
        html! {
            figure {
                @if let Some(label) = &self.scrolled {
                    div.scroll.wide tabindex="0" role="region" aria-label=(label) { (PreEscaped(&self.svg)) }
                } @else {
                    (PreEscaped(&self.svg))
                }
                figcaption { (self.caption) }
            }
        }
    }
}

/// Renders small pictures side by side, in as many columns as fit the screen.
pub fn gallery<F: Render>(figures: impl IntoIterator<Item = F>) -> Markup {
    html! { div.gallery { @for figure in figures { (figure) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::text;

    #[test]
    fn a_wide_picture_can_be_scrolled_by_keyboard() {
        let svg = "<svg><title>t</title></svg>";
        let wide = Figure::wide(svg, "all \"columns\"", text("a & b")).render().into_string();
        assert!(wide.contains("tabindex=\"0\" role=\"region\" aria-label=\"all &quot;columns&quot;\""), "{wide}");
        assert!(wide.contains(svg) && wide.contains("<figcaption>a &amp; b</figcaption>"));
        assert!(!Figure::new(svg, text("a")).render().into_string().contains("tabindex"));
    }
}
