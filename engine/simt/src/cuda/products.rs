//! Products of warpgroups in CUDA C++ (`wgmma`): one asynchronous instruction for each 64 rows, 256 columns and step of terms, with
//! descriptors of where its factors lie in shared memory.

use super::printer::Printer;
use crate::Refusal;
use crate::ir::{Factor, Inst, Op, Product, Region, Space};
use pallas_tensor::DType;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Functions that a text calls and that depend on extents, by name.
pub(super) type Instructions = BTreeMap<String, String>;

/// For each dtype of factors: what the instruction calls it.
static NAMES: &[(DType, &str)] =
    &[(DType::BF16, "bf16"), (DType::F16, "f16"), (DType::F8E4M3Fn, "e4m3"), (DType::F8E5M2, "e5m2")];

/// How many products a round of a loop leaves under way.
pub(super) fn left_under_way(body: &Region) -> u32 {
    if !body.insts.iter().any(|inst| matches!(inst.op, Op::Multiply(_))) {
        return 0;
    }
    let waits = body.insts.iter().rev().find_map(|inst| match inst.op {
        Op::WaitProducts(pending) => Some(pending),
        _ => None,
    });
    waits.unwrap_or(0)
}

/// What is printed for where the left factor of a product begins, and the right one.
static BEGINS: [&str; 2] = ["left_at", "right_at"];

/// So many bytes further on. The lowest bits of a descriptor count pieces of 16 bytes, as many as there are of shared memory.
fn further(side: usize, bytes: usize) -> String {
    if bytes == 0 { BEGINS[side].to_string() } else { format!("{} + {}", BEGINS[side], bytes / 16) }
}

