//! Tensor cores in CUDA C++: fragments from shared memory, and products. A fragment is words of four bytes here, since that is what
//! the instructions take; what was computed in registers is packed before.

use super::printer::Printer;
use crate::Refusal;
use crate::ir::{Inst, MemoryId, Mma, Space};
use pallas_tensor::DType;

/// For each dtype of factors: the part of helpers' names.
static NAMES: &[(DType, &str)] = &[
    (DType::BF16, "bf16"),
    (DType::F16, "f16"),
    (DType::F8E4M3Fn, "f8e4m3fn"),
    (DType::F8E5M2, "f8e5m2"),
    (DType::I8, "s8"),
    (DType::U8, "u8"),
    (DType::F32, "tf32"),
];

impl Printer<'_> {
    fn unit(&self, dtype: DType) -> Result<&'static str, Refusal> {
        let name = NAMES.iter().find(|(other, _)| *other == dtype).map(|(_, name)| *name);
        name.ok_or_else(|| self.refuse(&format!("a product of {}", dtype.name())))
    }

    pub(super) fn load_matrix(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        trans: bool,
        words: u32,
    ) -> Result<(), Refusal> {
        let (result, index) = (inst.results[0], inst.operands[0]);
        let count = self.regs(index);
        let far = matches!(self.kernel.memory(memory).space, Space::Workspace);
        let function =
            format!("{}_matrix{}_{words}", if far { "far" } else { "load" }, if trans { "_trans" } else { "" });
        self.fragments.insert(result);
        self.line(format!("unsigned v{}[{}];", result.0, count * words));
        let place = if count == 1 { String::new() } else { format!(" + r * {words}") };
        let call = format!("{function}(v{}{place}, {} + {});", result.0, self.name(memory), self.at(index));
        self.each(count, &call);
        Ok(())
    }

    /// One instruction for each pair of tiles, on a copy of the sums.
    pub(super) fn mma(&mut self, inst: &Inst, mma: Mma) -> Result<(), Refusal> {
        let result = inst.results[0];
        let name = self.unit(mma.dtype)?;
        let [a, b, c] = mma.registers();
        let per_word = mma.per_word();
        let (a, b) = (a / per_word, b / per_word);
        let mut factors = Vec::new();
        for (&factor, words) in inst.operands[..2].iter().zip([a * mma.rows, b * mma.columns]) {
            if self.fragments.contains(&factor) {
                factors.push(format!("v{}", factor.0));
                continue;
            }
            let packed = format!("p{}_{}", factor.0, result.0);
            self.line(format!("unsigned {packed}[{words}];"));
            self.each(words, &format!("{packed}[r] = pack_{name}(v{} + r * {per_word});", factor.0));
            factors.push(packed);
        }
        let sums = format!("v{}[r]", inst.operands[2].0);
        self.define(result, &sums)?;
        let call = format!(
            "mma_{name}(v{} + (m * {} + n) * {c}, {} + m * {a}, {} + n * {b});",
            result.0, mma.columns, factors[0], factors[1]
        );
        self.line("#pragma unroll");
        self.line(format!("for (int m = 0; m < {}; ++m) {{", mma.rows));
        self.line("  #pragma unroll");
        self.line(format!("  for (int n = 0; n < {}; ++n) {call}", mma.columns));
        self.line("}");
        Ok(())
    }
}
