//! Colours of a terminal. Nothing depends on them: they only repeat what labels and marks say.

use crate::Page;

/// One colour for each series, in the order of those of pictures, as far as terminals have them.
const COLOURS: [u8; 8] = [34, 33, 32, 90, 35, 31, 36, 93];

/// The text in the colour of the series at this place, where the page is coloured.
pub(crate) fn series(text: &str, place: usize, page: &Page) -> String {
    if !page.coloured || text.is_empty() {
        return text.to_owned();
    }
    format!("\x1b[{}m{text}\x1b[0m", COLOURS[place % COLOURS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_coloured_pages_have_colours() {
        let page = Page { coloured: true, ..Page::default() };
        assert_eq!(series("██", 9, &page), "\x1b[33m██\x1b[0m");
        assert_eq!((series("██", 9, &Page::default()), series("", 0, &page)), ("██".into(), String::new()));
    }
}
