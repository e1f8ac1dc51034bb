//! Line charts as SVG, in a grid of panels.

use std::fmt::Write as _;

/// The size of one panel with its labels, and of the plot in it.
const PANEL: (f64, f64) = (300.0, 268.0);
const PLOT: (f64, f64) = (232.0, 168.0);
/// Where the plot is in its panel.
const OFFSET: (f64, f64) = (52.0, 50.0);
/// What is left on the right, for the last label.
const MARGIN: f64 = 12.0;
/// What is above the panels: the title and the legend.
const HEAD: f64 = 92.0;

/// How a line looks. Colours are those of Okabe and Ito, which colour-blind people can distinguish;
/// marks differ too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) label: &'static str,
    colour: &'static str,
    mark: Mark,
}

#[derive(Debug, Clone, Copy)]
enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    /// No mark and a dashed line.
    Dashes,
}

/// One per pair, and the last for false rejections.
pub(crate) const STYLES: [Style; 5] = [
    Style { label: "X1 and X2", colour: "#0072B2", mark: Mark::Circle },
    Style { label: "X1 and X3", colour: "#D55E00", mark: Mark::Square },
    Style { label: "X1 and X4", colour: "#009E73", mark: Mark::Triangle },
    Style { label: "X1 and X5", colour: "#AA4499", mark: Mark::Diamond },
    Style { label: "independent attributes (false rejections)", colour: "#000000", mark: Mark::Dashes },
];

/// One plot of rates between 0 and 1.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// What kind of noise it is.
    pub(crate) note: &'static str,
    pub(crate) is_private: bool,
    pub(crate) x_label: &'static str,
    /// Where the axis begins and ends, and where it has labels.
    pub(crate) x_range: (f64, f64),
    pub(crate) x_ticks: Vec<(f64, String)>,
    /// One line per style.
    pub(crate) lines: [Vec<(f64, f64)>; STYLES.len()],
}

/// A whole figure.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

impl Chart {
    pub(crate) fn to_svg(&self) -> String {
        let width = PANEL.0 * self.columns as f64 + MARGIN;
        let height = HEAD + PANEL.1 * self.panels.len().div_ceil(self.columns) as f64;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-labelledby=\"title description\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"13\">\n<title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
            self.title, self.description
        );
        text(&mut svg, (16.0, 30.0), "start", "font-size=\"19\" font-weight=\"bold\"", self.title);
        legend(&mut svg);
        for (index, panel) in self.panels.iter().enumerate() {
            let left = PANEL.0 * (index % self.columns) as f64 + OFFSET.0;
            let top = HEAD + PANEL.1 * (index / self.columns) as f64 + OFFSET.1;
            panel.draw(&mut svg, (left, top));
        }
        svg + "</svg>\n"
    }
}

impl Panel {
    fn draw(&self, svg: &mut String, (left, top): (f64, f64)) {
        let (right, bottom) = (left + PLOT.0, top + PLOT.1);
        let x = |value: f64| left + PLOT.0 * (value - self.x_range.0) / (self.x_range.1 - self.x_range.0);
        let y = |rate: f64| bottom - PLOT.1 * rate;
        text(svg, (left, top - 28.0), "start", "font-size=\"14\" font-weight=\"bold\"", &self.title);
        let colour = if self.is_private { "fill=\"#333333\"" } else { "fill=\"#a00000\" font-weight=\"bold\"" };
        text(svg, (left, top - 10.0), "start", colour, self.note);
        for rate in [0.0, 0.25, 0.5, 0.75, 1.0] {
            line(svg, (left, y(rate)), (right, y(rate)), "stroke=\"#dddddd\"");
            text(svg, (left - 6.0, y(rate) + 4.0), "end", "fill=\"#333333\"", &rate.to_string());
        }
        for (value, label) in &self.x_ticks {
            line(svg, (x(*value), bottom), (x(*value), bottom + 4.0), "stroke=\"#333333\"");
            text(svg, (x(*value), bottom + 18.0), "middle", "fill=\"#333333\"", label);
        }
        // The level of the test.
        line(svg, (left, y(0.05)), (right, y(0.05)), "stroke=\"#888888\" stroke-dasharray=\"1 3\"");
        line(svg, (left, bottom), (right, bottom), "stroke=\"#333333\"");
        line(svg, (left, top), (left, bottom), "stroke=\"#333333\"");
        text(svg, (f64::midpoint(left, right), bottom + 36.0), "middle", "fill=\"#333333\"", self.x_label);
        // Later lines hide earlier ones: the first pair, which is read most, comes last.
        for (style, points) in STYLES.iter().zip(&self.lines).rev() {
            let points: Vec<(f64, f64)> = points.iter().map(|&(value, rate)| (x(value), y(rate))).collect();
            style.draw(svg, &points);
        }
    }
}

impl Style {
    fn draw(&self, svg: &mut String, points: &[(f64, f64)]) {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = if matches!(self.mark, Mark::Dashes) { " stroke-dasharray=\"6 4\"" } else { "" };
        let (path, colour) = (path.join(" "), self.colour);
        put(
            svg,
            &format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"),
        );
        for &(x, y) in points {
            let shape = match self.mark {
                Mark::Circle => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"),
                Mark::Square => {
                    let (x, y) = (x - 3.2, y - 3.2);
                    format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"6.4\" height=\"6.4\" fill=\"{colour}\"/>")
                }
                Mark::Triangle => polygon(colour, [(x, y - 4.4), (x + 4.2, y + 3.2), (x - 4.2, y + 3.2)]),
                Mark::Diamond => polygon(colour, [(x, y - 4.6), (x + 4.6, y), (x, y + 4.6), (x - 4.6, y)]),
                Mark::Dashes => continue,
            };
            put(svg, &shape);
        }
    }
}

fn legend(svg: &mut String) {
    let mut left = 16.0;
    for style in STYLES {
        style.draw(svg, &[(left, 58.0), (left + 32.0, 58.0)]);
        text(svg, (left + 40.0, 62.5), "start", "", style.label);
        left += 140.0;
    }
    text(
        svg,
        (16.0, 84.0),
        "start",
        "fill=\"#333333\"",
        "Vertical: share of tests that reject independence. Dotted: 0.05.",
    );
}

fn polygon<const CORNERS: usize>(colour: &str, corners: [(f64, f64); CORNERS]) -> String {
    let corners = corners.map(|(x, y)| format!("{x:.1},{y:.1}")).join(" ");
    format!("<polygon points=\"{corners}\" fill=\"{colour}\"/>")
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), look: &str) {
    put(
        svg,
        &format!("<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {look}/>", from.0, from.1, to.0, to.1),
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, look: &str, content: &str) {
    put(svg, &format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" {look}>{content}</text>", at.0, at.1));
}

fn put(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("text can be appended to");
}
