//! Processors with AVX-512: sixteen lanes, masks in registers of their own, the end of a row under a mask, and constants that are one
//! lane of memory for all.

use super::assembler::{Assembler, Last, at, element};
use super::graph::{Graph, Id, Op};
use super::machine::{Bank, Form, Machine, Operand, Signs, Source};
use super::x86::{COLUMN, CONSTANTS, SCRATCH, X86};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::ops::Range;

/// The register of lanes that no value is in: for bytes on their way to masks and back.
const BYTES: Register = Register::XMM31;
/// The mask of the columns that there are; masks of values are above it.
const COLUMNS: Register = Register::K1;

/// Instructions of AVX-512.
pub(super) struct Avx512 {
    assembler: Assembler,
}

fn vector(register: usize) -> Register {
    Register::ZMM0 + register as u32
}

/// The half of a register.
fn half(register: usize) -> Register {
    Register::YMM0 + register as u32
}

fn mask(register: usize) -> Register {
    Register::K0 + register as u32
}

fn last(source: Source) -> Last {
    match source {
        Source::Register(register) => Last::Register(vector(register)),
        Source::Slot(slot) => Last::Memory(Avx512::slot(slot)),
        Source::Constant(number) => Last::One(constant_at(number)),
    }
}

fn constant_at(number: usize) -> MemoryOperand {
    at(CONSTANTS, 4 * number as i64)
}

impl Avx512 {
    /// Reads elements, but for what is beyond the last column.
    fn elements(&mut self, code: Code, to: Register, address: Register, operand: Operand) {
        let from = element(address, COLUMN, operand.size, operand.whole.unwrap_or(0));
        let instruction = Instruction::with2(code, to, from).map(|mut instruction| {
            if operand.whole.is_none() {
                instruction.set_op_mask(COLUMNS);
                instruction.set_zeroing_masking(true);
            }
            instruction
        });
        self.assembler.add(instruction);
    }

    fn read_number(&mut self, to: usize, operand: Operand, address: Register) -> bool {
        match (operand.size, operand.is_one) {
            (4, true) => {
                self.assembler.load(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, vector(to), at(address, 0));
            }
            (4, false) => self.elements(Code::EVEX_Vmovups_zmm_k1z_zmmm512, vector(to), address, operand),
            (2, true) => {
                self.assembler.load(Code::EVEX_Vpbroadcastw_ymm_k1z_xmmm16, half(to), at(address, 0));
                self.assembler.two(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, vector(to), half(to));
            }
            (2, false) => {
                self.elements(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, vector(to), address, operand);
            }
            _ => return false,
        }
        true
    }

    fn read_half(&mut self, to: usize, operand: Operand, address: Register) {
        match operand.is_one {
            true => {
                self.assembler.load(Code::EVEX_Vpbroadcastw_ymm_k1z_xmmm16, half(to), at(address, 0));
                self.assembler.two(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, vector(to), half(to));
            }
            false => {
                self.elements(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, vector(to), address, operand);
            }
        }
    }

    fn read_truth(&mut self, to: usize, operand: Operand, address: Register) {
        match operand.is_one {
            true => self.assembler.load(Code::EVEX_Vpbroadcastb_xmm_k1z_xmmm8, BYTES, at(address, 0)),
            false => self.elements(Code::EVEX_Vmovdqu8_xmm_k1z_xmmm128, BYTES, address, operand),
        }
        self.assembler.lanes(Code::EVEX_Vptestmb_kr_k1_xmm_xmmm128, mask(to), Some(BYTES), Last::Register(BYTES), None);
    }
}

impl X86 for Avx512 {
    fn assembler(&mut self) -> &mut Assembler {
        &mut self.assembler
    }

    fn all_columns(&mut self) {
        self.assembler.add(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, COLUMNS, COLUMNS, COLUMNS));
    }

    fn some_columns(&mut self, count: Register) {
        self.assembler.number(Code::Mov_rm64_imm32, SCRATCH, -1);
        self.assembler.add(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, SCRATCH, SCRATCH, count));
        self.assembler.two(Code::VEX_Kmovw_kr_r32, COLUMNS, Register::R11D);
    }

    fn behind(&mut self) {}

    fn finish(self) -> Option<Vec<u8>> {
        self.assembler.finish()
    }
}

