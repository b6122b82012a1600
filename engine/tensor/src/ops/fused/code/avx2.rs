//! Processors with AVX2, fused multiply-add and conversions of `float16`: eight lanes, masks as vectors whose lanes are all ones or
//! zeros, constants that lie in memory once for each lane.
//!
//! There are no masks under which memory is read and written, but for 32-bit numbers. So the end of a row takes other ways in and
//! out, which are behind the function ([`Part`]): whoever goes there comes back.

use super::assembler::{Ahead, Assembler, Last, at, element};
use super::graph::{Graph, Id, Op, Relation};
use super::lowered;
use super::machine::{Bank, Form, Machine, Operand, Signs, Source};
use super::memory::Call;
use super::x86::{CALL, COLUMN, CONSTANTS, SCRATCH, X86};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::mem::offset_of;
use std::ops::Range;

/// The register of lanes that no value is in.
const SPARE: Register = Register::YMM15;
const SPARE_LOW: Register = Register::XMM15;
/// Less how many columns there are, where they are fewer than lanes; else zero.
const PART: i64 = offset_of!(Call, part) as i64;
/// What lies before the constants: ones for the lanes that there are, then zeros.
const COLUMNS: [u32; 16] = [!0, !0, !0, !0, !0, !0, !0, !0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Instructions of AVX2.
pub(super) struct Avx2 {
    assembler: Assembler,
    parts: Vec<Part>,
}

/// The way of an operand at the end of a row.
struct Part {
    from: Ahead,
    back: usize,
    operand: Operand,
    way: Way,
}

/// Which way that is, with the register.
#[derive(Clone, Copy)]
enum Way {
    Read(Op, usize),
    Store(Register),
}

fn vector(register: usize) -> Register {
    Register::YMM0 + register as u32
}

/// The half of a register.
fn half(register: usize) -> Register {
    Register::XMM0 + register as u32
}

fn constant_at(number: usize) -> MemoryOperand {
    at(CONSTANTS, 4 * (COLUMNS.len() + Avx2::LANES * number) as i64)
}

fn last(source: Source) -> Last {
    match source {
        Source::Register(register) => Last::Register(vector(register)),
        Source::Slot(slot) => Last::Memory(Avx2::slot(slot)),
        Source::Constant(number) => Last::Memory(constant_at(number)),
    }
}

impl Avx2 {
    /// Goes behind the function if there are fewer columns than lanes.
    fn if_part(&mut self, operand: Operand) -> Option<Ahead> {
        if operand.whole.is_some() {
            return None;
        }
        self.assembler.add(Instruction::with2(Code::Cmp_rm64_imm8, at(CALL, PART), 0));
        Some(self.assembler.jump_ahead(Code::Jne_rel32_64))
    }

    /// That way ends here.
    fn back(&mut self, from: Option<Ahead>, operand: Operand, way: Way) {
        let back = self.assembler.here();
        self.parts.extend(from.map(|from| Part { from, back, operand, way }));
    }

    /// Which lanes there are at the end of a row.
    fn columns(&mut self, to: Register) {
        self.assembler.load(Code::Mov_r64_rm64, SCRATCH, at(CALL, PART));
        let mask = MemoryOperand::with_base_index_scale_displ_size(CONSTANTS, SCRATCH, 4, 4 * Avx2::LANES as i64, 1);
        self.assembler.load(Code::VEX_Vmovups_ymm_ymmm256, to, mask);
    }

    /// What is done for each of the columns at the end of a row.
    fn each(&mut self, mut one: impl FnMut(&mut Assembler, u32)) {
        let mut done = Vec::new();
        for column in 0..Avx2::LANES as u32 - 1 {
            if column > 0 {
                self.assembler.add(Instruction::with2(Code::Cmp_rm64_imm8, at(CALL, PART), -(column as i32)));
                done.push(self.assembler.jump_ahead(Code::Je_rel32_64));
            }
            one(&mut self.assembler, column);
        }
        done.into_iter().for_each(|jump| self.assembler.land(jump));
    }

    /// Numbers of 16 and 8 bits in the lanes of a register.
    fn widened(&mut self, op: Op, to: usize, from: Last) {
        let code = match op {
            Op::ReadHalf(_) => Code::VEX_Vcvtph2ps_ymm_xmmm128,
            Op::ReadTruth(_) => Code::VEX_Vpmovzxbd_ymm_xmmm64,
            _ => Code::VEX_Vpmovzxwd_ymm_xmmm128,
        };
        self.assembler.lanes(code, vector(to), None, from, None);
    }

    fn part(&mut self, part: Part) {
        self.assembler.land(part.from);
        let size = part.operand.size;
        match part.way {
            Way::Read(_, to) if size == 4 => {
                self.columns(vector(to));
                let from = element(self.address(part.operand), COLUMN, size, 0);
                let code = Code::VEX_Vmaskmovps_ymm_ymm_m256;
                self.assembler.lanes(code, vector(to), Some(vector(to)), Last::Memory(from), None);
            }
            Way::Read(op, to) => {
                let address = self.address(part.operand);
                let low = half(to);
                self.assembler.lanes(Code::VEX_Vpxor_xmm_xmm_xmmm128, low, Some(low), Last::Register(low), None);
                let code = if size == 2 {
                    Code::VEX_Vpinsrw_xmm_xmm_r32m16_imm8
                } else {
                    Code::VEX_Vpinsrb_xmm_xmm_r32m8_imm8
                };
                self.each(|assembler, column| {
                    let from = Last::Memory(element(address, COLUMN, size, column));
                    assembler.lanes(code, low, Some(low), from, Some(column as u8));
                });
                self.widened(op, to, Last::Register(low));
            }
            Way::Store(from) if size == 4 => {
                self.columns(SPARE);
                let to = element(self.address(part.operand), COLUMN, size, 0);
                self.assembler.add(Instruction::with3(Code::VEX_Vmaskmovps_m256_ymm_ymm, to, SPARE, from));
            }
            Way::Store(from) => {
                let address = self.address(part.operand);
                let code = if size == 2 { Code::VEX_Vpextrw_r32m16_xmm_imm8 } else { Code::VEX_Vpextrb_r32m8_xmm_imm8 };
                self.each(|assembler, column| {
                    assembler.add(Instruction::with3(code, element(address, COLUMN, size, column), from, column));
                });
            }
        }
        self.assembler.jump_back(Code::Jmp_rel32_64, part.back);
    }
}

impl X86 for Avx2 {
    fn assembler(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    fn all_columns(&mut self) {
        self.assembler.add(Instruction::with2(Code::Mov_rm64_imm32, at(CALL, PART), 0));
    }

    fn some_columns(&mut self, count: Register) {
        self.assembler.two(Code::Mov_r64_rm64, SCRATCH, count);
        self.assembler.one(Code::Neg_rm64, SCRATCH);
        self.assembler.store(Code::Mov_rm64_r64, at(CALL, PART), SCRATCH);
    }

    fn behind(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            self.part(part);
        }
    }

    fn finish(self) -> Option<Vec<u8>> {
        self.assembler.finish()
    }
}

impl Machine for Avx2 {
    const LANES: usize = 8;
    const VECTORS: usize = 15;
    const MASKS: Range<usize> = 0..0;

    fn new() -> Avx2 {
        Avx2 { assembler: Assembler::new(), parts: Vec::new() }
    }

    fn lowered(graph: &mut Graph, op: Op, operands: &[Id]) -> Option<Id> {
        lowered::lowered(graph, op, operands)
    }

    fn takes_memory(op: Op) -> bool {
        !matches!(op, Op::ToHalf | Op::FromHalf | Op::ShiftLeft(_) | Op::ShiftRight(_))
    }

    fn in_memory(constants: &[u32]) -> Vec<u32> {
        COLUMNS.into_iter().chain(constants.iter().flat_map(|&bits| [bits; Avx2::LANES])).collect()
    }

    fn spill(&mut self, _: Bank, register: usize, slot: usize) {
        self.assembler.store(Code::VEX_Vmovaps_ymmm256_ymm, Avx2::slot(slot), vector(register));
    }

    fn fill(&mut self, _: Bank, register: usize, slot: usize) {
        self.assembler.load(Code::VEX_Vmovaps_ymm_ymmm256, vector(register), Avx2::slot(slot));
    }

    fn constant(&mut self, to: usize, number: usize) {
        self.assembler.load(Code::VEX_Vmovups_ymm_ymmm256, vector(to), constant_at(number));
    }

    fn copy(&mut self, to: usize, from: usize) {
        self.assembler.two(Code::VEX_Vmovaps_ymm_ymmm256, vector(to), vector(from));
    }

    fn unary(&mut self, op: Op, to: usize, x: Source) -> bool {
        let Some((code, number)) = unary(op) else { return false };
        match (op, x) {
            (Op::FromHalf, Source::Register(x)) => self.assembler.two(code, vector(to), half(x)),
            (Op::ToHalf, Source::Register(x)) => {
                self.assembler.add(Instruction::with3(code, half(to), vector(x), u32::from(number.unwrap_or(0))));
            }
            (_, x) => self.assembler.lanes(code, vector(to), None, last(x), number),
        }
        true
    }

    fn binary(&mut self, op: Op, to: usize, x: usize, y: Source) -> bool {
        let Some((code, number)) = binary(op) else { return false };
        self.assembler.lanes(code, vector(to), Some(vector(x)), last(y), number);
        true
    }

    fn multiply_add(&mut self, form: Form, signs: Signs, own: usize, other: usize, source: Source) {
        let code = multiply_add(signs)[form as usize];
        self.assembler.lanes(code, vector(own), Some(vector(other)), last(source), None);
    }

    fn choose(&mut self, to: usize, which: usize, yes: Source, no: usize) {
        let code = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        let (to, which, no) = (vector(to), vector(which), vector(no));
        self.assembler.add(match last(yes) {
            Last::Register(yes) => Instruction::with4(code, to, no, yes, which),
            Last::Memory(yes) | Last::One(yes) => Instruction::with4(code, to, no, yes, which),
        });
    }

    fn read(&mut self, op: Op, to: usize, operand: Operand) -> bool {
        let address = self.address(operand);
        if operand.is_one {
            let code = match operand.size {
                4 => Code::VEX_Vbroadcastss_ymm_m32,
                2 => Code::VEX_Vpbroadcastw_xmm_xmmm16,
                _ => Code::VEX_Vpbroadcastb_xmm_xmmm8,
            };
            let register = if operand.size == 4 { vector(to) } else { half(to) };
            self.assembler.load(code, register, at(address, 0));
            if operand.size < 4 {
                self.widened(op, to, Last::Register(half(to)));
            }
        } else {
            let part = self.if_part(operand);
            let from = element(address, COLUMN, operand.size, operand.whole.unwrap_or(0));
            match operand.size {
                4 => self.assembler.load(Code::VEX_Vmovups_ymm_ymmm256, vector(to), from),
                _ => self.widened(op, to, Last::Memory(from)),
            }
            self.back(part, operand, Way::Read(op, to));
        }
        if let Op::ReadTruth(_) = op {
            // Truths are one and zero.
            let (to, zero) = (vector(to), SPARE_LOW);
            self.assembler.lanes(Code::VEX_Vpxor_xmm_xmm_xmmm128, zero, Some(zero), Last::Register(zero), None);
            self.assembler.lanes(Code::VEX_Vpsubd_ymm_ymm_ymmm256, to, Some(SPARE), Last::Register(to), None);
        }
        true
    }

    fn store(&mut self, op: Op, from: usize, operand: Operand, streams: bool) {
        let from = match (operand.size, op) {
            (4, _) => vector(from),
            (2, Op::ToHalf) => half(from),
            (size, _) => {
                // Both halves side by side.
                let pack = |size| match size {
                    2 => Code::VEX_Vpackusdw_xmm_xmm_xmmm128,
                    _ => Code::VEX_Vpackssdw_xmm_xmm_xmmm128,
                };
                let low = SPARE_LOW;
                let high = Instruction::with3(Code::VEX_Vextracti128_xmmm128_ymm_imm8, low, vector(from), 1);
                self.assembler.add(high);
                self.assembler.lanes(pack(size), low, Some(half(from)), Last::Register(low), None);
                if size == 1 {
                    let code = Code::VEX_Vpacksswb_xmm_xmm_xmmm128;
                    self.assembler.lanes(code, low, Some(low), Last::Register(low), None);
                    self.assembler.two(Code::VEX_Vpabsb_xmm_xmmm128, low, low);
                }
                low
            }
        };
        let address = self.address(operand);
        let part = self.if_part(operand);
        let code = match operand.size {
            4 if streams => Code::VEX_Vmovntps_m256_ymm,
            4 => Code::VEX_Vmovups_ymmm256_ymm,
            2 => Code::VEX_Vmovdqu_xmmm128_xmm,
            _ => Code::VEX_Vmovq_xmmm64_xmm,
        };
        self.assembler.store(code, element(address, COLUMN, operand.size, operand.whole.unwrap_or(0)), from);
        self.back(part, operand, Way::Store(from));
    }
}

/// Of two operands, the second of which may be in memory.
fn binary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::Add => (Code::VEX_Vaddps_ymm_ymm_ymmm256, None),
        Op::Sub => (Code::VEX_Vsubps_ymm_ymm_ymmm256, None),
        Op::Mul => (Code::VEX_Vmulps_ymm_ymm_ymmm256, None),
        Op::Div => (Code::VEX_Vdivps_ymm_ymm_ymmm256, None),
        Op::Least => (Code::VEX_Vminps_ymm_ymm_ymmm256, None),
        Op::Most => (Code::VEX_Vmaxps_ymm_ymm_ymmm256, None),
        Op::And | Op::AndMask => (Code::VEX_Vpand_ymm_ymm_ymmm256, None),
        Op::Or | Op::OrMask => (Code::VEX_Vpor_ymm_ymm_ymmm256, None),
        Op::Xor | Op::XorMask => (Code::VEX_Vpxor_ymm_ymm_ymmm256, None),
        Op::AndNotMask => (Code::VEX_Vpandn_ymm_ymm_ymmm256, None),
        Op::AddInteger => (Code::VEX_Vpaddd_ymm_ymm_ymmm256, None),
        Op::SubInteger => (Code::VEX_Vpsubd_ymm_ymm_ymmm256, None),
        Op::MulInteger => (Code::VEX_Vpmulld_ymm_ymm_ymmm256, None),
        Op::LeastSigned => (Code::VEX_Vpminsd_ymm_ymm_ymmm256, None),
        Op::MostSigned => (Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, None),
        Op::LeastUnsigned => (Code::VEX_Vpminud_ymm_ymm_ymmm256, None),
        Op::MostUnsigned => (Code::VEX_Vpmaxud_ymm_ymm_ymmm256, None),
        Op::ShiftLeftBy => (Code::VEX_Vpsllvd_ymm_ymm_ymmm256, None),
        Op::ShiftRightBy => (Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, None),
        Op::ShiftSignBy => (Code::VEX_Vpsravd_ymm_ymm_ymmm256, None),
        Op::CompareFloat(relation) => (Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, Some(relation.of_floats())),
        Op::IsNotNumber => (Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, Some(3)),
        // The others are made of these.
        Op::CompareSigned(Relation::Equal) => (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, None),
        Op::CompareSigned(Relation::Above) => (Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, None),
        _ => return None,
    })
}

