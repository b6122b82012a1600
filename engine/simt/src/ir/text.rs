//! The text form, for tests and for people: one line for an instruction, `%value : dtype x registers`.

use super::{Inst, Kernel, Memory, Op, Region, Space, Value};
use pallas_ir::Attribute;
use std::fmt::{self, Write};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let teams = if self.teams == 1 { String::new() } else { format!(" teams={}", self.teams) };
        let cluster = if self.cluster == 1 { String::new() } else { format!(" cluster={}", self.cluster) };
        writeln!(f, "kernel @{} blocks={} threads={}{teams}{cluster} {{", self.name, self.blocks, self.threads)?;
        for memory in &self.memories {
            writeln!(f, "  {memory}")?;
        }
        for (number, map) in self.maps.iter().enumerate() {
            let swizzle = if map.swizzle == 0 { String::new() } else { format!(" swizzled {}", map.swizzle) };
            let name = &self.memory(map.memory).name;
            writeln!(f, "  map {number}: {:?} of {name}{:?}{swizzle}", map.boxed, map.extents)?;
        }
        self.region(f, &self.body, 1)?;
        f.write_str("}\n")
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = match &self.space {
            Space::Operand { operand, constant: true } => format!("operand {operand}, constant"),
            Space::Operand { operand, .. } => format!("operand {operand}"),
            Space::Shared => self.at.map_or("shared".to_string(), |at| format!("shared at {at}")),
            Space::Team => "team".to_string(),
            Space::Registers => "registers".to_string(),
            Space::Tensor => "tensor".to_string(),
            Space::Phases { arrivals } => format!("phases of {arrivals}"),
            Space::Workspace => "workspace".to_string(),
            Space::Constant(_) => "constant".to_string(),
        };
        write!(f, "memory {}: {}[{}] in {space}", self.name, self.dtype.short_name(), self.len)?;
        self.begins.map_or(Ok(()), |element| write!(f, ", begins as {element:?}"))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Kernel {
    fn region(&self, f: &mut fmt::Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        for inst in &region.insts {
            f.write_str(&indent)?;
            self.inst(f, inst)?;
            for (number, inner) in inst.regions.iter().enumerate() {
                let words = if number == 0 { " {" } else { " else {" };
                f.write_str(words)?;
                if !inner.params.is_empty() {
                    write!(f, " {} ->", self.typed(&inner.params))?;
                }
                f.write_str("\n")?;
                self.region(f, inner, depth + 1)?;
                if !inner.yields.is_empty() {
                    writeln!(f, "{indent}  yield {}", list(&inner.yields))?;
                }
                write!(f, "{indent}}}")?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }

    fn inst(&self, f: &mut fmt::Formatter<'_>, inst: &Inst) -> fmt::Result {
        if !inst.results.is_empty() {
            write!(f, "{} = ", list(&inst.results))?;
        }
        f.write_str(&self.words(&inst.op))?;
        if !inst.operands.is_empty() {
            write!(f, " {}", list(&inst.operands))?;
        }
        if !inst.results.is_empty() {
            let types: Vec<String> = inst.results.iter().map(|&value| self.type_words(value)).collect();
            write!(f, " : {}", types.join(", "))?;
        }
        Ok(())
    }

    fn type_words(&self, value: Value) -> String {
        let ty = self.ty(value);
        format!("{} x {}", ty.dtype.short_name(), ty.regs)
    }

    fn typed(&self, values: &[Value]) -> String {
        let words: Vec<String> = values.iter().map(|&value| format!("{value}: {}", self.type_words(value))).collect();
        words.join(", ")
    }

    fn words(&self, op: &Op) -> String {
        let name = |id| &self.memory(id).name;
        let masks = |masked: bool, other: bool| match (masked, other) {
            (true, true) => " masked other",
            (true, false) => " masked",
            _ => "",
        };
        match op {
            Op::Const(value) => format!("const {}", scalar(value)),
            Op::Block => "block".to_string(),
            Op::Coord { layout, dim } => {
                format!("coord {dim} of {:?} regs {:?} threads {:?}", layout.shape, layout.regs, layout.threads)
            }
            Op::Owner(layout) => format!("owner {:b}", layout.copies()),
            Op::Scalar(op, attributes) => {
                let mut words = op.name.to_string();
                for (name, value) in &attributes.0 {
                    let value = match value {
                        Attribute::Int(value) => value.to_string(),
                        Attribute::Bool(value) => value.to_string(),
                        Attribute::DType(dtype) => dtype.short_name().to_string(),
                        value => format!("{value:?}"),
                    };
                    // Writing to a string cannot fail.
                    let _ = write!(words, " {name}={value}");
                }
                words
            }
            Op::Pick(table) if table.iter().all(|&from| from == 0) => format!("splat {}", table.len()),
            Op::Pick(table) => format!("pick {table:?}"),
            Op::ShuffleXor(mask) => format!("shuffle_xor {mask}"),
            Op::Load { memory, masked, other, vector, .. } => {
                format!("load{} {}{}", wide(*vector), name(*memory), masks(*masked, *other))
            }
            Op::Store { memory, masked, vector, .. } => {
                format!("store{} {}{}", wide(*vector), name(*memory), masks(*masked, false))
            }
            Op::Atomic { memory, combine, masked } => {
                format!("atomic {} {}{}", combine.name(), name(*memory), masks(*masked, false))
            }
            Op::Barrier => "barrier".to_string(),
            Op::Mma(mma) => format!("mma {} rows={} columns={}", mma.dtype.short_name(), mma.rows, mma.columns),
            Op::LoadMatrix { memory, trans, words } => {
                format!("load_matrix.{words}{} {}", if *trans { " trans" } else { "" }, name(*memory))
            }
            Op::CopyAhead { from, memory, vector } => {
                format!("copy_ahead{} {} to {}", wide(*vector), name(*from), name(*memory))
            }
            Op::Check(_, words) => format!("check {words:?}"),
            Op::Owned { memory, words, .. } => format!("owned {} {words:?}", name(*memory)),
            Op::Witness { memory, element, masked } => {
                format!("witness {}[{element}]{}", name(*memory), masks(*masked, false))
            }
            Op::CommitAhead => "commit_ahead".to_string(),
            Op::WaitAhead(pending) => format!("wait_ahead {pending}"),
            Op::Mark(site) => format!("mark {site}"),
            Op::Team => "team".to_string(),
            Op::Arrive { phases, alone, across } => {
                let (alone, across) = (if *alone { " alone" } else { "" }, if *across { " across" } else { "" });
                format!("arrive{alone}{across} {}", name(*phases))
            }
            Op::Expect { phases, bytes } => format!("expect {bytes} bytes for {}", name(*phases)),
            Op::Await { phases } => format!("await {}", name(*phases)),
            Op::Arrived { phases } => format!("arrived {}", name(*phases)),
            Op::BringBox { map, memory, phases, share } => {
                let share = match share {
                    super::Share::Own => "",
                    super::Share::All => " of all",
                    super::Share::Leader => " of another",
                };
                format!("bring {map} to {} for {}{share}", name(*memory), name(*phases))
            }
            Op::SendBox { memory, map, combine } => format!("send {} {} to {map}", combine.name(), name(*memory)),
            Op::CommitSent => "commit_sent".to_string(),
            Op::WaitSent { pending, read } => format!("wait_sent {pending}{}", if *read { " read" } else { "" }),
            Op::Publish => "publish".to_string(),
            Op::Take(memory) => format!("take {}", name(*memory)),
            Op::Keep(memory) => format!("keep {}", name(*memory)),
            Op::Multiply(product) => {
                let side = |factor: &super::Factor| {
                    let turned = if factor.terms_last { "" } else { " turned" };
                    format!("{} of {} rows swizzled {}{turned}", name(factor.memory), factor.rows, factor.swizzle)
                };
                let left = product.left.as_ref().map_or("registers".to_string(), side);
                let ([m, n, k], right) = (product.extents, side(&product.right));
                let dtype = product.dtype.short_name();
                let groups = match product.groups {
                    [1, 1] => String::new(),
                    [rows, columns] => format!(" by {rows} x {columns} warpgroups"),
                };
                format!("multiply {dtype} {m} x {n} x {k}{groups} into {}: {left}; {right};", name(product.acc))
            }
            Op::MultiplyTensor(product) => {
                let ([m, n, k], dtype) = (product.extents, product.dtype.short_name());
                let (left, right) = (name(product.left.memory()), name(product.right.memory));
                let pair = if product.pair { " of two" } else { "" };
                let dtype = match product.scales {
                    None => dtype.to_string(),
                    Some([left, right]) => format!("{dtype} scaled by {} and {}", name(left), name(right)),
                };
                let places = product.places.map_or(String::new(), |places| format!(" where {} says", name(places)));
                let acc = name(product.acc);
                format!("multiply_tensor{pair} {dtype} {m} x {n} x {k} into {acc}: {left}{places}; {right};")
            }
            Op::CopyTensor(copy) => {
                let ([rows, columns], from) = (copy.extents, name(copy.from.memory()));
                let pair = if copy.pair { " of two" } else { "" };
                format!("copy_tensor{pair} {rows} x {columns} {from} to {}", name(copy.to))
            }
            Op::ArriveTensor { phases, pair } => {
                format!("arrive_tensor{} {}", if *pair { " of two" } else { "" }, name(*phases))
            }
            Op::LoadTensor(memory) => format!("load_tensor {}", name(*memory)),
            Op::StoreTensor(memory) => format!("store_tensor {}", name(*memory)),
            Op::Claim { memory, phases } => format!("claim to {} for {}", name(*memory), name(*phases)),
            Op::Claimed(memory) => format!("claimed {}", name(*memory)),
            Op::WaitProducts(pending) => format!("wait_products {pending}"),
            Op::SetRegisters(count) => format!("set_registers {count}"),
            Op::For => "for".to_string(),
            Op::While => "while".to_string(),
            Op::Switch => "switch".to_string(),
            Op::Warps => "warps".to_string(),
            Op::Print { pieces, masked } => format!("print {pieces:?}{}", if *masked { " masked" } else { "" }),
        }
    }
}

/// So many registers at a time.
fn wide(vector: u32) -> String {
    if vector == 1 { String::new() } else { format!(".{vector}") }
}

fn list(values: &[Value]) -> String {
    let words: Vec<String> = values.iter().map(Value::to_string).collect();
    words.join(", ")
}

fn scalar(value: &pallas_tensor::Scalar) -> String {
    match value {
        pallas_tensor::Scalar::Bool(value) => value.to_string(),
        pallas_tensor::Scalar::Int(value) => value.to_string(),
        pallas_tensor::Scalar::Float(value) => format!("{value:?}"),
        pallas_tensor::Scalar::Key(words) => format!("{words:?}"),
    }
}
