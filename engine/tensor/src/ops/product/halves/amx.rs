//! The matrix unit of Intel's processors (AMX): tiles of sixteen rows of 64 bytes, and an instruction that adds the product of
//! two tiles of `bfloat16` to one of `float32`.
//!
//! The instructions are written out, as Rust has no stable names for them; nothing else in the program touches tiles. A process
//! has to ask the system for them once ([`Permission`]), a thread says what shape they have before it uses them and lets go of
//! them when it is done ([`Unit`]).

use super::tiles::{ROWS, Scratch, WIDTH, padded};
use super::{GROUP, put, take};
use crate::isa::for_each_isa;
use crate::ops::product::kernel::Block;
use crate::ops::product::{Onto, Strided};
use half::bf16;
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Rows of a tile.
const TILE_ROWS: usize = 16;
/// Bytes of a row of a tile.
const TILE_BYTES: usize = 64;
/// Elements of a tile of `bfloat16`.
const TILE: usize = TILE_ROWS * TILE_BYTES / size_of::<bf16>();
// A block of the result is two tiles high and two wide.
const _: () = assert!(ROWS == 2 * TILE_ROWS && WIDTH * size_of::<f32>() == 2 * TILE_BYTES && GROUP * 2 == TILE_BYTES);

/// Proof that the processor has the unit and the system lets this process use it.
pub(super) struct Permission(());

impl Permission {
    /// Where there is one.
    pub(super) fn asked() -> Option<Permission> {
        static AVAILABLE: OnceLock<bool> = OnceLock::new();
        AVAILABLE.get_or_init(|| has_tiles() && is_permitted()).then_some(Permission(()))
    }
}

/// Whether the processor has tiles of the usual size that multiply `bfloat16`, and the system saves them.
fn has_tiles() -> bool {
    let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
    let leaf = |number, part| __cpuid_count(number, part);
    if leaf(0, 0).eax < 0x1d || !bit(leaf(1, 0).ecx, 27) {
        return false;
    }
    let features = leaf(7, 0).edx;
    let palette = leaf(0x1d, 1);
    let (bytes, names) = ((palette.ebx & 0xffff) as usize, palette.ebx >> 16);
    let rows = (palette.ecx & 0xffff) as usize;
    let usual = bytes >= TILE_BYTES && names >= 8 && rows >= TILE_ROWS;
    let saved: u32;
    #[expect(unsafe_code, reason = "no safe name for the instruction")]
    // Bit 27 above says that the instruction is there; it reads a register and no memory.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") saved, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    bit(features, 22) && bit(features, 24) && usual && bit(saved, 17) && bit(saved, 18)
}

/// Asks Linux for the use of tiles: `arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA)`.
fn is_permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
    const XTILEDATA: u64 = 18;
    let result: i64;
    #[expect(unsafe_code, reason = "the standard library has no such call")]
    // The call takes no pointers, and all that it changes is what the process may do. Systems that do not know it say so.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

/// The shape of all tiles, as the processor reads it.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// The unit of this thread's processor, its eight tiles of full size. It stays on its thread, and lets go of the tiles at last.
pub(super) struct Unit(PhantomData<*const ()>);