/// Of one operand.
fn unary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::SquareRoot => (Code::VEX_Vsqrtps_ymm_ymmm256, None),
        // (Eight: without saying that the result is not exact.)
        Op::Round(how) => (Code::VEX_Vroundps_ymm_ymmm256_imm8, Some(how | 8)),
        Op::FromSigned => (Code::VEX_Vcvtdq2ps_ymm_ymmm256, None),
        Op::ToSigned => (Code::VEX_Vcvttps2dq_ymm_ymmm256, None),
        Op::AbsSigned => (Code::VEX_Vpabsd_ymm_ymmm256, None),
        Op::ShiftLeft(places) => (Code::VEX_Vpslld_ymm_ymm_imm8, Some(places)),
        Op::ShiftRight(places) => (Code::VEX_Vpsrld_ymm_ymm_imm8, Some(places)),
        Op::ToHalf => (Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8, Some(0)),
        Op::FromHalf => (Code::VEX_Vcvtph2ps_ymm_xmmm128, None),
        _ => return None,
    })
}

/// In the order of [`Form`].
fn multiply_add(signs: Signs) -> [Code; 3] {
    match (signs.negates_product, signs.subtracts) {
        (false, false) => [
            Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256,
            Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256,
            Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256,
        ],
        (false, true) => [
            Code::VEX_Vfmsub132ps_ymm_ymm_ymmm256,
            Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256,
            Code::VEX_Vfmsub231ps_ymm_ymm_ymmm256,
        ],
        (true, false) => [
            Code::VEX_Vfnmadd132ps_ymm_ymm_ymmm256,
            Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256,
            Code::VEX_Vfnmadd231ps_ymm_ymm_ymmm256,
        ],
        (true, true) => [
            Code::VEX_Vfnmsub132ps_ymm_ymm_ymmm256,
            Code::VEX_Vfnmsub213ps_ymm_ymm_ymmm256,
            Code::VEX_Vfnmsub231ps_ymm_ymm_ymmm256,
        ],
    }
}
