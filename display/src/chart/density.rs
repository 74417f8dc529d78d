//! Dots by the thousand: how many points stand in each character of a plot, told by a few shades.

use crate::Page;

/// From how many points on a shade is used.
const FROM: [usize; 4] = [1, 3, 10, 30];
const SHADES: [char; 4] = ['·', '░', '▒', '▓'];
const ASCII_SHADES: [char; 4] = ['.', ':', '=', '%'];

/// Points counted by the characters they stand in.
pub(super) struct DotDensity {
    columns: usize,
    counts: Vec<usize>,
}

impl DotDensity {
    /// No points on a plot of this size.
    pub fn new(columns: usize, rows: usize) -> DotDensity {
        DotDensity { columns, counts: vec![0; columns * rows] }
    }

    /// Counts a point.
    pub fn add(&mut self, column: usize, row: usize) {
        self.counts[row * self.columns + column] += 1;
    }

    /// The plot's lines.
    pub fn lines(&self, page: &Page) -> Vec<Vec<char>> {
        let shades = page.pick(SHADES, ASCII_SHADES);
        let drawn = |&count: &usize| shade(count).map_or(' ', |place| shades[place]);
        self.counts.chunks(self.columns).map(|line| line.iter().map(drawn).collect()).collect()
    }

    /// What the darker shades stand for, of those that occur; `None` where each character has a point or two.
    pub fn key(&self, page: &Page) -> Option<String> {
        let darkest = self.counts.iter().filter_map(|&count| shade(count)).max().unwrap_or(0);
        let shades = page.pick(SHADES, ASCII_SHADES).into_iter().zip(FROM);
        let told: Vec<String> =
            shades.skip(1).take(darkest).map(|(shade, from)| format!("{shade} {from}")).collect();
        (!told.is_empty()).then(|| format!("{} or more in one place", told.join(", ")))
    }

    /// What stands for a point or two.
    pub fn mark(page: &Page) -> char {
        page.pick(SHADES, ASCII_SHADES)[0]
    }
}

/// The place of the shade for `count` points.
fn shade(count: usize) -> Option<usize> {
    FROM.iter().rposition(|&from| count >= from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_points_are_darker_and_the_key_says_how_many() {
        let mut density = DotDensity::new(5, 1);
        let page = Page::default();
        density.add(0, 0);
        (0..2).for_each(|_| density.add(1, 0));
        assert_eq!((density.lines(&page), density.key(&page)), (vec![vec!['·', '·', ' ', ' ', ' ']], None));
        (0..3).for_each(|_| density.add(2, 0));
        (0..10).for_each(|_| density.add(4, 0));
        assert_eq!(density.lines(&page), [['·', '·', '░', ' ', '▒']]);
        assert_eq!(density.key(&page).unwrap(), "░ 3, ▒ 10 or more in one place");
        (0..30).for_each(|_| density.add(3, 0));
        assert_eq!(density.lines(&page.ascii()), [['.', '.', ':', '%', '=']]);
        assert_eq!(density.key(&page.ascii()).unwrap(), ": 3, = 10, % 30 or more in one place");
    }
}
