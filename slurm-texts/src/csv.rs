//! Tables with commas between columns, as spreadsheets write them.

/// The rows of a table with the lines they begin at. Fields in quotes may hold commas, doubled quotes and line ends.
pub(super) fn csv_rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut line, mut begun) = (false, 1, 1);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\n' {
            line += 1;
        }
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                let full = std::mem::take(&mut row);
                if full.len() > 1 || !full[0].trim().is_empty() {
                    rows.push((begun, full));
                }
                begun = line;
            }
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            letter => field.push(letter),
        }
    }
    if !row.is_empty() || !field.is_empty() {
        row.push(field);
        rows.push((begun, row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas_and_lines() {
        let rows = csv_rows("a,b\r\n1,\"x,\"\"y\"\"\nz\"\n\n2,\n3,4");
        let lines: Vec<usize> = rows.iter().map(|row| row.0).collect();
        assert_eq!(lines, [1, 2, 5, 6]);
        assert_eq!(rows[1].1, ["1", "x,\"y\"\nz"]);
        assert_eq!((rows[2].1.len(), rows[3].1.join("")), (2, "34".into()));
        assert_eq!(csv_rows(""), []);
    }
}
