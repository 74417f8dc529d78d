//! The picture being drawn: elements from top to bottom.

use std::fmt::Write as _;

use crate::page;

/// The picture's width.
pub(super) const WIDTH: f64 = 760.0;
/// Space left and right of everything.
pub(super) const MARGIN: f64 = 24.0;
/// Text and axes.
pub(super) const INK: &str = "#1c2430";
/// Text that explains.
pub(super) const FAINT: &str = "#5a6475";
/// Lines behind a plot.
pub(super) const GRID: &str = "#e3e7ee";
/// Behind everything.
pub(super) const PAPER: &str = "#ffffff";
/// What these colours are where dark pages are preferred. Viewers that do not know style sheets show the light ones.
const DARK: [(&str, &str); 4] = [(INK, "#e6eaf0"), (FAINT, "#a2adbd"), (GRID, "#363e4b"), (PAPER, "#151a21")];
/// One colour for each series, told apart by readers who do not see all colours.
const PALETTE: [&str; 8] =
    ["#2f7ed8", "#e08214", "#1a9e6c", "#8a94a6", "#8e5bb5", "#c2453b", "#56b4e9", "#b59a00"];
/// About how wide a character is, for a size of one.
const CHARACTER: f64 = 0.56;

/// The colour of the series at this place.
pub(super) fn colour(place: usize) -> &'static str {
    PALETTE[place % PALETTE.len()]
}

/// About how wide a text is.
pub(super) fn width(text: &str, size: f64) -> f64 {
    page::width_of(text) as f64 * size * CHARACTER
}

/// Where a text stands.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Elements, and how far down they reach.
pub(super) struct Canvas {
    elements: String,
    y: f64,
}

impl Canvas {
    /// Nothing drawn yet.
    pub fn new() -> Canvas {
        Canvas { elements: String::new(), y: 20.0 }
    }

    /// How far down the picture reaches.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// Goes down.
    pub fn skip(&mut self, by: f64) {
        self.y += by;
    }

    /// The title of a chart, what is below it, and a legend of more than one name.
    pub fn heading(&mut self, title: &str, subtitle: &str, legend: &[(String, &str)]) {
        if !title.is_empty() {
            self.skip(18.0);
            for line in page::wrap(title, 78) {
                self.styled(MARGIN, self.y, 17.0, Anchor::Start, INK, true, &line);
                self.skip(22.0);
            }
        }
        for line in page::wrap(subtitle, 100) {
            self.text(MARGIN, self.y, 13.0, Anchor::Start, FAINT, &line);
            self.skip(18.0);
        }
        if legend.len() > 1 {
            self.legend(legend);
        }
        self.skip(6.0);
    }

    /// Squares with names, on as many lines as they need.
    fn legend(&mut self, legend: &[(String, &str)]) {
        let mut x = MARGIN;
        self.skip(4.0);
        for (name, colour) in legend {
            let wide = 18.0 + width(name, 13.0) + 22.0;
            if x > MARGIN && x + wide > WIDTH - MARGIN {
                x = MARGIN;
                self.skip(20.0);
            }
            self.rectangle(x, self.y - 10.0, 12.0, 12.0, colour);
            self.text(x + 18.0, self.y, 13.0, Anchor::Start, INK, name);
            x += wide;
        }
        self.skip(14.0);
    }

    /// A text.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, colour: &str, text: &str) {
        self.styled(x, y, size, anchor, colour, false, text);
    }

    /// A text, bold or not.
    #[expect(clippy::too_many_arguments, reason = "what a text has")]
    pub fn styled(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        colour: &str,
        bold: bool,
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if bold { " font-weight=\"600\"" } else { "" };
        let (x, y, text) = (short(x), short(y), escaped(text));
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor} fill=\"{colour}\">{text}</text>"
        ));
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, x: f64, y: f64, wide: f64, high: f64, colour: &str) {
        let [x, y, wide, high] = [x, y, wide, high].map(short);
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" rx=\"2\" fill=\"{colour}\"/>"
        ));
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let [x, y, until, down] = [from.0, from.1, to.0, to.1].map(short);
        self.element(format_args!(
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{until}\" y2=\"{down}\" stroke=\"{colour}\"/>"
        ));
    }

    /// A line through points, which are counted once where they are drawn alike.
    pub fn path(&mut self, points: impl IntoIterator<Item = (f64, f64)>, colour: &str) {
        let path = joined(points);
        self.element(format_args!(
            "<path d=\"M{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
        ));
    }

    /// What is between points, filled.
    pub fn filled(&mut self, points: impl IntoIterator<Item = (f64, f64)>, colour: &str) {
        let path = joined(points);
        self.element(format_args!("<path d=\"M{path}Z\" fill=\"{colour}\"/>"));
    }

    /// A dot that others show through.
    pub fn dot(&mut self, x: f64, y: f64, colour: &str) {
        let (x, y) = (short(x), short(y));
        self.element(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"{colour}\" fill-opacity=\"0.4\"/>"
        ));
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.elements, "{element}");
    }

    /// The whole picture.
    pub fn finish(self) -> String {
        let (width, height) = (short(WIDTH), short(self.y + 16.0));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
             {height}\" font-family=\"system-ui, sans-serif\" role=\"img\">\n{}\n<rect width=\"{width}\" \
             height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n{}</svg>\n",
            dark_style(),
            self.elements
        )
    }
}

/// A style sheet that exchanges the light colours for dark ones where these are preferred.
fn dark_style() -> String {
    let rules = DARK.iter().flat_map(|(light, dark)| {
        ["fill", "stroke"].map(|part| format!("[{part}=\"{light}\"]{{{part}:{dark}}}"))
    });
    format!("<style>@media (prefers-color-scheme:dark){{{}}}</style>", rules.collect::<String>())
}

fn joined(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut written: Vec<String> =
        points.into_iter().map(|(x, y)| format!("{} {}", short(x), short(y))).collect();
    written.dedup();
    written.join("L")
}

/// A coordinate with a decimal at most.
fn short(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{}", rounded + 0.0)
}

/// A text inside an element; control characters are no part of one.
fn escaped(text: &str) -> String {
    page::printable(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}
