//! Statements to instructions: a table by name says who understands which. What nobody understands becomes an instruction that
//! stops whoever executes it, so that a module with one unknown instruction still runs as far as it goes.

mod control;
mod copies;
mod launches;
mod matrices;
mod memory;
mod operands;
mod tensor;
mod warps;

pub(crate) use launches::FOUND;

use crate::inst::{Inst, Op};
use crate::module::{Module, Reg};
use crate::ops::{self, Words};
use crate::parse::{Body, Operand, Statement};
use std::cell::RefCell;
use std::collections::HashMap;

/// What decoding a statement needs.
pub(crate) struct Decoder<'a> {
    pub(crate) module: &'a mut Module,
    pub(crate) functions: &'a HashMap<String, usize>,
    /// The labels of the function: where they will be.
    pub(crate) labels: HashMap<&'a str, u32>,
    pub(crate) tables: &'a HashMap<String, Vec<String>>,
    /// Registers of the statement that were asked for.
    touched: RefCell<Vec<Reg>>,
}

/// What a statement becomes, or why it is not understood.
pub(crate) type Decoded = Result<Op, String>;

type Decode = fn(&mut Decoder<'_>, &Words<'_>, &Statement) -> Decoded;

const TABLE: &[(&[&str], Decode)] = &[
    (&["ld", "ldu"], memory::load),
    (&["st"], memory::store),
    (&["atom", "red"], memory::atomic),
    (&["cvta", "isspacep", "prefetch", "prefetchu", "applypriority", "discard", "createpolicy"], memory::address),
    (&["bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep"], control::decode),
    (&["bar", "barrier"], control::barrier),
    (&["membar", "fence", "griddepcontrol", "setmaxnreg", "pmevent"], control::nothing),
    (&["shfl", "vote", "match", "redux", "elect", "activemask"], warps::decode),
    (&["cp"], copies::decode),
    (&["mbarrier"], copies::phase),
    (&["mapa", "getctarank"], copies::cluster),
    (&["ldmatrix", "stmatrix", "mma", "wgmma"], matrices::decode),
    (&["tcgen05"], tensor::decode),
    (&["clusterlaunchcontrol"], launches::decode),
];

/// Understands a function; where its first instruction is.
pub(crate) fn function(module: &mut Module, body: &Body, functions: &HashMap<String, usize>) -> u32 {
    let begin = module.insts.len() as u32;
    // Each statement is one instruction, and the end returns.
    let labels = body.labels.iter().map(|(name, at)| (name.as_str(), begin + at)).collect();
    let mut decoder = Decoder { module, functions, labels, tables: &body.tables, touched: RefCell::default() };
    for statement in &body.statements {
        let op = decoder.statement(statement).unwrap_or_else(|why| Op::Unknown(why.into()));
        let Statement { line, source, guard, name, .. } = statement;
        let regs = decoder.touched.take().into();
        let inst = Inst { op, regs, guard: *guard, line: *line, source: *source, name: name.as_str().into() };
        decoder.module.insts.push(inst);
    }
    let (line, source) = body.statements.last().map_or((0, None), |last| (last.line, last.source));
    module.insts.push(Inst { op: Op::Return, regs: Box::default(), guard: None, line, source, name: "ret".into() });
    begin
}

impl Decoder<'_> {
    fn statement(&mut self, statement: &Statement) -> Decoded {
        let words = Words::new(&statement.name);
        if let Some((_, decode)) = TABLE.iter().find(|(names, _)| names.contains(&words.stem)) {
            return decode(self, &words, statement);
        }
        match (words.stem, statement.args.as_slice()) {
            ("mov", [to, from]) => self.moved(&words, to, from),
            ("setp", [Operand::Pair(..), ..]) => Err("a comparison with two results".to_string()),
            (_, [to, from @ ..]) => self.computed(&words, to, from),
            _ => Err(format!("`{}`", statement.name)),
        }
    }

    /// Something that the table of computations has.
    fn computed(&mut self, words: &Words<'_>, to: &Operand, from: &[Operand]) -> Decoded {
        let unknown = || format!("`{}.{}`", words.stem, words.modifiers.join("."));
        let to = self.reg(to)?;
        let mut sources = [0; 4];
        if from.len() > sources.len() {
            return Err(unknown());
        }
        let mut negated = None;
        for (number, (source, operand)) in sources.iter_mut().zip(from).enumerate() {
            if let Operand::Not(reg) = operand {
                self.touched.borrow_mut().push(*reg);
                (*source, negated) = (*reg, Some(number));
            } else {
                *source = self.reg(operand)?;
            }
        }
        let known: Vec<Option<u64>> =
            from.iter().enumerate().map(|(number, _)| self.module.known(sources[number])).collect();
        let mut map = ops::make(words, &known).ok_or_else(unknown)?;
        if let Some(number) = negated {
            map = operands::negated(map, number);
        }
        // A narrower result goes into a wider register with its sign.
        if words.stem == "cvt" && words.types().next().is_some_and(|ty| ty.signed()) {
            let (bits, width) = (words.types().next().map_or(64, |ty| ty.bits), self.module.slots[to as usize].bits);
            if width > bits {
                map = operands::widened(map, bits, width);
            }
        }
        Ok(Op::Map { to, from: sources, map })
    }

    /// Moves: of registers, of parts to a whole and back, of clocks.
    fn moved(&mut self, words: &Words<'_>, to: &Operand, from: &Operand) -> Decoded {
        let bits = words.ty().map_or(64, |ty| ty.bits);
        match (to, from) {
            (Operand::List(parts), from) => {
                let to = self.sinks(parts)?;
                let bits = bits / to.len().max(1) as u32;
                Ok(Op::Unpack { to, from: self.reg(from)?, bits })
            }
            (to, Operand::List(parts)) => {
                let from = self.regs(parts)?;
                let bits = bits / from.len().max(1) as u32;
                Ok(Op::Pack { to: self.reg(to)?, from, bits })
            }
            (to, Operand::Name(name)) => match name.as_str() {
                "%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo" | "%globaltimer_hi" => {
                    Ok(Op::Clock { to: self.reg(to)?, bits: if name.ends_with("hi") { 0 } else { bits } })
                }
                name => Err(format!("`{name}`")),
            },
            (to, Operand::Sum(base, offset)) => {
                let (to, base) = (self.reg(to)?, *base);
                self.touched.borrow_mut().push(base);
                let offset = self.module.constant(*offset as u64);
                let map = ops::map(move |a, b, _, _| a.wrapping_add(b)).ok_or("an address")?;
                Ok(Op::Map { to, from: [base, offset, 0, 0], map })
            }
            (to, from) => self.computed(words, to, std::slice::from_ref(from)),
        }
    }
}
