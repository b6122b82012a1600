//! The pieces that a version of a file consists of, in order, and found again by their ids. Does not cut them: see
//! [`crate::pieces`].

use crate::span::{FileId, SourceFile};
use std::ops::Deref;
use std::sync::Arc;

/// A piece in its place.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its text under an id of its own.
    pub source: Arc<SourceFile>,
    /// Where in the file it begins.
    pub start: u32,
    /// The words that occur in it, as hashes in order.
    pub(crate) words: Arc<[u64]>,
}

/// All pieces of a file, in order; none where it was parsed whole.
#[derive(Clone, Debug, Default)]
pub struct PieceList {
    pieces: Vec<Piece>,
    /// The ids, in their order, each with its place among the pieces: who asks for one may ask for each of thousands.
    by_id: Vec<(FileId, usize)>,
}

impl PieceList {
    /// The piece with an id.
    pub fn with_id(&self, id: FileId) -> Option<&Piece> {
        let found = self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.pieces[self.by_id[found].1])
    }
}

impl FromIterator<Piece> for PieceList {
    fn from_iter<I: IntoIterator<Item = Piece>>(pieces: I) -> PieceList {
        let pieces: Vec<Piece> = pieces.into_iter().collect();
        let mut by_id: Vec<_> = pieces.iter().enumerate().map(|(index, piece)| (piece.source.id, index)).collect();
        by_id.sort_unstable();
        PieceList { pieces, by_id }
    }
}

impl Deref for PieceList {
    type Target = [Piece];

    fn deref(&self) -> &[Piece] {
        &self.pieces
    }
}
