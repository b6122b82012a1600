//! Groups as pairs of `bfloat16` (AVX512_BF16). The instruction multiplies two elements of each factor and adds first the product
//! of the upper ones, then that of the lower ones to a sum of `float32`, rounding each time and taking subnormal numbers for zero:
//! two steps of a matrix unit's chain, if the pairs are neighbours of the same chain, which are two places apart in memory.

use super::GROUP;
use super::blocks::{Cells, FIRSTS, Scratch, Sums, Way, step_by_step};
use super::registers::{Steps, beside};
use super::singles::single;
use crate::isa::multiplies_pairs;
use crate::ops::product::kernel::Block;
use crate::ops::product::{MR, NR, Onto};
use crate::ops::turn::{LANES, square};
use half::bf16;
use std::arch::x86_64::{
    __m512, __m512bh, _mm256_loadu_si256, _mm512_cvtepu16_epi32, _mm512_dpbf16_ps, _mm512_loadu_epi16, _mm512_or_si512,
    _mm512_permutexvar_epi16, _mm512_slli_epi32, _mm512_storeu_epi16, _mm512_storeu_si512,
};
use std::cell::RefCell;
use std::mem::transmute;
use std::sync::OnceLock;
use std::thread::LocalKey;

/// Pairs of a group, those of the even chain before the others.
const PAIRS: usize = GROUP / 2;

type Row = Cells<f32, PAIRS>;
type Panel = Cells<[f32; NR], PAIRS>;

/// Proof that the processor has the instruction.
pub(super) struct Pairs(());

impl Pairs {
    /// The instruction, where it is computed with.
    pub(super) fn available() -> Option<Pairs> {
        static ADDS_IN_ORDER: OnceLock<bool> = OnceLock::new();
        (multiplies_pairs() && *ADDS_IN_ORDER.get_or_init(adds_in_order)).then_some(Pairs(()))
    }
}

/// The place of an inner element: its pair, and whether it is the one that is added first.
const fn place(k: usize) -> (usize, bool) {
    (k / 4 + k % 2 * (PAIRS / 2), k % 4 < 2)
}

/// An element of a pair: the upper half of its bits is the one that is added first. Nobody reads a pair as the number that its bits are.
#[inline(always)]
fn of_pair(pair: f32, is_first: bool) -> f32 {
    let bits = pair.to_bits();
    single(bf16::from_bits(if is_first { (bits >> 16) as u16 } else { bits as u16 }))
}

impl Way for Pairs {
    type Row = Row;
    type Panel = Panel;
    const INNER: usize = 512;
    const SHARE: usize = 1 << 23;

    #[inline(always)]
    fn row(elements: &[bf16; GROUP]) -> Row {
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // Whoever has the instruction for pairs has AVX-512.
        unsafe {
            pairs_of(elements)
        }
    }

    #[inline(always)]
    fn rows(panel: &mut Panel, first: usize, rows: [&[bf16; NR]; 2]) {
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // Whoever has the instruction for pairs has AVX-512.
        unsafe {
            pair_rows(&mut panel.0[place(first).0], rows);
        }
    }

    #[inline(always)]
    fn turned(panel: &mut Panel, columns: &[&[bf16; GROUP]; NR]) {
        let mut lines = [Row::default(); NR];
        for (line, column) in lines.iter_mut().zip(columns) {
            *line = Self::row(column);
        }
        for column in (0..NR).step_by(LANES) {
            // Of a pair's bits nothing but moves is made.
            let mut source = [[0.0; PAIRS]; LANES];
            source.iter_mut().zip(&lines[column..]).for_each(|(source, line)| *source = line.0);
            let target = &mut panel.0.as_flattened_mut()[column..];
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            // Whoever has the instruction for pairs has AVX-512.
            unsafe {
                square(source.as_flattened(), PAIRS, target, NR);
            }
        }
    }

    #[inline(always)]
    fn of_row(row: &Row) -> [f32; GROUP] {
        std::array::from_fn(|k| {
            let (place, is_first) = place(k);
            of_pair(row.0[place], is_first)
        })
    }

    #[inline(always)]
    fn of_panel(panel: &Panel, row: usize) -> [f32; NR] {
        let (place, is_first) = place(row);
        panel.0[place].map(|pair| of_pair(pair, is_first))
    }

    fn add(&self, left: &[Row], tall: usize, panel: &[Panel], sums: &mut Sums) {
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The processor was asked before there was one of these.
        unsafe {
            in_registers(left, tall, panel, (sums.as_flattened_mut(), NR), Onto::Sums);
        }
    }

