//! Reads the data beside each page of `experiments/`: printed values (`printed.md`) and explanations (`explained.md`).
//!
//! Both are Markdown. Under a heading `## NAME`, printed values are one table: its first row names the columns, the first
//! cell of each other row names the row, and an empty cell is a value that the paper does not print. An explanation is a
//! paragraph.

/// The values a paper prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrintedTables(pub &'static str);

/// The explanations of what differs from a paper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Explanations(pub &'static str);

/// The lines under a heading, without empty ones.
fn section(page: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    let below = page.lines().skip_while(move |line| line.strip_prefix("## ") != Some(name)).skip(1);
    below.take_while(|line| !line.starts_with("## ")).map(str::trim).filter(|line| !line.is_empty())
}

fn cells(line: &'static str) -> Vec<&'static str> {
    line.trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect()
}

impl PrintedTables {
    /// The rows of a table, the names of the columns first and the ruler left out.
    fn lines(self, table: &str) -> Vec<Vec<&'static str>> {
        let lines = section(self.0, table).filter(|line| line.starts_with('|') && !line.starts_with("| ---"));
        lines.map(cells).collect()
    }

    /// The rows of a table: their names, and the values of their columns.
    pub fn rows(self, table: &str) -> Vec<(&'static str, Vec<Option<f64>>)> {
        let row = |cells: Vec<&'static str>| (cells[0], cells[1..].iter().map(|cell| number(cell)).collect());
        self.lines(table).into_iter().skip(1).map(row).collect()
    }

    /// One value; `None` where nothing is printed.
    pub fn value(self, table: &str, row: &str, column: &str) -> Option<f64> {
        let lines = self.lines(table);
        let place = lines.first()?.iter().position(|name| *name == column).filter(|place| *place > 0)?;
        let cells = lines.iter().skip(1).find(|cells| cells[0] == row)?;
        number(cells.get(place)?)
    }
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

impl Explanations {
    /// The paragraph under a heading, as one line.
    pub fn text(self, name: &str) -> String {
        section(self.0, name).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n\n## 2\nA caption.\n\n| | Wait | Slowdown |\n| --- | ---: | ---: |\n| Perfect | 22 | 47.5 |\n\
                        | SBH [PE,*], DFS | | -4 |\n\n## late\nOne line\nand another.\n\n## 3\n| | a |\n| --- | ---: |\n| x | 1 |\n";

    #[test]
    fn values_are_found_by_table_row_and_column() {
        let printed = PrintedTables(PAGE);
        assert_eq!(printed.value("2", "Perfect", "Slowdown"), Some(47.5));
        assert_eq!(printed.value("2", "SBH [PE,*], DFS", "Slowdown"), Some(-4.0));
        assert_eq!(printed.value("2", "SBH [PE,*], DFS", "Wait"), None);
        assert_eq!(printed.rows("3"), [("x", vec![Some(1.0)])]);
        for [table, row, column] in [["4", "Perfect", "Wait"], ["2", "Nothing", "Wait"], ["2", "Perfect", ""]]
        {
            assert_eq!(printed.value(table, row, column), None);
        }
    }

    #[test]
    fn an_explanation_is_one_line() {
        assert_eq!(Explanations(PAGE).text("late"), "One line and another.");
        assert_eq!(Explanations(PAGE).text("missing"), "");
    }
}
