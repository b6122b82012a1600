//! Loops and branches as statements, and the variables that they carry.

use super::printer::Printer;
use crate::Refusal;
use crate::ir::{Inst, Region, Value, WARP};

/// Products under way for whose sake a loop is unrolled.
const UNDER_WAY: u32 = 3;

impl Printer<'_> {
    fn block(&mut self, region: &Region) -> Result<(), Refusal> {
        self.depth += 1;
        self.region(region)?;
        self.depth -= 1;
        Ok(())
    }

    /// Carries are variables that each round changes at its end; all are computed before any is changed.
    fn carry(&mut self, to: &[Value], from: &[Value]) -> Result<(), Refusal> {
        self.depth += 1;
        let moved: Vec<(Value, Value)> = to.iter().copied().zip(from.iter().copied()).filter(|(a, b)| a != b).collect();
        let swapped = moved.iter().any(|(_, from)| to.contains(from));
        if swapped {
            for &(to, from) in &moved {
                let ty = self.kernel.ty(to);
                let register = self.words(ty.dtype)?.register;
                match ty.regs {
                    1 => self.line(format!("{register} next{} = v{};", to.0, from.0)),
                    regs => {
                        self.line(format!("{register} next{}[{regs}];", to.0));
                        self.each(regs, &format!("next{}[r] = v{}[r];", to.0, from.0));
                    }
                }
            }
            for &(to, _) in &moved {
                let at = if self.regs(to) == 1 { "" } else { "[r]" };
                self.each(self.regs(to), &format!("v{0}{at} = next{0}{at};", to.0));
            }
        } else {
            for &(to, from) in &moved {
                self.copy(to, from);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn begin(&mut self, params: &[Value], operands: &[Value]) -> Result<(), Refusal> {
        for (&param, &operand) in params.iter().zip(operands) {
            self.declare(param)?;
            self.copy(param, operand);
        }
        Ok(())
    }

    fn finish(&mut self, results: &[Value], carries: &[Value]) -> Result<(), Refusal> {
        for (&result, &carry) in results.iter().zip(carries) {
            self.declare(result)?;
            self.copy(result, carry);
        }
        Ok(())
    }

    /// A loop with a counter.
    pub(super) fn for_loop(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let body = &inst.regions[0];
        let (counter, carries) = (body.params[0], &body.params[1..]);
        self.begin(carries, &inst.operands[2..])?;
        let register = self.words(self.kernel.ty(counter).dtype)?.register;
        let (lower, upper) = (self.at(inst.operands[0]), self.at(inst.operands[1]));
        // The assembler has to see which product a wait is for, else it waits for each at once.
        self.line(format!("#pragma unroll {}", super::products::left_under_way(body).min(UNDER_WAY) + 1));
        self.line(format!("for ({register} v{0} = {lower}; v{0} < {upper}; ++v{0}) {{", counter.0));
        self.block(body)?;
        self.carry(carries, &body.yields)?;
        self.line("}");
        self.finish(&inst.results, carries)
    }

    /// A loop that a region decides on.
    pub(super) fn while_loop(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let [condition, body] = inst.regions.as_slice() else { return Ok(()) };
        self.begin(&condition.params, &inst.operands)?;
        self.line("while (true) {");
        self.block(condition)?;
        let go_on = condition.yields.first().map_or("false".to_string(), |&value| self.at(value));
        self.depth += 1;
        self.line(format!("if (!{go_on}) break;"));
        self.begin(&body.params, &condition.params)?;
        self.depth -= 1;
        self.block(body)?;
        self.carry(&condition.params, &body.yields)?;
        self.line("}");
        self.finish(&inst.results, &condition.params)
    }

    /// Warps that go their own ways: a thread is counted in its warp there, so that each has a first one.
    pub(super) fn warps(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let body = &inst.regions[0];
        self.barrier();
        self.line("{");
        self.depth += 1;
        self.line(format!("const int v{} = __shfl_sync(0xffffffffu, t / {WARP}, 0);", body.params[0].0));
        self.line(format!("const int t = threadIdx.x & {};", WARP - 1));
        self.in_warp = true;
        let printed = self.region(body);
        self.in_warp = false;
        self.depth -= 1;
        self.line("}");
        self.barrier();
        printed
    }

    /// One of several regions.
    pub(super) fn switch(&mut self, inst: &Inst) -> Result<(), Refusal> {
        for &result in &inst.results {
            self.declare(result)?;
        }
        let which = self.at(inst.operands[0]);
        let last = inst.regions.len().saturating_sub(1);
        for (number, region) in inst.regions.iter().enumerate() {
            let head = if number == 0 { "if" } else { "} else if" };
            match number == last && number > 0 {
                true => self.line("} else {"),
                false => self.line(format!("{head} ({which} == {number}) {{")),
            }
            self.block(region)?;
            self.depth += 1;
            for (&result, &value) in inst.results.iter().zip(&region.yields) {
                self.copy(result, value);
            }
            self.depth -= 1;
        }
        self.line("}");
        Ok(())
    }
}
