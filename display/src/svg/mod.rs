//! Charts as one picture in SVG: text, a palette and a legend, without fonts or scripts of its own.

mod bars;
mod canvas;
mod plot;
mod range_bars;

use self::canvas::Canvas;
use super::Chart;

/// The charts below each other as one SVG picture, ending in a newline. The same charts give the same bytes.
pub fn svg<'a>(charts: impl IntoIterator<Item = &'a Chart>) -> String {
    let mut canvas = Canvas::new();
    for (place, chart) in charts.into_iter().enumerate() {
        if place > 0 {
            canvas.skip(28.0);
        }
        match chart {
            Chart::Bars(one) => bars::draw(one, &mut canvas),
            Chart::RangeBars(one) => range_bars::draw(one, &mut canvas),
            Chart::Histogram(title, axis, histogram) => bars::draw(&histogram.bars(title, axis), &mut canvas),
            Chart::Curves(one) => plot::curves(one, &mut canvas),
            Chart::Area(one) => plot::area(one, &mut canvas),
        }
    }
    canvas.finish()
}

#[cfg(test)]
mod tests;
