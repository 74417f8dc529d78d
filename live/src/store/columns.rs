//! Rows of accounting whose columns stand in another order.

/// For each column of `to` its place in `from`.
pub(super) fn places(from: &str, to: &str) -> Vec<Option<usize>> {
    to.split('\x1f').map(|title| from.split('\x1f').position(|own| own == title)).collect()
}

/// The cells of a row in another order; columns that it does not have are empty.
pub(super) fn reordered(row: &str, order: &[Option<usize>]) -> String {
    let cells: Vec<&str> = row.split('\x1f').collect();
    let cell = |place: &Option<usize>| place.and_then(|place| cells.get(place).copied()).unwrap_or_default();
    order.iter().map(cell).collect::<Vec<&str>>().join("\x1f")
}