impl Machine for Avx512 {
    const LANES: usize = 16;
    const VECTORS: usize = 31;
    const MASKS: Range<usize> = 2..8;

    fn new() -> Avx512 {
        Avx512 { assembler: Assembler::new() }
    }

    fn lowered(_: &mut Graph, _: Op, _: &[Id]) -> Option<Id> {
        None
    }

    fn takes_memory(op: Op) -> bool {
        !op.is_mask_of_masks() && !matches!(op, Op::ToHalf | Op::FromHalf)
    }

    fn in_memory(constants: &[u32]) -> Vec<u32> {
        constants.to_vec()
    }

    fn spill(&mut self, bank: Bank, register: usize, slot: usize) {
        match bank {
            Bank::Masks => self.assembler.store(Code::VEX_Kmovw_m16_kr, Avx512::slot(slot), mask(register)),
            Bank::Vectors => {
                self.assembler.store(Code::EVEX_Vmovaps_zmmm512_k1z_zmm, Avx512::slot(slot), vector(register));
            }
        }
    }

    fn fill(&mut self, bank: Bank, register: usize, slot: usize) {
        match bank {
            Bank::Masks => self.assembler.load(Code::VEX_Kmovw_kr_km16, mask(register), Avx512::slot(slot)),
            Bank::Vectors => {
                self.assembler.load(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, vector(register), Avx512::slot(slot));
            }
        }
    }

    fn constant(&mut self, to: usize, number: usize) {
        self.assembler.load(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, vector(to), constant_at(number));
    }

    fn copy(&mut self, to: usize, from: usize) {
        self.assembler.two(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, vector(to), vector(from));
    }

    fn unary(&mut self, op: Op, to: usize, x: Source) -> bool {
        let Some((code, number)) = unary(op) else { return false };
        let (to, x) = match (op, x) {
            (Op::NotMask, Source::Register(x)) => (mask(to), Last::Register(mask(x))),
            (Op::ToHalf, x) => (half(to), last(x)),
            (Op::FromHalf, Source::Register(x)) => (vector(to), Last::Register(half(x))),
            (_, x) => (vector(to), last(x)),
        };
        self.assembler.lanes(code, to, None, x, number);
        true
    }

    fn binary(&mut self, op: Op, to: usize, x: usize, y: Source) -> bool {
        let Some((code, number)) = binary(op) else { return false };
        let (x, y) = match y {
            Source::Register(y) if op.is_mask_of_masks() => (mask(x), Last::Register(mask(y))),
            y => (vector(x), last(y)),
        };
        let to = if op.is_mask() { mask(to) } else { vector(to) };
        self.assembler.lanes(code, to, Some(x), y, number);
        true
    }

    fn multiply_add(&mut self, form: Form, signs: Signs, own: usize, other: usize, source: Source) {
        let code = multiply_add(signs)[form as usize];
        self.assembler.lanes(code, vector(own), Some(vector(other)), last(source), None);
    }

    fn choose(&mut self, to: usize, which: usize, yes: Source, no: usize) {
        let code = Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32;
        self.assembler.lanes_where(mask(which), code, vector(to), vector(no), last(yes));
    }

    fn read(&mut self, op: Op, to: usize, operand: Operand) -> bool {
        let address = self.address(operand);
        match op {
            Op::ReadHalf(_) => self.read_half(to, operand, address),
            Op::ReadTruth(_) => self.read_truth(to, operand, address),
            _ => return self.read_number(to, operand, address),
        }
        true
    }

