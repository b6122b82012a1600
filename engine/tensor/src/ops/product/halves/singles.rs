//! Groups in `float32` registers: a product of two `bfloat16` numbers is exact there, so that a fused multiply-add rounds as a
//! matrix unit does.

use super::GROUP;
use super::blocks::{Cells, Scratch, Sums, Way, aside};
#[cfg(target_arch = "x86_64")]
use super::registers::{Numbers, add, beside};
use crate::isa::{BaselineFma, Fma, Isa};
use crate::math::flush;
#[cfg(target_arch = "x86_64")]
use crate::ops::product::MR;
use crate::ops::product::kernel::Block;
use crate::ops::product::{NR, Onto};
use half::bf16;
use std::cell::RefCell;
use std::thread::LocalKey;

/// With an instruction set that the processor has.
pub(super) struct Singles(pub(super) Isa);

type Row = Cells<f32, GROUP>;
type Panel = Cells<[f32; NR], GROUP>;

/// Where an inner element is: those of even places stand before the others.
const fn place(k: usize) -> usize {
    k / 2 + k % 2 * (GROUP / 2)
}

impl Way for Singles {
    type Row = Row;
    type Panel = Panel;
    const INNER: usize = 256;
    const SHARE: usize = 1 << 22;

    #[inline(always)]
    fn row(elements: &[bf16; GROUP]) -> Row {
        let (mut even, mut odd) = ([0.0; GROUP / 2], [0.0; GROUP / 2]);
        for (number, [x, y]) in elements.as_chunks::<2>().0.iter().enumerate() {
            (even[number], odd[number]) = (single(*x), single(*y));
        }
        let mut row = Row::default();
        let (first, second) = row.0.split_at_mut(GROUP / 2);
        first.copy_from_slice(&even);
        second.copy_from_slice(&odd);
        row
    }

    #[inline(always)]
    fn rows(panel: &mut Panel, first: usize, rows: [&[bf16; NR]; 2]) {
        for (k, row) in [first, first + 2].into_iter().zip(rows) {
            panel.0[place(k)] = row.map(single);
        }
    }

    #[inline(always)]
    fn of_row(row: &Row) -> [f32; GROUP] {
        std::array::from_fn(|k| row.0[place(k)])
    }

    #[inline(always)]
    fn of_panel(panel: &Panel, row: usize) -> [f32; NR] {
        panel.0[place(row)]
    }

    fn add(&self, left: &[Row], tall: usize, panel: &[Panel], sums: &mut Sums) {
        match self.0 {
            // What a processor is taken for, it is.
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            Isa::Avx512 => unsafe { wide(left, tall, panel, (sums.as_flattened_mut(), NR), Onto::Sums) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            Isa::Avx2 => unsafe { narrow(left, tall, panel, sums) },
            Isa::Baseline => plain::<BaselineFma>(left, tall, panel, sums),
        }
    }

    fn complete(&self, left: &[Row], tall: usize, panel: &[Panel], block: Block<'_, f32>, onto: Onto) {
        match self.0 {
            // What a processor is taken for, it is.
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            Isa::Avx512 => unsafe { wide(left, tall, panel, block, onto) },
            _ => aside(block, (tall, NR), onto, |sums| self.add(left, tall, panel, sums)),
        }
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<Self>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<Singles>> = RefCell::default());
        &SCRATCH
    }
}

/// As `float32`, a subnormal number as zero.
#[inline(always)]
pub(super) fn single(x: bf16) -> f32 {
    flush(f32::from_bits(u32::from(x.to_bits()) << 16))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn wide(left: &[Row], tall: usize, panel: &[Panel], block: Block<'_, f32>, onto: Onto) {
    beside::<Numbers<std::arch::x86_64::__m512>, GROUP>((left, tall), panel, block, onto);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn narrow(left: &[Row], tall: usize, panel: &[Panel], sums: &mut Sums) {
    use std::arch::x86_64::__m256;
    if tall == MR {
        for row in [0, MR / 2] {
            add::<Numbers<__m256>, GROUP, { MR / 2 }, 2>((left, tall, row), panel, sums);
        }
        return;
    }
    for row in (0..tall).step_by(4) {
        add::<Numbers<__m256>, GROUP, 4, 2>((left, tall, row), panel, sums);
    }
}

/// Row by row, for processors without large registers.
#[inline(always)]
fn plain<F: Fma>(left: &[Row], tall: usize, panel: &[Panel], sums: &mut Sums) {
    for (rows, panel) in left.chunks_exact(tall).zip(panel) {
        let (even, odd) = panel.0.split_at(GROUP / 2);
        for (row, sums) in rows.iter().zip(sums.iter_mut()) {
            let mut chains = [[0.0f32; NR]; 2];
            for (chain, (left, right)) in chains.iter_mut().zip(row.0.chunks_exact(GROUP / 2).zip([even, odd])) {
                for (&x, right) in left.iter().zip(right) {
                    chain.iter_mut().zip(right).for_each(|(sum, &y)| *sum = F::fma(x, y, *sum));
                }
            }
            let [even, odd] = chains;
            sums.iter_mut().zip(even.iter().zip(odd)).for_each(|(sum, (even, odd))| *sum += even + odd);
        }
    }
}
