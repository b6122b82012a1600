//! Accesses to memory that are no plain statement: of several elements as one word, and atomic ones.

use super::printer::Printer;
use super::types::Words;
use crate::Refusal;
use crate::ir::{Combine, Inst, MemoryId, Value};
use pallas_tensor::DType;

impl Printer<'_> {
    /// The word of a wide access, and how memory's elements become a register's.
    fn wide(&self, memory: MemoryId, vector: u32) -> Result<(&'static str, Words), Refusal> {
        let dtype = self.kernel.memory(memory).dtype;
        let words = self.words(dtype)?;
        let word = match dtype.size_bytes() * vector as usize {
            16 => "uint4",
            8 => "uint2",
            4 => "unsigned",
            _ => "unsigned short",
        };
        Ok((word, words))
    }

    /// Reads neighbours as one word.
    pub(super) fn wide_load(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        masked: bool,
        other: bool,
        vector: u32,
    ) -> Result<(), Refusal> {
        let (word, words) = self.wide(memory, vector)?;
        let (result, name) = (inst.results[0], self.name(memory));
        let nth = |number: usize, at: &str| format!("v{}[{at}]", inst.operands[number].0);
        self.declare(result)?;
        self.steps(self.regs(result), vector);
        self.line(format!("  alignas({word}) {} w[{vector}];", words.memory));
        let guard = if masked { format!("if ({}) ", nth(1, "r")) } else { String::new() };
        self.line(format!("  {guard}as_one<{word}>(w, {name} + {});", nth(0, "r")));
        let element = if words.load.is_empty() { "w[j]".to_string() } else { format!("{}(w[j])", words.load) };
        let element = match (masked, other) {
            (false, _) => element,
            (true, false) => format!("{} ? {element} : ({})0", nth(1, "r"), words.register),
            (true, true) => format!("{} ? {element} : {}", nth(1, "r"), nth(2, "r + j")),
        };
        self.line("  #pragma unroll");
        self.line(format!("  for (int j = 0; j < {vector}; ++j) v{}[r + j] = {element};", result.0));
        self.line("}");
        Ok(())
    }

    /// Writes neighbours as one word.
    pub(super) fn wide_store(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        masked: bool,
        vector: u32,
    ) -> Result<(), Refusal> {
        let (word, words) = self.wide(memory, vector)?;
        let name = self.name(memory);
        let nth = |number: usize, at: &str| format!("v{}[{at}]", inst.operands[number].0);
        self.steps(self.regs(inst.operands[0]), vector);
        self.line(format!("  alignas({word}) {} w[{vector}];", words.memory));
        self.line("  #pragma unroll");
        let value = nth(1, "r + j");
        let value = if words.store.is_empty() { value } else { format!("{}({value})", words.store) };
        self.line(format!("  for (int j = 0; j < {vector}; ++j) w[j] = {value};"));
        let guard = if masked { format!("if ({}) ", nth(2, "r")) } else { String::new() };
        self.line(format!("  {guard}as_one<{word}>({name} + {}, w);", nth(0, "r")));
        self.line("}");
        Ok(())
    }

    /// Registers of another value.
    pub(super) fn pick(&mut self, result: Value, from: Value, table: &[u32]) -> Result<(), Refusal> {
        let source = |register: u32| match self.regs(from) {
            1 => format!("v{}", from.0),
            _ => format!("v{}[{register}]", from.0),
        };
        let first = table.first().copied().unwrap_or(0);
        if table.iter().all(|&register| register == first) {
            let text = source(first);
            return self.define(result, &text);
        }
        let texts: Vec<String> = table.iter().map(|&register| source(register)).collect();
        self.declare(result)?;
        for (register, text) in texts.iter().enumerate() {
            self.line(format!("v{}[{register}] = {text};", result.0));
        }
        Ok(())
    }

    /// A change of memory that nobody comes between.
    pub(super) fn atomic(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        combine: Combine,
        masked: bool,
        terms: &[(String, DType)],
    ) -> Result<(), Refusal> {
        let dtype = self.kernel.memory(memory).dtype;
        let (place, value) = (format!("&{}[{}]", self.name(memory), terms[0].0), &terms[1].0);
        let call = match (combine, dtype) {
            (Combine::Max, DType::F32) => format!("atomic_max({place}, {value})"),
            (Combine::Min, DType::F32) => format!("atomic_min({place}, {value})"),
            (Combine::Add, DType::F32 | DType::F64 | DType::I32 | DType::U32 | DType::U64)
            | (Combine::Exchange, DType::F32 | DType::I32 | DType::U32 | DType::U64)
            | (
                Combine::Max | Combine::Min | Combine::And | Combine::Or | Combine::Xor,
                DType::I32 | DType::U32 | DType::U64,
            ) => {
                let function = match combine {
                    Combine::Add => "atomicAdd",
                    Combine::Exchange => "atomicExch",
                    Combine::Max => "atomicMax",
                    Combine::Min => "atomicMin",
                    Combine::And => "atomicAnd",
                    Combine::Or => "atomicOr",
                    Combine::Xor => "atomicXor",
                };
                format!("{function}({place}, {value})")
            }
            _ => {
                let words = self.words(dtype)?;
                let was = if words.load.is_empty() { "was".to_string() } else { format!("{}(was)", words.load) };
                let new = match combine.op() {
                    Some(op) => {
                        let terms = [(was.as_str(), dtype), (value.as_str(), dtype)];
                        let none = pallas_ir::Attributes::none();
                        super::expression::expression(op, &none, &terms, dtype)
                            .ok_or_else(|| self.refuse(&format!("an atomic {} of {}", combine.name(), dtype.name())))?
                    }
                    None => value.clone(),
                };
                let new = if words.store.is_empty() { new } else { format!("{}({new})", words.store) };
                let memory = words.memory;
                let call = format!("atomic_update({place}, [&]({memory} was) {{ return ({memory})({new}); }})");
                if words.load.is_empty() { call } else { format!("{}({call})", words.load) }
            }
        };
        let register = self.words(dtype)?.register;
        let expression = if masked { format!("{} ? {call} : ({register})0", terms[2].0) } else { call };
        self.define(inst.results[0], &expression)
    }
}
