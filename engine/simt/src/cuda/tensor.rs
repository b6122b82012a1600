//! Tensor memory in CUDA C++ (`tcgen05`): it is asked for when the kernel begins and given back at its end, by the first warp.

use super::inst::Printer;
use crate::Refusal;
use crate::ir::{Factor, Inst, Op, Space, TensorProduct, WARP};
use pallas_tensor::DType;

/// The fewest columns that a device gives.
const FEWEST: usize = 32;

impl Printer<'_> {
    /// Columns that the kernel has.
    pub(super) fn tensor_columns(&self) -> usize {
        let columns: usize = self
            .kernel
            .memories()
            .filter(|(_, memory)| memory.space == Space::Tensor)
            .map(|(_, memory)| memory.len)
            .sum();
        if columns == 0 { 0 } else { columns.next_power_of_two().max(FEWEST) }
    }

    /// How many blocks have tensor memory together: all that is done to it has to say the same.
    fn group(&self) -> u32 {
        let mut pairs = false;
        self.kernel.body.walk(&mut |inst| pairs |= matches!(&inst.op, Op::MultiplyTensor(product) if product.pair));
        1 + u32::from(pairs)
    }

    pub(super) fn begin_tensor(&mut self) {
        let columns = self.tensor_columns();
        if columns == 0 {
            return;
        }
        let group = self.group();
        let at = super::places(self.kernel, super::is_shared).1;
        self.line(format!("unsigned* tensor_slot = (unsigned*)(shared + {at});"));
        self.line(format!("if (threadIdx.x < {WARP}) {{"));
        self.line(format!(
            "  asm volatile(\"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%0], {columns};\" :: \
             \"r\"(at_shared(tensor_slot)) : \"memory\");"
        ));
        self.line(format!("  asm volatile(\"tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;\");"));
        self.line("}");
        self.line("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");");
        match group {
            1 => self.line("__syncthreads();"),
            _ => self.cluster_barrier(),
        }
        self.line("asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
        self.line("const unsigned tensor_begin = *tensor_slot;");
        let mut first = 0;
        let arrays: Vec<(String, usize)> = self
            .kernel
            .memories()
            .filter(|(_, memory)| memory.space == Space::Tensor)
            .map(|(id, memory)| (self.name(id), memory.len))
            .collect();
        for (name, len) in arrays {
            self.line(format!("const unsigned {name} = tensor_begin + {first};"));
            first += len;
        }
    }

    pub(super) fn end_tensor(&mut self) {
        let columns = self.tensor_columns();
        if columns == 0 {
            return;
        }
        self.line("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");");
        self.line("__syncthreads();");
        self.line(format!(
            "if (threadIdx.x < {WARP}) asm volatile(\"tcgen05.dealloc.cta_group::{}.sync.aligned.b32 %0, {columns};\" :: \
             \"r\"(tensor_begin));",
            self.group()
        ));
    }

    pub(super) fn tensor(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let terms: Vec<String> = inst.operands.iter().map(|&value| self.at(value)).collect();
        match &inst.op {
            Op::MultiplyTensor(product) => self.multiply_tensor(product, &terms),
            Op::ArriveTensor { phases, pair } => {
                let (place, warps) = (format!("{} + {}", self.name(*phases), terms[0]), self.kernel.threads / WARP);
                let group = self.group();
                self.line("if (t == 0) {");
                self.line(format!("  arrive({place}, {});", warps - 1));
                let (how, more, mask) = match pair {
                    false => ("", "", String::new()),
                    true => {
                        self.line(format!("  arrive_at({place}, {} + 1, {});", terms[1], warps - 1));
                        (".multicast::cluster", ", %1", format!(", \"h\"((unsigned short)(3 << {}))", terms[1]))
                    }
                };
                self.line(format!(
                    "  asm volatile(\"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster{how}.b64 [%0]{more};\" :: \
                     \"r\"(at_shared({place})){mask} : \"memory\");"
                ));
                self.line("}");
            }
            Op::LoadTensor(memory) => {
                let (name, result) = (self.name(*memory), inst.results[0]);
                let columns = self.regs(result);
                self.declare(result)?;
                let wide = columns.min(WIDE);
                for first in (0..columns).step_by(wide as usize) {
                    let value = if columns == 1 { format!("v{}", result.0) } else { String::new() };
                    let register = |number: u32| match columns {
                        1 => value.clone(),
                        _ => format!("v{}[{}]", result.0, first + number),
                    };
                    let places: Vec<String> = (0..wide).map(|number| format!("%{number}")).collect();
                    let outputs: Vec<String> =
                        (0..wide).map(|number| format!("\"=f\"({})", register(number))).collect();
                    self.line(format!(
                        "asm volatile(\"tcgen05.ld.sync.aligned.32x32b.x{wide}.b32 {{{}}}, [%{wide}];\\ntcgen05.wait::ld.sync.aligned;\" \
                         : {} : \"r\"({name} + {} + {first} + ((t >> 5) << 21)) : \"memory\");",
                        places.join(", "),
                        outputs.join(", "),
                        terms[0]
                    ));
                }
            }
            Op::StoreTensor(memory) => {
                let (name, value) = (self.name(*memory), inst.operands[1]);
                let columns = self.regs(value);
                let wide = columns.min(WIDE);
                for first in (0..columns).step_by(wide as usize) {
                    let register = |number: u32| match columns {
                        1 => format!("v{}", value.0),
                        _ => format!("v{}[{}]", value.0, first + number),
                    };
                    let places: Vec<String> = (1..=wide).map(|number| format!("%{number}")).collect();
                    let inputs: Vec<String> = (0..wide).map(|number| format!("\"f\"({})", register(number))).collect();
                    self.line(format!(
                        "asm volatile(\"tcgen05.st.sync.aligned.32x32b.x{wide}.b32 [%0], {{{}}};\\ntcgen05.wait::st.sync.aligned;\" \
                         :: \"r\"({name} + {} + {first} + ((t >> 5) << 21)), {} : \"memory\");",
                        places.join(", "),
                        terms[0],
                        inputs.join(", ")
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn multiply_tensor(&mut self, product: &TensorProduct, terms: &[String]) {
        let [rows, columns, count] = product.extents;
        let (acc, step) = (self.name(product.acc), product.step());
        let wide = columns.min(TensorProduct::COLUMNS);
        let (function, blocks) = if product.pair { ("multiply_tensor_of_two", 2) } else { ("multiply_tensor", 1) };
        let turned = |factor: &Factor| u32::from(!factor.terms_last);
        let kind = u32::from(product.dtype == DType::BF16);
        // Sums in f32; dtypes and ways of both factors; columns in eights and rows in sixteens.
        let said = 1 << 4
            | kind << 7
            | kind << 10
            | turned(&product.left) << 15
            | turned(&product.right) << 16
            | (wide as u32 / 8) << 17
            | (blocks * rows as u32 / 16) << 24;
        self.line("if (t == 0) {");
        self.line("  asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
        for part in 0..columns / wide {
            for number in 0..count / step {
                let left = self.tensor_descriptor(&product.left, &terms[1], 0, number * step);
                let right = self.tensor_descriptor(&product.right, &terms[2], part * wide, number * step);
                let adds = if number == 0 { format!("(int){}", terms[3]) } else { "1".to_string() };
                self.line(format!(
                    "  {function}({acc} + {} + {}, {left}, {right}, {said}u, {adds});",
                    terms[0],
                    part * wide
                ));
            }
        }
        self.line("}");
    }

    fn tensor_descriptor(&self, factor: &Factor, begin: &str, free: usize, term: usize) -> String {
        let bytes = self.kernel.memory(factor.memory).dtype.size_bytes();
        let (row, column) = if factor.terms_last { (free, term) } else { (term, free) };
        let width = factor.width(bytes);
        let far = column / width * factor.rows * width + row * width + column % width;
        let (panel, eight) = (factor.rows * factor.swizzle, 8 * factor.swizzle);
        let code = match factor.swizzle {
            128 => 2,
            64 => 4,
            _ => 6,
        };
        format!("factor_at({} + {begin} + {far}, {panel}, {eight}, {code})", self.name(factor.memory))
    }
}

/// Columns that one instruction loads.
const WIDE: u32 = 64;
