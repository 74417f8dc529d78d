//! JSON for programs: an array with one object per row, `snake_case` names in column order, raw values.

use serde_json::Value;

use super::{Cell, Table};

/// The table as an indented JSON array, ending in a newline. What is missing, or not finite, is `null`.
pub fn json(table: &Table) -> String {
    let mut out = String::from("[");
    for (place, row) in table.rows().iter().enumerate() {
        out.push_str(if place == 0 { "\n  {" } else { ",\n  {" });
        for (place, (column, cell)) in table.columns().iter().zip(row).enumerate() {
            let key = Value::from(column.key.as_str());
            out.push_str(&format!("{}\n    {key}: {}", if place == 0 { "" } else { "," }, value(cell)));
        }
        out.push_str("\n  }");
    }
    out.push_str(if table.rows().is_empty() { "]\n" } else { "\n]\n" });
    out
}

fn value(cell: &Cell) -> Value {
    match *cell {
        Cell::Text(ref words) => Value::from(words.as_str()),
        Cell::Integer(whole) | Cell::Identifier(whole) => Value::from(whole),
        Cell::Number { value, .. } | Cell::Duration(value) | Cell::Share(value) => number(value),
        Cell::Missing => Value::Null,
    }
}

/// Whole numbers without a decimal point; 2^53 is where floats stop telling them apart.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}
