//! What the pieces of sources are to a reader, worked out once for each text that is shown.

use super::App;
use pallas_engine::SourceFile;
use pallas_engine::syntax::{Class, highlight};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Larger files are shown without colours: nobody reads them here, and a frame must not wait for them.
const LARGEST: usize = 1 << 19;
/// Texts that are kept.
const KEPT: usize = 4;

/// Pieces with what they are.
pub(crate) type Pieces = Rc<Vec<(Range<usize>, Class)>>;

/// Sources with their pieces, kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Highlights {
    known: RefCell<Vec<(Arc<str>, Pieces)>>,
}

impl App {
    /// The pieces of a source, in order.
    pub(crate) fn highlights(&self, source: &SourceFile) -> Pieces {
        let mut known = self.highlights.known.borrow_mut();
        if let Some((_, pieces)) = known.iter().find(|(text, _)| Arc::ptr_eq(text, &source.text)) {
            return pieces.clone();
        }
        let pieces = if source.text.len() > LARGEST { Vec::new() } else { highlight(source) };
        let pieces = Rc::new(pieces);
        if known.len() >= KEPT {
            known.remove(0);
        }
        known.push((source.text.clone(), pieces.clone()));
        pieces
    }
}
