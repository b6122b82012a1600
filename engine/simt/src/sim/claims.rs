//! Blocks that do the work of others which have not begun, in the simulator. Some clusters begin at once, and each of them takes its share
//! of the others.

use super::boxes::{Bringing, Coming};
use super::memory::Access;
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, Kernel, MemoryId, Op};
use pallas_tensor::{Array, DType, Scalar};

/// Clusters that begin at once.
const AT_ONCE: usize = 3;

/// Who has begun, counted in clusters.
#[derive(Debug)]
pub(super) struct Claims {
    clusters: usize,
    /// Blocks of one.
    blocks: usize,
    /// Those that have been run, or are, in their turn.
    begun: usize,
    /// The first that nobody has taken.
    next: usize,
    /// How many the one at hand may take.
    left: usize,
    /// Whether somebody asks.
    asks: bool,
}

impl Claims {
    pub(super) fn new(kernel: &Kernel) -> Claims {
        let mut asks = false;
        kernel.body.walk(&mut |inst| asks |= matches!(inst.op, Op::Claim { .. }));
        let blocks = kernel.cluster.max(1) as usize;
        let clusters = kernel.blocks / blocks;
        let next = if asks { clusters.min(AT_ONCE) } else { clusters };
        Claims { clusters, blocks, begun: 0, next, left: 0, asks }
    }

    /// The first block of the cluster that begins next.
    pub(super) fn begin(&mut self) -> Option<usize> {
        let first = self.begun;
        if first >= self.clusters.min(if self.asks { AT_ONCE } else { usize::MAX }) {
            // Those that nobody took begin after all.
            return self.take().map(|cluster| cluster * self.blocks);
        }
        self.begun += 1;
        self.left = self.clusters.saturating_sub(AT_ONCE).div_ceil(AT_ONCE);
        Some(first * self.blocks)
    }

    fn take(&mut self) -> Option<usize> {
        (self.next < self.clusters).then(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// The first block of a cluster that has not begun, and does not any more.
    fn claim(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.take().map(|cluster| cluster * self.blocks)
    }
}

impl World<'_> {
    pub(super) fn claim(&mut self, inst: &Inst, memory: MemoryId, phases: MemoryId) -> Result<(), Fault> {
        let at = self.uniform(inst.operands[0])?;
        let dtype = self.kernel.memory(memory).dtype;
        let first = self.claims.claim();
        // The answer as it lies here; what it is on a device nobody knows.
        let mut answer = [0_u8; Op::CLAIM];
        if let Some(first) = first {
            answer[..4].copy_from_slice(&(first as u32).to_le_bytes());
            answer[Op::CLAIM - 1] = 1;
        }
        let elements: Vec<Scalar> = answer.iter().map(|&byte| Scalar::Int(byte.into()).cast(dtype)).collect();
        let values = Array::from_scalars(dtype, [Op::CLAIM].as_slice(), &elements)?;
        let indices: Vec<i64> = (at..at + Op::CLAIM as i64).collect();
        for rank in 0..self.kernel.cluster.max(1) as usize {
            let (to, place) = (self.at_rank(memory, rank)?, self.phases_at(phases, inst.operands[1], Some(rank))?);
            let access = Access { threads: 1, ..self.access(&indices, 1, inst.span) };
            let bounded = self.rams[to].bounded(&access, &mut self.report);
            let access = Access { threads: 1, ..self.access(&bounded, 1, inst.span) };
            self.rams[to].set_out(&access, &mut self.report);
            self.expect(place, Coming::Box(Bringing::known(to, bounded, values.clone(), inst.span)));
        }
        Ok(())
    }

    pub(super) fn claimed(&mut self, inst: &Inst, memory: MemoryId) -> Result<(), Fault> {
        let first = self.uniform(inst.operands[0])?;
        let place = self.at(memory);
        // All threads read all of it.
        let indices: Vec<i64> =
            (0..Op::CLAIM as i64).flat_map(|byte| std::iter::repeat_n(first + byte, self.threads)).collect();
        let access = self.access(&indices, 1, inst.span);
        let indices = self.rams[place].bounded(&access, &mut self.report);
        let access = self.access(&indices, 1, inst.span);
        self.rams[place].seen(&access, &mut self.report);
        let byte = |number: usize| {
            let index = usize::try_from(first + number as i64).ok();
            let element = index.and_then(|index| self.rams[place].array.get(index)).and_then(Scalar::as_int);
            element.map(|element| element as u8).ok_or_else(|| fault("an answer that is not there".to_string()))
        };
        let number = i32::from_le_bytes([byte(0)?, byte(1)?, byte(2)?, byte(3)?]);
        let found = byte(Op::CLAIM - 1)? != 0;
        let threads = [self.threads];
        self.put(inst.results[0], Array::full(DType::I32, threads.as_slice(), Scalar::Int(number.into()))?);
        self.put(inst.results[1], Array::full(DType::Bool, threads.as_slice(), Scalar::Bool(found))?);
        Ok(())
    }
}