    fn complete(&self, left: &[Row], tall: usize, panel: &[Panel], block: Block<'_, f32>, onto: Onto) {
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The processor was asked before there was one of these.
        unsafe {
            in_registers(left, tall, panel, block, onto);
        }
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<Self>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<Pairs>> = RefCell::default());
        &SCRATCH
    }
}

/// The pairs of a line, by one exchange of its elements.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn pairs_of(elements: &[bf16; GROUP]) -> Row {
    // The lower half of a pair's bits is what is added second.
    const SOURCES: [u16; GROUP] = {
        let (mut sources, mut number) = ([0; GROUP], 0);
        while number < PAIRS {
            let (pair, _) = place(FIRSTS[number]);
            (sources[2 * pair], sources[2 * pair + 1]) = (FIRSTS[number] as u16 + 2, FIRSTS[number] as u16);
            number += 1;
        }
        sources
    };
    let mut row = Row::default();
    #[expect(unsafe_code, reason = "loads and stores go through pointers")]
    // All three have 64 bytes.
    unsafe {
        let (line, sources) =
            (_mm512_loadu_epi16(elements.as_ptr().cast()), _mm512_loadu_epi16(SOURCES.as_ptr().cast()));
        _mm512_storeu_epi16(row.0.as_mut_ptr().cast(), _mm512_permutexvar_epi16(sources, line));
    }
    row
}

/// Pairs of rows, sixteen at a time: left to itself, the compiler puts the pairs together one by one.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn pair_rows(cells: &mut [f32; NR], [upper, lower]: [&[bf16; NR]; 2]) {
    for column in (0..NR).step_by(LANES) {
        let (upper, lower) = (&upper[column..column + LANES], &lower[column..column + LANES]);
        let cells = &mut cells[column..column + LANES];
        #[expect(unsafe_code, reason = "loads and stores go through pointers")]
        // To slices that were just cut to a register's elements.
        unsafe {
            let [upper, lower] = [upper, lower].map(|half| _mm256_loadu_si256(half.as_ptr().cast()));
            let upper = _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(upper));
            let pairs = _mm512_or_si512(upper, _mm512_cvtepu16_epi32(lower));
            _mm512_storeu_si512(cells.as_mut_ptr().cast(), pairs);
        }
    }
}

/// A pair of each factor for sixteen sums.
struct InPairs;

#[expect(unsafe_code, reason = "registers are those of certain processors")]
impl Steps for InPairs {
    type Vector = __m512;

    #[inline(always)]
    unsafe fn step(sums: __m512, x: __m512, y: __m512) -> __m512 {
        // As many bits.
        unsafe { _mm512_dpbf16_ps(sums, transmute::<__m512, __m512bh>(x), transmute::<__m512, __m512bh>(y)) }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512bf16,avx2,fma")]
fn in_registers(left: &[Row], tall: usize, panel: &[Panel], block: Block<'_, f32>, onto: Onto) {
    beside::<InPairs, PAIRS>((left, tall), panel, block, onto);
}

/// Whether the instruction gives the bits of single steps, for numbers of all sizes that cancel each other, and subnormal ones.
fn adds_in_order() -> bool {
    const FEW: usize = 4;
    let value = |i: u32| {
        let bits = i.wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B) >> 9;
        let exponent = if bits.is_multiple_of(23) { 0 } else { 120 + bits % 16 };
        bf16::from_bits((bits as u16) & 0x807f | (exponent as u16) << 7)
    };
    let lines: [[bf16; GROUP]; FEW + NR] =
        std::array::from_fn(|line| std::array::from_fn(|k| value((line * GROUP + k) as u32)));
    let (left, right) = lines.split_at(FEW);
    let left: Vec<Row> = left.iter().map(Pairs::row).collect();
    let mut panel = Panel::default();
    FIRSTS.into_iter().for_each(|first| Pairs::rows(&mut panel, first, [&right[first], &right[first + 2]]));
    let (mut found, mut expected) = ([[1.0; NR]; MR], [[1.0; NR]; MR]);
    Pairs(()).add(&left, FEW, &[panel], &mut found);
    step_by_step::<Pairs>(&left, FEW, &[panel], &mut expected);
    found
        .as_flattened()
        .iter()
        .zip(expected.as_flattened())
        .all(|(found, expected)| found.to_bits() == expected.to_bits())
}