    fn store(&mut self, op: Op, from: usize, operand: Operand, streams: bool) {
        let address = self.address(operand);
        let (code, from) = match (operand.size, op) {
            (1, _) => {
                self.assembler.two(Code::EVEX_Vpmovm2b_xmm_kr, BYTES, mask(from));
                self.assembler.two(Code::EVEX_Vpabsb_xmm_k1z_xmmm128, BYTES, BYTES);
                (Code::EVEX_Vmovdqu8_xmmm128_k1z_xmm, BYTES)
            }
            (2, Op::ToHalf) => (Code::EVEX_Vmovdqu16_ymmm256_k1z_ymm, half(from)),
            (2, _) => (Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, vector(from)),
            _ => (Code::EVEX_Vmovups_zmmm512_k1z_zmm, vector(from)),
        };
        let to = element(address, COLUMN, operand.size, operand.whole.unwrap_or(0));
        if operand.whole.is_some() {
            let code = if streams { Code::EVEX_Vmovntps_m512_zmm } else { code };
            self.assembler.store(code, to, from);
            return;
        }
        let whole = streams.then(|| {
            // All columns there are: such stores begin with a line.
            self.assembler.two(Code::VEX_Kortestw_kr_kr, COLUMNS, COLUMNS);
            let some = self.assembler.jump_ahead(Code::Jae_rel32_64);
            self.assembler.store(Code::EVEX_Vmovntps_m512_zmm, to, from);
            let whole = self.assembler.jump_ahead(Code::Jmp_rel32_64);
            self.assembler.land(some);
            whole
        });
        let instruction = Instruction::with2(code, to, from).map(|mut instruction| {
            instruction.set_op_mask(COLUMNS);
            instruction
        });
        self.assembler.add(instruction);
        if let Some(whole) = whole {
            self.assembler.land(whole);
        }
    }
}

/// Of two operands, the second of which may be in memory.
fn binary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::Add => (Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Sub => (Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Mul => (Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Div => (Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Least => (Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, None),
        Op::Most => (Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, None),
        // The sign is that of the result.
        Op::LeastNumber => (Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, Some(4)),
        Op::MostNumber => (Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, Some(5)),
        Op::And => (Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, None),
        Op::Or => (Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, None),
        Op::Xor => (Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, None),
        Op::AddInteger => (Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, None),
        Op::SubInteger => (Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, None),
        Op::MulInteger => (Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, None),
        Op::LeastSigned => (Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, None),
        Op::MostSigned => (Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, None),
        Op::LeastUnsigned => (Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, None),
        Op::MostUnsigned => (Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftLeftBy => (Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftRightBy => (Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftSignBy => (Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, None),
        Op::CompareFloat(relation) => (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, Some(relation.of_floats())),
        Op::IsNotNumber => (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, Some(3)),
        Op::CompareSigned(relation) => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, Some(relation as u8)),
        Op::CompareUnsigned(relation) => (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, Some(relation as u8)),
        Op::AndMask => (Code::VEX_Kandw_kr_kr_kr, None),
        Op::OrMask => (Code::VEX_Korw_kr_kr_kr, None),
        Op::XorMask => (Code::VEX_Kxorw_kr_kr_kr, None),
        Op::AndNotMask => (Code::VEX_Kandnw_kr_kr_kr, None),
        _ => return None,
    })
}

/// Of one operand.
fn unary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::SquareRoot => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
        // (Eight: without saying that the result is not exact.)
        Op::Round(how) => (Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, Some(how | 8)),
        Op::FromSigned => (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, None),
        Op::FromUnsigned => (Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, None),
        Op::ToSigned => (Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, None),
        Op::ToUnsigned => (Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, None),
        Op::AbsSigned => (Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32, None),
        Op::ShiftLeft(places) => (Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, Some(places)),
        Op::ShiftRight(places) => (Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Some(places)),
        Op::NotMask => (Code::VEX_Knotw_kr_kr, None),
        Op::ToHalf => (Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, Some(0)),
        Op::FromHalf => (Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, None),
        _ => return None,
    })
}

/// In the order of [`Form`].
fn multiply_add(signs: Signs) -> [Code; 3] {
    match (signs.negates_product, signs.subtracts) {
        (false, false) => [
            Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (false, true) => [
            Code::EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (true, false) => [
            Code::EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (true, true) => [
            Code::EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    }
}
