//! Tensor memory in CUDA C++ (`tcgen05`): it is asked for when the kernel begins and given back at its end, by the first warp.

use super::printer::Printer;
use crate::Refusal;
use crate::ir::{
    Factor, Inst, Kernel, LeftFactor, Memory, MemoryId, Op, Places, Scales, Space, TensorProduct, Value, WARP,
};
use crate::lower::tensor::packed;
use pallas_tensor::DType;

/// The fewest columns that a device gives.
const FEWEST: usize = 32;

/// Columns of four bytes that an array has.
pub(super) fn width(memory: &Memory) -> usize {
    (memory.len * memory.dtype.size_bytes()).div_ceil(4)
}

/// What the instruction calls the dtype of its factors, and what number that has in its descriptor.
fn kind(dtype: DType) -> (&'static str, u32) {
    match dtype {
        DType::F16 => ("f16", 0),
        DType::BF16 => ("f16", 1),
        DType::F8E4M3Fn => ("f8f6f4", 0),
        DType::F8E5M2 => ("f8f6f4", 1),
        DType::F4E2M1Fn => ("f4", 1),
        _ => ("i8", 1),
    }
}

/// The first column of each array, where it was said or one behind the other, and where the last one ends.
pub(super) fn places(kernel: &Kernel) -> (Vec<(MemoryId, usize)>, usize) {
    let (mut places, mut end) = (Vec::new(), 0);
    for (id, memory) in kernel.memories().filter(|(_, memory)| memory.space == Space::Tensor) {
        let first = memory.at.map_or(end, |at| at / 4);
        places.push((id, first));
        end = end.max(first + width(memory));
    }
    (places, end)
}

