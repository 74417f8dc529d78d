//! The kernels of all pairs of rows of a history.

use std::sync::OnceLock;

use super::kernel::{LANES, RowBlock, kernels, row_at};

/// Rows of the matrix are kept as long as all of them take no more numbers than this (256 MB); others are computed whenever they
/// are asked for.
const KEPT: usize = 1 << 26;

/// Numbers in one chunk of a row of the matrix; it divides those of a block, and what is searched fits into registers.
pub(super) const CHUNK: usize = 8;
pub(super) type Chunk = [f32; CHUNK];

/// Chunks of a block.
pub(super) const CHUNKS: usize = LANES / CHUNK;

/// The matrix of kernels, row by row as it is asked for.
pub(super) struct Gram<'a> {
    blocks: &'a [RowBlock],
    kept: Vec<OnceLock<Box<[Chunk]>>>,
}

impl<'a> Gram<'a> {
    /// Of the rows of these blocks.
    pub fn new(blocks: &'a [RowBlock]) -> Gram<'a> {
        Gram::keeping(blocks, KEPT)
    }

    fn keeping(blocks: &'a [RowBlock], most: usize) -> Gram<'a> {
        let rows = blocks.len() * LANES;
        let kept = rows.min(most / rows.max(1));
        Gram { blocks, kept: (0..kept).map(|_| OnceLock::new()).collect() }
    }

    /// The kernels of one row with all, in their order; in `room` where they are not kept.
    pub fn row<'b>(&'b self, place: usize, room: &'b mut Vec<Chunk>) -> &'b [Chunk] {
        if let Some(kept) = self.kept.get(place) {
            return kept.get_or_init(|| self.computed(place).into());
        }
        *room = self.computed(place);
        room
    }

    fn computed(&self, place: usize) -> Vec<Chunk> {
        let row = row_at(&self.blocks[place / LANES], place % LANES);
        let mut all = Vec::with_capacity(self.blocks.len() * CHUNKS);
        for block in self.blocks {
            all.extend_from_slice(kernels(block, &row).as_chunks().0);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{Row, blocks};
    use super::*;

    #[test]
    fn rows_are_the_same_kept_or_not() {
        let rows: Vec<Row> = (0..5 * LANES)
            .map(|place| std::array::from_fn(|feature| ((place * (feature + 3)) % 13) as f32))
            .collect();
        let blocks: Vec<RowBlock> = blocks(&rows).collect();
        let (all, some) = (Gram::new(&blocks), Gram::keeping(&blocks, rows.len() * 10));
        assert_eq!((all.kept.len(), some.kept.len()), (rows.len(), 10));
        let (mut room, mut other) = (Vec::new(), Vec::new());
        for place in 0..rows.len() {
            assert_eq!(all.row(place, &mut room), some.row(place, &mut other));
            assert_eq!(all.row(place, &mut room)[place / CHUNK][place % CHUNK], 1.0);
        }
        assert!(room.is_empty() && !other.is_empty(), "only one of them needed room");
        // Control: rows differ from each other.
        assert_ne!(all.row(0, &mut room), some.row(1, &mut other));
    }
}
