//! What a kernel tells the host while it runs: checks that fail, owners of elements, stores that are witnessed, notes of time, and lines that
//! it prints.

use super::printer::Printer;
use crate::ir::{Doubt, Inst, Op, Space};
use crate::marks;
use crate::{CHECK_WORDS, Check, Refusal, STORES};
use pallas_tensor::DType;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn tell(&mut self, inst: &Inst, terms: &[(String, DType)]) -> Result<(), Refusal> {
        let text = |n: usize| terms.get(n).map_or("0", |(text, _)| text.as_str());
        match &inst.op {
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
            // The other ops are those of `inst`.
            _ => Ok(()),
        }
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