impl Printer<'_> {
    /// Whether teams ask for more registers than others.
    pub(super) fn sets_registers(&self) -> bool {
        let mut sets = false;
        self.kernel.body.walk(&mut |inst| sets |= matches!(inst.op, Op::SetRegisters(_)));
        sets
    }

    /// Registers that live as long as the kernel.
    pub(super) fn accumulators(&mut self) {
        let mut share = false;
        self.kernel.body.walk(&mut |inst| {
            share |= matches!(inst.op, Op::Multiply(product) if product.groups != [1, 1]);
        });
        if share {
            // The same in all lanes, and known to be.
            let threads = Product::THREADS;
            self.line(format!("const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / {threads}, 0);"));
        }
        let arrays: Vec<(String, usize)> = self
            .kernel
            .memories()
            .filter(|(_, memory)| memory.space == Space::Registers && memory.len > 0)
            .map(|(id, memory)| (self.name(id), memory.len))
            .collect();
        for (name, len) in arrays {
            self.line(format!("float {name}[{len}];"));
        }
    }

    pub(super) fn product(&mut self, inst: &Inst) -> Result<(), Refusal> {
        match &inst.op {
            Op::Take(memory) => {
                let element = format!("{}[r]", self.name(*memory));
                let (result, regs) = (inst.results[0], self.regs(inst.results[0]));
                // Products write there behind the compiler's back: nothing that was computed from it before the wait counts.
                self.each(regs, &format!("asm volatile(\"\" : \"+f\"({element}) :: \"memory\");"));
                self.declare(result)?;
                self.each(regs, &format!("v{}[r] = {element};", result.0));
            }
            Op::Keep(memory) => {
                let (name, value) = (self.name(*memory), inst.operands[0]);
                let from = self.at(value);
                self.each(self.regs(value), &format!("{name}[r] = {from};"));
            }
            Op::Multiply(product) => self.multiply(inst, product)?,
            Op::WaitProducts(pending) => {
                self.line(format!("asm volatile(\"wgmma.wait_group.sync.aligned {pending};\" ::: \"memory\");"));
            }
            Op::SetRegisters(count) => {
                let (what, count) = if *count < 0 { ("dec", -count) } else { ("inc", *count) };
                let count = count.clamp(24, 256) / 8 * 8;
                self.line(format!("asm volatile(\"setmaxnreg.{what}.sync.aligned.u32 {count};\");"));
            }
            _ => {}
        }
        Ok(())
    }

    fn multiply(&mut self, inst: &Inst, product: &Product) -> Result<(), Refusal> {
        let name = NAMES.iter().find(|(dtype, _)| *dtype == product.dtype).map(|(_, name)| *name);
        let name = name.ok_or_else(|| self.refuse(&format!("a product of {}", product.dtype.name())))?;
        let ([rows, columns], terms) = (product.own(), product.extents[2]);
        let bytes = product.dtype.size_bytes();
        let (step, per_word) = (product.step(), 4 / bytes);
        let wide = columns.min(Product::COLUMNS);
        let function = self.instruction(product, name, wide);
        let acc = self.name(product.acc);
        self.line("{");
        self.depth += 1;
        let words = match product.left {
            Some(_) => None,
            None => {
                let (left, count) = (inst.operands[0], product.left_registers() / per_word);
                let packed = format!("p{}_{}", left.0, product.acc.0);
                let pack = match product.dtype {
                    DType::F8E4M3Fn => "f8e4m3fn",
                    DType::F8E5M2 => "f8e5m2",
                    _ => name,
                };
                self.line(format!("unsigned {packed}[{count}];"));
                self.each(count as u32, &format!("{packed}[r] = pack_{pack}(v{} + r * {per_word});", left.0));
                Some(packed)
            }
        };
        // The registers may be read from now on, whatever was written to them before.
        self.line("asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");");
        let [down, across] = product.groups;
        let shares = [(product.left.as_ref(), down, "%", rows), (Some(&product.right), across, "/", columns)];
        for (number, (factor, count, which, own)) in shares.into_iter().enumerate() {
            let Some(factor) = factor else { continue };
            let mut begin = self.at(inst.operands[number]);
            if count > 1 {
                // Each warpgroup has rows or columns of its own.
                begin = format!("{begin} + warpgroup {which} {down} * {}", factor.far(own, 0, bytes));
            }
            let descriptor = self.descriptor(factor, &begin);
            self.line(format!("const unsigned long long {} = {descriptor};", BEGINS[number]));
        }
        for block in 0..rows / Product::ROWS {
            for part in 0..columns / wide {
                for number in 0..terms / step {
                    let to = format!("{acc} + {}", block * columns / 2 + part * wide / 2);
                    let left = match (&product.left, &words) {
                        (_, Some(words)) => format!("{words} + {}", (block * (terms / step) + number) * 4),
                        (Some(factor), _) => {
                            further(0, factor.far(block * Product::ROWS, number * step, bytes) * bytes)
                        }
                        (None, None) => return Err(self.refuse("a product without a left factor")),
                    };
                    let right = further(1, product.right.far(part * wide, number * step, bytes) * bytes);
                    self.line(format!("{function}({to}, {left}, {right});"));
                }
            }
        }
        self.line("asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");");
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// Where a factor begins, and how far apart are eights of rows and panels.
    fn descriptor(&self, factor: &Factor, begin: &str) -> String {
        let (panel, eight) = (factor.rows * factor.swizzle, 8 * factor.swizzle);
        let code = match factor.swizzle {
            128 => 1,
            64 => 2,
            _ => 3,
        };
        format!("matrix_at({} + {begin}, {panel}, {eight}, {code})", self.name(factor.memory))
    }

    /// The function that is one instruction.
    fn instruction(&mut self, product: &Product, dtype: &str, wide: usize) -> String {
        let in_registers = product.left.is_none();
        let turned = |factor: &Factor| u32::from(!factor.terms_last);
        let (left, right) = (product.left.as_ref().map_or(0, turned), turned(&product.right));
        let function = format!("multiply_{wide}_{dtype}{}_{left}{right}", if in_registers { "_registers" } else { "" });
        let sums = wide / 2;
        let list = |first: usize, count: usize| {
            (first..first + count).map(|number| format!("%{number}")).collect::<Vec<_>>().join(", ")
        };
        let (factor, next) = match in_registers {
            true => (format!("{{{}}}", list(sums, 4)), sums + 4),
            false => (format!("%{sums}"), sums + 1),
        };
        // Only factors of two bytes may be turned.
        let ways = match (product.dtype.size_bytes(), in_registers) {
            (2, true) => format!(", {right}"),
            (2, false) => format!(", {left}, {right}"),
            _ => String::new(),
        };
        let step = product.step();
        let (kind, given) = match in_registers {
            true => ("const unsigned* a", (0..4).map(|n| format!("\"r\"(a[{n}]), ")).collect::<String>()),
            false => ("unsigned long long a", "\"l\"(a), ".to_string()),
        };
        let mut text = format!(
            "__device__ __forceinline__ void {function}(float* d, {kind}, unsigned long long b) {{ asm volatile(\"\
             {{\\n.reg .pred p;\\nsetp.eq.u32 p, 1, 1;\\nwgmma.mma_async.sync.aligned.m64n{wide}k{step}.f32.{dtype}.{dtype} {{{}}}, \
             {factor}, %{next}, p, 1, 1{ways};\\n}}\" : ",
            list(0, sums)
        );
        for number in 0..sums {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}\"+f\"(d[{number}])", if number == 0 { "" } else { ", " });
        }
        let _ = write!(text, " : {given}\"l\"(b)); }}");
        self.instructions.insert(function.clone(), text);
        function
    }
}
