//! The cells of a reproduction for spreadsheets.

use queuecast_report::{Cell, Column, Table};

use crate::PublishedCell;

/// One row per cell.
pub fn table(cells: &[PublishedCell]) -> Table {
    let mut columns: Vec<Column> = ["table", "row", "column", "log", "unit"].map(Column::text).to_vec();
    columns.extend(["paper", "ours", "difference", "tolerance"].map(Column::number));
    columns.extend(["repeated_mean", "repeated_deviation", "repeated_confidence"].map(Column::number));
    columns.extend(["within", "explained", "note"].map(Column::text));
    let mut table = Table::new(columns);
    for cell in cells {
        table.row(row(cell));
    }
    table
}

fn row(cell: &PublishedCell) -> Vec<Cell> {
    let number = |value: Option<f64>| value.map_or(Cell::Missing, |value| Cell::number(value, 1));
    let mut cells: Vec<Cell> = [&cell.table, &cell.row, &cell.column, &cell.log, &cell.unit]
        .map(|text| Cell::text(text.as_str()))
        .into();
    cells.extend([cell.paper, cell.ours, cell.difference, cell.tolerance].map(number));
    cells.push(number(cell.repeated.map(|repeated| repeated.mean)));
    cells.push(number(cell.repeated.map(|repeated| repeated.deviation)));
    cells.push(number(cell.repeated.and_then(|repeated| repeated.confidence)));
    cells.push(cell.within.map(|within| within.to_string()).into());
    cells.push(cell.explained.as_deref().into());
    cells.push(Cell::text(&*cell.note));
    cells
}
