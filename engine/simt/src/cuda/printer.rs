//! The printer: a function around statements, the memory that it declares, and what every kind of statement is put together of.

use super::types::{Words, literal, words};
use super::{Printed, prelude};
use crate::ir::{ALIGNMENT, Kernel, MemoryId, Region, Space, Value};
use crate::marks;
use crate::{Check, LineEntry, Refusal};
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
    pub(super) checks: Vec<Check>,
    pub(super) stores: Vec<Span>,
    /// Arrays whose elements have owners; see [`owned`](super::owned).
    pub(super) owned: Vec<(MemoryId, usize)>,
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

    /// A loop over `r` in steps.
    pub(super) fn steps(&mut self, regs: u32, step: u32) {
        self.line(if regs <= UNROLLED { "#pragma unroll" } else { "#pragma unroll 1" });
        self.line(format!("for (int r = 0; r < {regs}; r += {step}) {{"));
    }
}
