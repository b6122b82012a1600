//! Instructions as statements. Loops and branches are in `control`, accesses of several elements in `accesses`.

use super::expression::expression;
use super::types::{Words, literal, words};
use super::{Printed, prelude};
use crate::ir::{ALIGNMENT, Doubt, Inst, Kernel, MemoryId, Op, Region, Space, Value};
use crate::layout::Layout;
use crate::marks;
use crate::{CHECK_WORDS, Check, LineEntry, Refusal, STORES};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashSet;
use std::fmt::Write;

/// Loops over more registers than this are not unrolled: such rows live in local memory.
const UNROLLED: u32 = 256;

pub(super) struct Printer<'a> {
    pub(super) kernel: &'a Kernel,
    body: Vec<(String, Span)>,
    pub(super) depth: usize,
    /// Whether what is printed is what a warp does by itself.
    pub(super) in_warp: bool,
    span: Span,
    /// Values that are words of fragments, not registers of their dtype.
    pub(super) fragments: HashSet<Value>,
    checks: Vec<Check>,
    stores: Vec<Span>,
    /// Arrays whose elements have owners; see [`owned`](super::owned).
    owned: Vec<(MemoryId, usize)>,
    pub(super) instructions: super::products::Instructions,
}

impl<'a> Printer<'a> {
    pub(super) fn new(kernel: &'a Kernel) -> Printer<'a> {
        Printer {
            kernel,
            body: Vec::new(),
            depth: 1,
            in_warp: false,
            span: Span::default(),
            fragments: HashSet::new(),
            checks: Vec::new(),
            stores: Vec::new(),
            owned: super::owned(kernel),
            instructions: Default::default(),
        }
    }

    pub(super) fn print(mut self) -> Result<Printed, Refusal> {
        self.memories()?;
        self.timed(true);
        self.region(&self.kernel.body)?;
        self.end_cluster();
        self.end_tensor();
        self.timed(false);
        let text: String = self.body.iter().map(|(line, _)| format!("{line}\n")).collect();
        let mut source =
            String::from("// Printed from the SIMT IR; the source of each line is in the program's table.\n");
        if !self.kernel.maps.is_empty() {
            source.push_str("struct __align__(64) TensorMap { unsigned char bytes[128]; };\n");
        }
        for helper in prelude::used(&text) {
            source.push_str(helper);
            source.push('\n');
        }
        for function in self.instructions.values() {
            source.push_str(function);
            source.push('\n');
        }
        self.constants(&mut source)?;
        let mut params: Vec<String> = Vec::new();
        for memory in &self.kernel.memories {
            if let Space::Operand { operand, constant } = memory.space {
                // What is written is read by other threads behind a barrier. `__restrict__` would say that nobody but the thread itself changes
                // it, and the compiler takes it by that word: it keeps what a thread has read across barriers.
                let words = self.words(memory.dtype)?;
                let [before, behind] = if constant { ["const ", " __restrict__"] } else { ["", ""] };
                params.push(format!("{before}{}*{behind} {}_{operand}", words.memory, memory.name));
            }
        }
        for number in 0..self.kernel.maps.len() {
            params.push(format!("const __grid_constant__ TensorMap map_{number}"));
        }
        if super::workspace_bytes(self.kernel) > 0 {
            params.push("unsigned char* workspace".to_string());
        }
        if !self.checks.is_empty() {
            params.push("unsigned* checks".to_string());
        }
        if !self.owned.is_empty() {
            params.push("unsigned long long* owners".to_string());
        }
        if !self.stores.is_empty() {
            params.push("unsigned long long* stores".to_string());
        }
        if !self.kernel.marks.is_empty() {
            params.push("unsigned long long* notes".to_string());
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            source,
            "extern \"C\" __global__ void {}__launch_bounds__({}{}) {}({}) {{",
            if self.kernel.cluster > 1 {
                format!("__cluster_dims__({}, 1, 1) ", self.kernel.cluster)
            } else {
                String::new()
            },
            self.kernel.block_threads(),
            // Registers change hands between teams only where it is known how many there are.
            if self.sets_registers() { ", 1" } else { "" },
            self.kernel.name,
            params.join(", ")
        );
        let first = source.lines().count() as u32 + 1;
        let mut lines = Vec::new();
        for (line, (text, span)) in (first..).zip(&self.body) {
            if *span != Span::default() {
                lines.push(LineEntry { line, span: *span });
            }
            source.push_str(text);
            source.push('\n');
        }
        source.push_str("}\n");
        Ok(Printed { source, lines, checks: self.checks, stores: self.stores })
    }

    pub(super) fn refuse(&self, what: &str) -> Refusal {
        Refusal::new(format!("{what} is not lowered yet: there are no words for it in CUDA C++"), self.span)
            .with_help("run the kernel with `--device interpret`")
    }

    pub(super) fn words(&self, dtype: DType) -> Result<Words, Refusal> {
        words(dtype).ok_or_else(|| self.refuse(dtype.name()))
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.body.push((format!("{}{}", "  ".repeat(self.depth), text.as_ref()), self.span));
    }

    /// Tables of known values.
    fn constants(&self, source: &mut String) -> Result<(), Refusal> {
        for (id, memory) in self.kernel.memories() {
            let Space::Constant(array) = &memory.space else { continue };
            let words = self.words(memory.dtype)?;
            let elements: Vec<String> = array.iter_scalars().map(|element| literal(element, memory.dtype)).collect();
            let register = words.register;
            let _ = writeln!(
                source,
                "__device__ const {register} {}[{}] = {{{}}};",
                self.name(id),
                memory.len.max(1),
                elements.join(", ")
            );
        }
        Ok(())
    }

    fn memories(&mut self) -> Result<(), Refusal> {
        let (threads, teams) = (self.kernel.threads, self.kernel.teams);
        if teams == 1 {
            self.line("const int t = threadIdx.x;");
        } else {
            self.line(format!("const int t = threadIdx.x & {};", threads - 1));
            // The same in all lanes, and known to be.
            self.line(format!("const int team = __shfl_sync(0xffffffffu, threadIdx.x / {threads}, 0);"));
        }
        let (shared, bytes) = super::places(self.kernel, super::is_shared);
        if bytes > 0 {
            let align = shared.iter().map(|(id, _)| self.kernel.memory(*id).align).max().unwrap_or(ALIGNMENT);
            self.line(format!("extern __shared__ __align__({align}) unsigned char shared[];"));
        }
        let (workspace, per_block) = super::places(self.kernel, |space| *space == Space::Workspace);
        let of_block = format!("workspace + (size_t)blockIdx.x * {per_block}");
        for (id, at) in shared.into_iter().chain(workspace) {
            let memory = self.kernel.memory(id);
            let base = match memory.space {
                Space::Workspace => of_block.clone(),
                Space::Team if teams > 1 => {
                    let bytes = self.kernel.bytes(id) / teams as usize;
                    format!("shared + team * {bytes}")
                }
                _ => "shared".to_string(),
            };
            let words = self.words(memory.dtype)?;
            self.line(format!("{0}* {1} = ({0}*)({base} + {at});", words.memory, self.name(id)));
        }
        self.accumulators();
        self.begin_shared()?;
        self.begin_phases();
        self.begin_tensor();
        self.begin_columns()
    }

    /// The begin of the block, or its end, if times are noted.
    fn timed(&mut self, begins: bool) {
        if self.kernel.marks.is_empty() {
            return;
        }
        if begins {
            let words = marks::words(self.kernel);
            self.line(format!("unsigned long long* noted = notes + (size_t)blockIdx.x * {words};"));
            self.line("unsigned count = 0;");
            return self.line("if (t == 0) begin_notes(noted);");
        }
        // The first thread may be done before others.
        self.line("__syncthreads();");
        self.line("if (t == 0) end_notes(noted, count);");
    }

    pub(super) fn name(&self, id: MemoryId) -> String {
        let memory = self.kernel.memory(id);
        match memory.space {
            Space::Operand { operand, .. } => format!("{}_{operand}", memory.name),
            _ => memory.name.clone(),
        }
    }

    pub(super) fn region(&mut self, region: &Region) -> Result<(), Refusal> {
        for inst in &region.insts {
            let outer = std::mem::replace(&mut self.span, inst.span);
            self.inst(inst)?;
            self.span = outer;
        }
        Ok(())
    }

    pub(super) fn regs(&self, value: Value) -> u32 {
        self.kernel.ty(value).regs
    }

    /// A register of a value in a loop over `r`.
    pub(super) fn at(&self, value: Value) -> String {
        if self.regs(value) == 1 { format!("v{}", value.0) } else { format!("v{}[r]", value.0) }
    }

    pub(super) fn declare(&mut self, value: Value) -> Result<(), Refusal> {
        let ty = self.kernel.ty(value);
        let register = self.words(ty.dtype)?.register;
        match ty.regs {
            1 => self.line(format!("{register} v{};", value.0)),
            regs => self.line(format!("{register} v{}[{regs}];", value.0)),
        }
        Ok(())
    }

    /// A statement for every register.
    pub(super) fn each(&mut self, regs: u32, statement: &str) {
        if regs == 1 {
            return self.line(statement);
        }
        self.line(if regs <= UNROLLED { "#pragma unroll" } else { "#pragma unroll 1" });
        self.line(format!("for (int r = 0; r < {regs}; ++r) {statement}"));
    }

    /// Declares a value and gives it an expression in every register.
    pub(super) fn define(&mut self, value: Value, expression: &str) -> Result<(), Refusal> {
        let ty = self.kernel.ty(value);
        if ty.regs == 1 {
            let register = self.words(ty.dtype)?.register;
            self.line(format!("const {register} v{} = {expression};", value.0));
            return Ok(());
        }
        self.declare(value)?;
        self.each(ty.regs, &format!("v{}[r] = {expression};", value.0));
        Ok(())
    }

    pub(super) fn copy(&mut self, to: Value, from: Value) {
        let statement = format!("{} = {};", self.at(to), self.at(from));
        self.each(self.regs(to), &statement);
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let terms: Vec<(String, DType)> =
            inst.operands.iter().map(|&value| (self.at(value), self.kernel.ty(value).dtype)).collect();
        let text = |n: usize| terms.get(n).map_or("0", |(text, _)| text.as_str());
        match &inst.op {
            Op::Const(value) => {
                let result = inst.results[0];
                let number = literal(*value, self.kernel.ty(result).dtype);
                self.define(result, &number)
            }
            Op::Block => self.define(inst.results[0], "(int)blockIdx.x"),
            Op::Coord { layout, dim } => {
                let expression = coordinate(layout, *dim);
                self.define(inst.results[0], &expression)
            }
            Op::Owner(layout) => self.define(inst.results[0], &format!("(t & {}) == 0", layout.copies())),
            Op::Scalar(op, attributes) => {
                let result = inst.results[0];
                let borrowed: Vec<(&str, DType)> = terms.iter().map(|(text, dtype)| (text.as_str(), *dtype)).collect();
                let expression = expression(*op, attributes, &borrowed, self.kernel.ty(result).dtype).ok_or_else(
                    || match borrowed.first() {
                        Some((_, dtype)) => self.refuse(&format!("`{}` of {}", op.name, dtype.name())),
                        None => self.refuse(&format!("`{}`", op.name)),
                    },
                )?;
                self.define(result, &expression)
            }
            Op::Pick(table) => self.pick(inst.results[0], inst.operands[0], table),
            Op::ShuffleXor(mask) => {
                let expression = format!("__shfl_xor_sync(0xffffffffu, {}, {mask})", text(0));
                self.define(inst.results[0], &expression)
            }
            Op::Load { memory, masked, other, vector, .. } if *vector > 1 => {
                self.wide_load(inst, *memory, *masked, *other, *vector)
            }
            Op::Store { memory, masked, vector, .. } if *vector > 1 => self.wide_store(inst, *memory, *masked, *vector),
            Op::Load { memory, masked, other, .. } => {
                let name = self.name(*memory);
                let words = self.words(self.kernel.memory(*memory).dtype)?;
                let constant = matches!(self.kernel.memory(*memory).space, Space::Constant(_));
                let element = match words.load {
                    load if !load.is_empty() && !constant => format!("{load}({name}[{}])", text(0)),
                    _ => format!("{name}[{}]", text(0)),
                };
                let expression = match (masked, other) {
                    (false, _) => element,
                    (true, false) => format!("{} ? {element} : ({})0", text(1), words.register),
                    (true, true) => format!("{} ? {element} : {}", text(1), text(2)),
                };
                self.define(inst.results[0], &expression)
            }
            Op::Store { memory, masked, .. } => {
                let words = self.words(self.kernel.memory(*memory).dtype)?;
                let value =
                    if words.store.is_empty() { text(1).into() } else { format!("{}({})", words.store, text(1)) };
                let guard = if *masked { format!("if ({}) ", text(2)) } else { String::new() };
                let statement = format!("{guard}{}[{}] = {value};", self.name(*memory), text(0));
                self.each(self.regs(inst.operands[0]), &statement);
                Ok(())
            }
            Op::Atomic { memory, combine, masked } => self.atomic(inst, *memory, *combine, *masked, &terms),
            Op::Barrier => {
                self.barrier();
                Ok(())
            }
            Op::Mma(mma) => self.mma(inst, *mma),
            Op::LoadMatrix { memory, trans, words } => self.load_matrix(inst, *memory, *trans, *words),
            Op::CopyAhead { from, memory, vector } => {
                let bytes = *vector as usize * self.kernel.memory(*memory).dtype.size_bytes();
                let (to, from) = (self.name(*memory), self.name(*from));
                let regs = self.regs(inst.operands[0]);
                let call = format!("if ({}) copy_ahead_{bytes}({to} + {}, {from} + {});", text(2), text(1), text(0));
                if regs == 1 {
                    self.line(call);
                    return Ok(());
                }
                self.steps(regs, *vector);
                self.line(format!("  {call}"));
                self.line("}");
                Ok(())
            }
            Op::Check(doubt, words) => {
                let place = CHECK_WORDS * self.checks.len();
                let statement = format!("if ({}) failed_check(checks + {place}, {}, threadIdx.x);", text(0), text(1));
                self.checks.push(Check { doubt: *doubt, words: words.clone(), span: inst.span, operand: None });
                self.each(self.regs(inst.operands[0]), &statement);
                Ok(())
            }
            Op::Owned { memory, writes, masked, words } => {
                // What no block writes has no owner.
                let Some(at) = self.owned.iter().position(|(other, _)| other == memory) else { return Ok(()) };
                let first = self.owned[at].1 - self.kernel.memory(*memory).len;
                let place = CHECK_WORDS * self.checks.len();
                let guard = if *masked { format!("if ({}) ", text(2)) } else { String::new() };
                // Numbers that do not fit are nobody's.
                let number = Some(self.checks.len() + 1).filter(|number| *number < 256).unwrap_or(0);
                let (call, more) = if *writes { ("claim", format!(", {number}u")) } else { ("look", String::new()) };
                let (at, program) = (text(0), text(1));
                let statement = format!("{guard}{call}(owners + {first}, {at}, checks + {place}, {program}{more});");
                let operand = match self.kernel.memory(*memory).space {
                    Space::Operand { operand, .. } => Some(operand),
                    _ => None,
                };
                self.checks.push(Check { doubt: Doubt::Race, words: words.clone(), span: inst.span, operand });
                self.each(self.regs(inst.operands[0]), &statement);
                Ok(())
            }
            Op::Witness { element, masked, .. } => {
                let guard = if *masked { format!(" && {}", text(3)) } else { String::new() };
                let value = match terms.get(1) {
                    Some((value, dtype)) if dtype.is_float() => format!("double_bits({value})"),
                    _ => format!("(unsigned long long)(long long){}", text(1)),
                };
                let (at, program, number) = (text(0), text(2), self.stores.len());
                let call = format!("note_store(stores, {number}u, {program}, {value}, {STORES}ull);");
                self.stores.push(inst.span);
                self.each(self.regs(inst.operands[0]), &format!("if ({at} == {element}{guard}) {call}"));
                Ok(())
            }
            Op::Mark(site) => {
                let mask = marks::capacity(self.kernel) - 1;
                let what = format!("{site}ull << 48 | (unsigned long long){} << 32 | (unsigned){}", text(1), text(0));
                self.line(format!("if (t == 0) note_time(noted, count++, {mask}u, {what});"));
                Ok(())
            }
            Op::CommitAhead => {
                self.line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
                Ok(())
            }
            Op::WaitAhead(pending) => {
                self.line(format!("asm volatile(\"cp.async.wait_group {pending};\" ::: \"memory\");"));
                Ok(())
            }
            Op::Team => self.define(inst.results[0], if self.kernel.teams == 1 { "0" } else { "team" }),
            Op::Arrive { .. }
            | Op::Expect { .. }
            | Op::Claim { .. }
            | Op::Claimed(_)
            | Op::Await { .. }
            | Op::Arrived { .. }
            | Op::BringBox { .. }
            | Op::SendBox { .. }
            | Op::CommitSent
            | Op::WaitSent { .. }
            | Op::Publish => self.engine(inst),
            Op::MultiplyTensor(_)
            | Op::CopyTensor(_)
            | Op::ArriveTensor { .. }
            | Op::LoadTensor(_)
            | Op::StoreTensor(_) => self.tensor(inst),
            Op::Take(_) | Op::Keep(_) | Op::Multiply(_) | Op::WaitProducts(_) | Op::SetRegisters(_) => {
                self.product(inst)
            }
            Op::For => self.for_loop(inst),
            Op::While => self.while_loop(inst),
            Op::Switch => self.switch(inst),
            Op::Warps => self.warps(inst),
            Op::Print { pieces, masked } => {
                let mask = masked.then(|| inst.operands.last().copied()).flatten();
                let regs = inst.operands.iter().map(|&operand| self.regs(operand)).max().unwrap_or(1);
                let printed = terms.get(..terms.len() - usize::from(*masked)).unwrap_or_default();
                let statement = print_call(pieces, printed);
                match mask {
                    Some(mask) => self.each(regs, &format!("if ({}) {statement}", self.at(mask))),
                    None => self.line(format!("if (t == 0) {statement}")),
                }
                Ok(())
            }
        }
    }

    /// A loop over `r` in steps.
    pub(super) fn steps(&mut self, regs: u32, step: u32) {
        self.line(if regs <= UNROLLED { "#pragma unroll" } else { "#pragma unroll 1" });
        self.line(format!("for (int r = 0; r < {regs}; r += {step}) {{"));
    }
}

/// A line of pieces of text with terms between them.
fn print_call(pieces: &[String], terms: &[(String, DType)]) -> String {
    let mut format = String::new();
    let mut arguments = String::new();
    for (number, piece) in pieces.iter().enumerate() {
        let piece = piece.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('\n', "\\n");
        format.push_str(&piece);
        if let Some((text, dtype)) = terms.get(number) {
            let (conversion, cast) = match dtype {
                DType::U64 => ("%llu", "unsigned long long"),
                DType::I64 => ("%lld", "long long"),
                DType::U32 => ("%u", "unsigned"),
                dtype if dtype.is_float() => ("%g", "double"),
                _ => ("%d", "int"),
            };
            format.push_str(conversion);
            let _ = write!(arguments, ", ({cast}){text}");
        }
    }
    format!("printf(\"{format}\\n\"{arguments});")
}

/// A coordinate from the numbers of register and thread: what their bits flip, by exclusive or. Only terms that have no bit in common with
/// others are added, which addresses are made of; swizzled places have some.
fn coordinate(layout: &Layout, dim: usize) -> String {
    let mut sums: Vec<(u32, Vec<String>)> = Vec::new();
    for (number, bits) in [("r", layout.regs.as_slice()), ("t", layout.threads.as_slice())] {
        let flips: Vec<u32> = layout.along(bits, dim).collect();
        let mut bit = 0;
        while bit < flips.len() {
            let first = flips[bit];
            if first == 0 {
                bit += 1;
                continue;
            }
            // Neighbours that flip neighbours are one field.
            let mut length = 1;
            while bit + length < flips.len() && flips[bit + length] == first << length && first.is_power_of_two() {
                length += 1;
            }
            let field = format!("({number} >> {bit} & {})", (1u32 << length) - 1);
            let mut flipped = flips[bit..bit + length].iter().fold(0, |all, flips| all | flips);
            let mut terms = vec![if first == 1 { field } else { format!("{field} * {first}") }];
            // Those that it has bits in common with, in their order.
            let (met, apart) = sums.into_iter().partition(|(others, _)| others & flipped != 0);
            sums = apart;
            let met: Vec<(u32, Vec<String>)> = met;
            for (others, before) in met.into_iter().rev() {
                flipped |= others;
                terms.splice(0..0, before);
            }
            sums.push((flipped, terms));
            bit += length;
        }
    }
    let sum = |(_, terms): (u32, Vec<String>)| match terms.as_slice() {
        [term] => term.clone(),
        terms => format!("({})", terms.join(" ^ ")),
    };
    if sums.is_empty() { "0".to_string() } else { sums.into_iter().map(sum).collect::<Vec<_>>().join(" + ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::SmallVec;

    /// What a printed coordinate comes to.
    fn value(expression: &str, register: u32, thread: u32) -> u32 {
        let field = |text: &str| {
            let (field, factor) = text.split_once(" * ").unwrap_or((text, "1"));
            let words: Vec<&str> = field.trim_matches(['(', ')']).split(' ').collect();
            let [number, _, bit, _, mask] = words[..] else { panic!("`{text}` is no field") };
            let number = if number == "r" { register } else { thread };
            let [bit, mask, factor] =
                [bit, mask, factor.trim_matches(')')].map(|text| text.parse::<u32>().expect("a number"));
            (number >> bit & mask) * factor
        };
        let exclusive = |text: &str| text.split(" ^ ").map(field).fold(0, |all, some| all ^ some);
        expression.split(" + ").map(exclusive).sum()
    }

    /// A sum of places that two bits flip is no place of a swizzle: it goes on behind the end of the array.
    #[test]
    fn a_swizzled_coordinate_is_an_exclusive_or() {
        let layout = Layout {
            shape: SmallVec::from_slice(&[1024]),
            regs: SmallVec::from_slice(&[1, 2, 4]),
            threads: SmallVec::from_slice(&[8, 16, 32, 64 | 8, 128 | 16, 256 | 32, 512]),
        };
        let expression = coordinate(&layout, 0);
        for register in 0..8 {
            for thread in 0..128 {
                assert_eq!(value(&expression, register, thread), layout.place(register, thread), "{expression}");
            }
        }
        let plain = "(r >> 0 & 7) + ((t >> 0 & 7) * 8 ^ (t >> 3 & 1) * 72 ^ (t >> 4 & 1) * 144 ^ (t >> 5 & 1) * 288) + (t >> 6 & 1) * 512";
        assert_eq!(expression, plain);
    }
}