impl Unit {
    /// The unit of the processor that this thread runs on.
    pub(super) fn configured(_: &Permission) -> Unit {
        static SHAPES: Shapes = {
            let (mut bytes, mut rows) = ([0; 16], [0; 16]);
            let mut tile = 0;
            while tile < 8 {
                bytes[tile] = TILE_BYTES as u16;
                rows[tile] = TILE_ROWS as u8;
                tile += 1;
            }
            Shapes { palette: 1, start: 0, reserved: [0; 14], bytes, rows }
        };
        #[expect(unsafe_code, reason = "no stable name for the instruction")]
        // The processor has tiles of this shape and the process may use them. Reads the 64 bytes of the shapes.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const SHAPES, options(nostack, readonly, preserves_flags));
        }
        Unit(PhantomData)
    }

    /// A part of the product.
    pub(super) fn multiply(
        &self,
        scratch: &mut Scratch,
        (target, stride): Block<'_, f32>,
        (left, right): (Strided<'_, bf16>, Strided<'_, bf16>),
        (rows, depth, columns): (usize, usize, usize),
        onto: Onto,
    ) {
        let Scratch { left: left_rows, right: right_rows, packed, .. } = scratch;
        let groups = depth.div_ceil(GROUP);
        packed.resize(groups * GROUP * columns.next_multiple_of(WIDTH), bf16::ZERO);
        let full = depth % GROUP == 0 && columns % WIDTH == 0;
        match (right.row, right.column) {
            (_, 1) if full => pair_rows(packed, right, groups),
            (1, _) if full => pair_columns(packed, right, groups),
            _ => {
                let width = padded(right_rows, right, (depth, columns), (GROUP, WIDTH));
                pair_rows(packed, Strided { elements: right_rows, row: width, column: 1 }, groups);
            }
        }
        let as_it_lies = left.column == 1 && depth % GROUP == 0;
        for row in (0..rows).step_by(ROWS) {
            let height = ROWS.min(rows - row);
            let left = match as_it_lies && height == ROWS {
                true => left.part(row, 0),
                false => {
                    let width = padded(left_rows, left.part(row, 0), (height, depth), (ROWS, GROUP));
                    Strided { elements: left_rows, row: width, column: 1 }
                }
            };
            for (number, panel) in packed.chunks_exact(groups * GROUP * WIDTH).enumerate() {
                let column = number * WIDTH;
                let size = (height, WIDTH.min(columns - column));
                let target = &mut target[row * stride + column..];
                let mut sums = [[0.0; WIDTH]; ROWS];
                if onto == Onto::Sums {
                    take(&mut sums, (&*target, stride), size);
                }
                self.block(left, panel, &mut sums);
                put(&sums, (target, stride), size, onto);
            }
        }
    }

    /// Adds the product of rows and a panel to a block of sums, four tiles.
    fn block(&self, left: Strided<'_, bf16>, panel: &[bf16], sums: &mut [[f32; WIDTH]; ROWS]) {
        let groups = panel.len() / (2 * TILE);
        if groups == 0 {
            return;
        }
        // As much as the instructions read, checked here.
        let rows = &left.elements[..(ROWS - 1) * left.row + groups * GROUP];
        let below = &rows[TILE_ROWS * left.row..];
        let (upper, lower) = sums.split_at_mut(TILE_ROWS);
        #[expect(unsafe_code, reason = "no stable names for the instructions")]
        // The tiles have their shape as long as there is a unit. Tiles are read from 32 rows of the left factor, `groups` times
        // 64 bytes of each, and from `groups` pairs of tiles of the panel; they are read from and written to the four quarters
        // of the sums, rows of 128 bytes. All are as long, see above and the types.
        unsafe {
            asm!(
                "tileloadd tmm0, [{upper} + {sums_stride}]",
                "tileloadd tmm1, [{upper} + {sums_stride} + 64]",
                "tileloadd tmm2, [{lower} + {sums_stride}]",
                "tileloadd tmm3, [{lower} + {sums_stride} + 64]",
                "2:",
                "tileloadd tmm4, [{rows} + {left_stride}]",
                "tileloadd tmm6, [{panel} + {tile_stride}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{panel} + {tile_stride} + 1024]",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{below} + {left_stride}]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {rows}, 64",
                "add {below}, 64",
                "add {panel}, 2048",
                "dec {groups}",
                "jnz 2b",
                "tilestored [{upper} + {sums_stride}], tmm0",
                "tilestored [{upper} + {sums_stride} + 64], tmm1",
                "tilestored [{lower} + {sums_stride}], tmm2",
                "tilestored [{lower} + {sums_stride} + 64], tmm3",
                upper = in(reg) upper.as_mut_ptr(),
                lower = in(reg) lower.as_mut_ptr(),
                sums_stride = in(reg) size_of::<[f32; WIDTH]>(),
                rows = inout(reg) rows.as_ptr() => _,
                below = inout(reg) below.as_ptr() => _,
                left_stride = in(reg) left.row * size_of::<bf16>(),
                panel = inout(reg) panel.as_ptr() => _,
                tile_stride = in(reg) TILE_BYTES,
                groups = inout(reg) groups => _,
                options(nostack),
            );
        }
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "no stable name for the instruction")]
        // Tiles are this thread's own, and nobody else on it uses them.
        unsafe {
            asm!("tilerelease", options(nomem, nostack, preserves_flags));
        }
    }
}

for_each_isa! {
/// The right factor as tiles, two for each group of inner elements of a panel of [`WIDTH`] columns: two rows side by side, as
/// the instruction takes pairs of neighbours.
fn pair_rows<F>(packed: &mut [bf16], right: Strided<'_, bf16>, groups: usize) {
    for pair in 0..groups * GROUP / 2 {
        let (group, place) = (pair / TILE_ROWS, pair % TILE_ROWS * TILE_BYTES / 2);
        let (even, odd) = (&right.elements[2 * pair * right.row..], &right.elements[(2 * pair + 1) * right.row..]);
        let panels = packed.chunks_exact_mut(groups * GROUP * WIDTH);
        for (number, panel) in panels.enumerate() {
            for half in 0..2 {
                let column = number * WIDTH + half * WIDTH / 2;
                let (even, odd) = (&even[column..column + WIDTH / 2], &odd[column..column + WIDTH / 2]);
                let tile = &mut panel[(2 * group + half) * TILE + place..][..WIDTH];
                for (pair, (&even, &odd)) in tile.as_chunks_mut::<2>().0.iter_mut().zip(even.iter().zip(odd)) {
                    *pair = [even, odd];
                }
            }
        }
    }
}
/// The same of a right factor whose columns lie one element after the other: pairs of neighbours as they are.
fn pair_columns<F>(packed: &mut [bf16], right: Strided<'_, bf16>, groups: usize) {
    for (number, panel) in packed.chunks_exact_mut(groups * GROUP * WIDTH).enumerate() {
        for column in 0..WIDTH {
            let source = &right.elements[(number * WIDTH + column) * right.column..][..groups * GROUP];
            let (half, place) = (column / TILE_ROWS, column % TILE_ROWS);
            for (group, pairs) in source.chunks_exact(GROUP).enumerate() {
                let tile = &mut panel[(2 * group + half) * TILE..][..TILE];
                let places = tile.as_chunks_mut::<2>().0[place..].iter_mut().step_by(TILE_ROWS);
                places.zip(pairs.as_chunks::<2>().0).for_each(|(place, pair)| *place = *pair);
            }
        }
    }
}
}
