//! How values come from memory, and how a result gets there.

use super::assembler::{at, element};
use super::emit::{BYTES, CALL, COLUMN, COLUMNS, Emitter, Operand, SCRATCH, half, mask, vector};
use super::graph::{Id, Op};
use iced_x86::{Code, Register};

impl Emitter<'_> {
    /// The address of an operand in a register.
    fn address(&mut self, operand: Operand) -> Register {
        match operand.address {
            Ok(register) => register,
            Err(place) => {
                self.assembler.load(Code::Mov_r64_rm64, SCRATCH, at(CALL, place));
                SCRATCH
            }
        }
    }

    /// Adds an instruction that leaves out what is beyond the last column.
    fn masked(&mut self, code: Code, to: Register, from: iced_x86::MemoryOperand) {
        let instruction = iced_x86::Instruction::with2(code, to, from).map(|mut instruction| {
            instruction.set_op_mask(COLUMNS);
            instruction.set_zeroing_masking(true);
            instruction
        });
        self.assembler.add(instruction);
    }

    pub(super) fn read(&mut self, id: Id, read: usize) {
        let operand = self.operands[read];
        let address = self.address(operand);
        let to = vector(self.register(id));
        match (operand.size, operand.is_one) {
            (4, true) => self.assembler.load(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, to, at(address, 0)),
            (4, false) => self.masked(Code::EVEX_Vmovups_zmm_k1z_zmmm512, to, element(address, COLUMN, 4)),
            (2, true) => {
                self.assembler.load(Code::EVEX_Vpbroadcastw_ymm_k1z_xmmm16, half(to), at(address, 0));
                self.assembler.two(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, to, half(to));
            }
            (2, false) => self.masked(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, to, element(address, COLUMN, 2)),
            _ => self.failed = true,
        }
    }

    pub(super) fn read_half(&mut self, id: Id, read: usize) {
        let operand = self.operands[read];
        let address = self.address(operand);
        let to = vector(self.register(id));
        match operand.is_one {
            true => {
                self.assembler.load(Code::EVEX_Vpbroadcastw_ymm_k1z_xmmm16, half(to), at(address, 0));
                self.assembler.two(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, to, half(to));
            }
            false => self.masked(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, to, element(address, COLUMN, 2)),
        }
    }

    pub(super) fn read_truth(&mut self, id: Id, read: usize) {
        let operand = self.operands[read];
        let address = self.address(operand);
        let to = mask(self.register(id));
        match operand.is_one {
            true => self.assembler.load(Code::EVEX_Vpbroadcastb_xmm_k1z_xmmm8, BYTES, at(address, 0)),
            false => self.masked(Code::EVEX_Vmovdqu8_xmm_k1z_xmmm128, BYTES, element(address, COLUMN, 1)),
        }
        let instruction = iced_x86::Instruction::with3(Code::EVEX_Vptestmb_kr_k1_xmm_xmmm128, to, BYTES, BYTES);
        self.assembler.add(instruction);
    }

    /// Writes the result to where it belongs; whole lines past the caches, if it streams.
    pub(super) fn store(&mut self, result: Id, operand: Operand, streams: bool) {
        let address = self.address(operand);
        let (code, from) = match (operand.size, self.graph.nodes[result].op.is_mask()) {
            (1, true) => {
                let truths = self.in_register(result);
                self.assembler.two(Code::EVEX_Vpmovm2b_xmm_kr, BYTES, truths);
                self.assembler.two(Code::EVEX_Vpabsb_xmm_k1z_xmmm128, BYTES, BYTES);
                (Code::EVEX_Vmovdqu8_xmmm128_k1z_xmm, BYTES)
            }
            (2, false) => match self.graph.nodes[result].op {
                Op::ToHalf => (Code::EVEX_Vmovdqu16_ymmm256_k1z_ymm, half(self.in_register(result))),
                _ => (Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, self.in_register(result)),
            },
            _ => (Code::EVEX_Vmovups_zmmm512_k1z_zmm, self.in_register(result)),
        };
        let to = element(address, COLUMN, operand.size);
        let whole = streams.then(|| {
            // All columns there are: such stores begin with a line.
            self.assembler.two(Code::VEX_Kortestw_kr_kr, COLUMNS, COLUMNS);
            let some = self.assembler.jump_ahead(Code::Jae_rel32_64);
            self.assembler.store(Code::EVEX_Vmovntps_m512_zmm, to, from);
            let whole = self.assembler.jump_ahead(Code::Jmp_rel32_64);
            self.assembler.land(some);
            whole
        });
        let instruction = iced_x86::Instruction::with2(code, to, from).map(|mut instruction| {
            instruction.set_op_mask(COLUMNS);
            instruction
        });
        self.assembler.add(instruction);
        if let Some(whole) = whole {
            self.assembler.land(whole);
        }
        self.release_all();
    }

    /// Asks for the line of an operand that is read next.
    pub(super) fn ask(&mut self, place: i64, size: u32, writes: bool) {
        self.assembler.load(Code::Mov_r64_rm64, SCRATCH, at(CALL, place));
        let code = if writes { Code::Prefetchw_m8 } else { Code::Prefetcht0_m8 };
        self.assembler.memory(code, element(SCRATCH, COLUMN, size));
    }
}
