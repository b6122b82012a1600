//! Blocks of an array that programs have in one Ref, one after the other: each block has a history of its own.

use super::Races;
use super::history::History;

impl Races {
    /// Another block of an array is in a buffer from now on, the one that begins there.
    pub(crate) fn moved(&mut self, buffer: usize, starts: &[i64]) {
        if self.at.get(&buffer).is_some_and(|at| at == starts) {
            return;
        }
        let Some(history) = self.buffers.get_mut(&buffer) else { return };
        let other = self.blocks.remove(&(buffer, starts.to_vec()));
        let other = other.unwrap_or_else(|| History::new(history.name.clone(), history.shape.clone(), true, false));
        let before = std::mem::replace(history, other);
        if let Some(at) = self.at.insert(buffer, starts.to_vec()) {
            self.blocks.insert((buffer, at), before);
        }
    }
}