impl Printer<'_> {
    /// Columns that the kernel has.
    pub(super) fn tensor_columns(&self) -> usize {
        let columns = super::columns(self.kernel);
        if columns == 0 { 0 } else { columns.next_power_of_two().max(FEWEST) }
    }

    /// How many blocks have tensor memory together: all that is done to it has to say the same.
    fn group(&self) -> u32 {
        let mut pairs = false;
        self.kernel.body.walk(&mut |inst| {
            pairs |= match &inst.op {
                Op::MultiplyTensor(product) => product.pair,
                Op::CopyTensor(copy) => copy.pair,
                _ => false,
            }
        });
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
        self.meet_with_tensor();
        self.line("const unsigned tensor_begin = *tensor_slot;");
        for (id, first) in places(self.kernel).0 {
            let name = self.name(id);
            self.line(format!("const unsigned {name} = tensor_begin + {first};"));
        }
    }

    /// All threads that have tensor memory in common meet, and what they did to it is done.
    pub(super) fn meet_with_tensor(&mut self) {
        self.line("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");");
        match self.group() {
            1 => self.line("__syncthreads();"),
            _ => self.cluster_barrier(),
        }
        self.line("asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
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
            Op::CopyTensor(copy) => self.copy_tensor(copy, &terms),
            Op::ArriveTensor { phases, pair } => {
                let (place, warps) = (format!("{} + {}", self.name(*phases), terms[0]), self.kernel.threads / WARP);
                let group = self.group();
                // The other warps arrive themselves, as everywhere; a warp on its own arrives for them.
                let (who, count) = match self.in_warp {
                    true => ("t == 0".to_string(), warps - 1),
                    false => (format!("t != 0 && (t & {}) == 0", WARP - 1), 1),
                };
                let far =
                    if *pair { format!(" arrive_at({place}, {} + 1, {count});", terms[1]) } else { String::new() };
                if warps > 1 {
                    self.line(format!("if ({who}) {{ arrive({place}, {count});{far} }}"));
                }
                self.line("if (t == 0) {");
                let (how, more, mask) = match pair {
                    false => ("", "", String::new()),
                    true => (".multicast::cluster", ", %1", format!(", \"h\"((unsigned short)(3 << {}))", terms[1])),
                };
                self.line(format!(
                    "  asm volatile(\"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster{how}.b64 [%0]{more};\" :: \
                     \"r\"(at_shared({place})){mask} : \"memory\");"
                ));
                self.line("}");
            }
            Op::LoadTensor(memory) => self.load_tensor(*memory, inst.results[0], &terms[0])?,
            Op::StoreTensor(memory) => self.store_tensor(*memory, inst.operands[1], &terms[0])?,
            _ => {}
        }
        Ok(())
    }

    /// Registers of four bytes from columns, in which narrow elements stand next to each other.
    fn load_tensor(&mut self, memory: MemoryId, result: Value, column: &str) -> Result<(), Refusal> {
        let dtype = self.kernel.memory(memory).dtype;
        let (words, packed) = (self.words(dtype)?, packed(dtype));
        let constraint = if dtype == DType::F32 { "=f" } else { "=r" };
        let count = self.regs(result) / packed as u32;
        self.declare(result)?;
        let register = |number: u32| match (packed, count) {
            (1, 1) => format!("v{}", result.0),
            (1, _) => format!("v{}[{number}]", result.0),
            _ => format!("w[{number}]"),
        };
        if packed > 1 {
            self.line("{");
            self.line(format!("unsigned w[{count}];"));
        }
        let name = self.name(memory);
        let wide = count.min(WIDE);
        for first in (0..count).step_by(wide as usize) {
            let places: Vec<String> = (0..wide).map(|number| format!("%{number}")).collect();
            let outputs: Vec<String> =
                (0..wide).map(|number| format!("\"{constraint}\"({})", register(first + number))).collect();
            self.line(format!(
                "asm volatile(\"tcgen05.ld.sync.aligned.32x32b.x{wide}.b32 {{{}}}, [%{wide}];\\ntcgen05.wait::ld.sync.aligned;\" \
                 : {} : \"r\"({name} + {} + {first} + ((t >> 5) << 21)) : \"memory\");",
                places.join(", "),
                outputs.join(", "),
                of_words(column, packed)
            ));
        }
        if packed > 1 {
            let bits = 8 * dtype.size_bytes();
            let element = |number: usize| format!("({})(w[r] >> {})", words.memory, bits * number);
            let store = |number: usize| {
                format!("v{}[r * {packed} + {number}] = {}({});", result.0, words.load, element(number))
            };
            let stores: Vec<String> = (0..packed).map(store).collect();
            self.line("#pragma unroll");
            self.line(format!("for (int r = 0; r < {count}; ++r) {{ {} }}", stores.join(" ")));
            self.line("}");
        }
        Ok(())
    }

    /// The way back.
    fn store_tensor(&mut self, memory: MemoryId, value: Value, column: &str) -> Result<(), Refusal> {
        let dtype = self.kernel.memory(memory).dtype;
        let (words, packed) = (self.words(dtype)?, packed(dtype));
        let constraint = if dtype == DType::F32 { "f" } else { "r" };
        let count = self.regs(value) / packed as u32;
        if packed > 1 {
            let (bits, whole) = (8 * dtype.size_bytes(), if packed == 2 { "unsigned short" } else { "unsigned char" });
            let element = |number: usize| {
                format!(
                    "(unsigned)({whole}){}(v{}[r * {packed} + {number}]) << {}",
                    words.store,
                    value.0,
                    bits * number
                )
            };
            let elements: Vec<String> = (0..packed).map(element).collect();
            self.line("{");
            self.line(format!("unsigned w[{count}];"));
            self.line("#pragma unroll");
            self.line(format!("for (int r = 0; r < {count}; ++r) w[r] = {};", elements.join(" | ")));
        }
        let register = |number: u32| match (packed, count) {
            (1, 1) => format!("v{}", value.0),
            (1, _) => format!("v{}[{number}]", value.0),
            _ => format!("w[{number}]"),
        };
        let name = self.name(memory);
        let wide = count.min(WIDE);
        for first in (0..count).step_by(wide as usize) {
            let places: Vec<String> = (1..=wide).map(|number| format!("%{number}")).collect();
            let inputs: Vec<String> =
                (0..wide).map(|number| format!("\"{constraint}\"({})", register(first + number))).collect();
            self.line(format!(
                "asm volatile(\"tcgen05.st.sync.aligned.32x32b.x{wide}.b32 [%0], {{{}}};\\ntcgen05.wait::st.sync.aligned;\" \
                 :: \"r\"({name} + {} + {first} + ((t >> 5) << 21)), {} : \"memory\");",
                places.join(", "),
                of_words(column, packed),
                inputs.join(", ")
            ));
        }
        if packed > 1 {
            self.line("}");
        }
        Ok(())
    }

    /// The function that starts one instruction, by what its name says.
    fn tensor_instruction(&mut self, product: &TensorProduct) -> String {
        let (kind, _) = kind(product.dtype);
        let group = 1 + u32::from(product.pair);
        let (from, a, constraint, place) = match product.left {
            LeftFactor::Shared(_) => ("", "unsigned long long", "l", "%1"),
            LeftFactor::Tensor(_) => ("_from_lanes", "unsigned", "r", "[%1]"),
        };
        let more = match (product.scales, product.places) {
            (None, None) => "",
            (None, Some(_)) => "_sparse",
            (Some(_), _) => "_scaled",
        };
        let (scaled, ..) = self.scaling(product);
        let kind = if product.scales.is_some() && product.dtype == DType::F4E2M1Fn {
            scaled.split('.').next().unwrap_or(kind)
        } else {
            kind
        };
        let name = format!("multiply_tensor_{kind}{more}{from}{}", if product.pair { "_of_two" } else { "" });
        // What stands before and behind the descriptor of the instruction.
        let (kind, parameters, first, places, operands) = match (product.scales, product.places) {
            (None, None) => (kind.to_string(), "", "", "", ""),
            (None, Some(_)) => (kind.to_string(), ", unsigned places", "[%5], ", "", ", \"r\"(places)"),
            (Some(_), _) => (
                scaled.to_string(),
                ", unsigned scale_a, unsigned scale_b",
                "",
                "[%5], [%6], ",
                ", \"r\"(scale_a), \"r\"(scale_b)",
            ),
        };
        let sparse = if product.places.is_some() { ".sp" } else { "" };
        let text = format!(
            "__device__ __forceinline__ void {name}(unsigned d, {a} a, unsigned long long b, unsigned said, int adds{parameters}) {{ asm \
             volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, %4, 0;\\ntcgen05.mma{sparse}.cta_group::{group}.kind::{kind} [%0], {place}, %2, {first}%3, \
             {places}p;\\n}}\" :: \"r\"(d), \"{constraint}\"(a), \"l\"(b), \"r\"(said), \"r\"(adds){operands} : \"memory\"); }}"
        );
        self.instructions.insert(name.clone(), text);
        name
    }

    fn multiply_tensor(&mut self, product: &TensorProduct, terms: &[String]) {
        let [rows, columns, count] = product.extents;
        let (acc, step) = (self.name(product.acc), product.step());
        let own = if product.pair { columns } else { TensorProduct::columns([rows, columns]) };
        let wide = own.min(TensorProduct::COLUMNS);
        let (function, blocks) = (self.tensor_instruction(product), 1 + u32::from(product.pair));
        let turned = |factor: &Factor| u32::from(!factor.terms_last);
        let left_turned = match &product.left {
            LeftFactor::Shared(left) => turned(left),
            LeftFactor::Tensor(_) => 0,
        };
        let (_, number) = kind(product.dtype);
        let sums = if product.sums() == DType::F32 { 1 } else { 2 };
        // Dtypes of sums and factors; ways of both factors; columns in eights and rows in sixteens.
        let said = sums << 4
            | number << 7
            | number << 10
            | left_turned << 15
            | turned(&product.right) << 16
            | (wide as u32 / 8) << 17
            | match product.scales {
                None => (blocks * rows as u32 / 16) << 24,
                Some(_) => 0,
            };
        self.line("if (t == 0) {");
        self.line("  asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
        for first in (0..columns).step_by(wide) {
            // Of half of the rows, the second half of the columns are in lanes from the sixteenth on.
            let (lane, column) = (first / own * 16, first % own);
            let far = (lane << 16) + column;
            for number in 0..count / step {
                let left = match &product.left {
                    LeftFactor::Shared(left) => {
                        self.tensor_descriptor(left, &terms[1], 0, number * step / product.thin() / product.stored().0)
                    }
                    LeftFactor::Tensor(left) => {
                        let (begin, packed) = (self.name(*left), packed(product.dtype));
                        format!("{begin} + {} + {}", of_words(&terms[1], packed), number * step / packed)
                    }
                };
                let right =
                    self.tensor_descriptor(&product.right, &terms[2], first, number * step / product.stored().0);
                let adds = if number == 0 { format!("(int){}", terms[3]) } else { "1".to_string() };
                let (said, more) = match (product.scales, product.places) {
                    (None, None) => (said, String::new()),
                    (None, Some(places)) => self.sparse(product, places, said, number),
                    (Some(scales), _) => self.scaled(product, scales, said, number),
                };
                self.line(format!(
                    "  {function}({acc} + {} + {far}, {left}, {right}, {said}u, {adds}{more});",
                    terms[0]
                ));
            }
        }
        self.line("}");
    }

    /// What a scaled instruction is called, how many of them take the scales of one column, and how many terms have one scale.
    fn scaling(&self, product: &TensorProduct) -> (&'static str, usize, usize) {
        let scale = product.scales.map(|[left, _]| self.kernel.memory(left).dtype);
        match (product.dtype, scale) {
            (DType::F4E2M1Fn, Some(DType::F8E4M3Fn)) => {
                ("mxf4nvf4.block_scale.scale_vec::4X", 1, TensorProduct::FINELY_SCALED)
            }
            (DType::F4E2M1Fn, _) => ("mxf4.block_scale.scale_vec::2X", 2, TensorProduct::SCALED),
            _ => ("mxf8f6f4.block_scale.scale_vec::1X", 4, TensorProduct::SCALED),
        }
    }

    /// What the descriptor of a scaled instruction says, the one for these terms, and where its scales are.
    fn scaled(&self, product: &TensorProduct, [left, right]: [MemoryId; 2], said: u32, number: usize) -> (u32, String) {
        let [rows, _, terms] = product.extents;
        let (_, steps, block) = self.scaling(product);
        let (blocks, count) = (1 + u32::from(product.pair), terms / block);
        // Whether scales are eight bits of exponent; the first of the four of a column that both have; rows in 128s. The dtype of sums is
        // known.
        let which = (number % steps * (4 / steps)) as u32;
        let powers = u32::from(self.kernel.memory(left).dtype == DType::F8E8M0Fnu);
        let more = which << 4 | powers << 23 | (blocks * rows as u32 / 128) << 27 | which << 29;
        let place = |memory: MemoryId| {
            let scales = Scales::of(self.kernel.memory(memory).len, count);
            format!(", {} + {}", self.name(memory), scales.place(0, number / steps * 4)[1] / 4)
        };
        (said & !(3 << 4) | more, format!("{}{}", place(left), place(right)))
    }

    /// What the descriptor of an instruction with a sparse factor says, and where its places are.
    fn sparse(&self, product: &TensorProduct, places: MemoryId, said: u32, number: usize) -> (u32, String) {
        let steps = Places::steps(product.dtype);
        let which = (number % steps) as u32;
        (said | 1 << 2 | which, format!(", {} + {}", self.name(places), number / steps * 2))
    }

    pub(super) fn tensor_descriptor(&self, factor: &Factor, begin: &str, free: usize, term: usize) -> String {
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

/// The column of four bytes that an element is in.
pub(super) fn of_words(column: &str, packed: usize) -> String {
    if packed == 1 { column.to_string() } else { format!("{column} / {packed}") }
}

/// Columns that one instruction loads.
const WIDE: u32 = 64;
