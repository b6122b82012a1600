//! The statements of a function, with registers in the place of names.

use super::arguments::{Arg, until};
use super::data::variable;
use super::names::Names;
use super::tokens::{Placed, Token};
use super::{Wrong, wrong};
use crate::module::{Init, Module, Reg, Special};
use crate::types::{Space, Type};
use std::collections::HashMap;

/// What a name is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// A register, or one that holds a variable's address.
    Reg(Reg),
}

/// An operand, names resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Reg(Reg),
    Not(Reg),
    /// A register that something is added to.
    Sum(Reg, i64),
    /// A label or a function.
    Name(String),
    Sink,
    List(Vec<Operand>),
    At(Vec<Operand>),
    Group(Vec<Operand>),
    Pair(Box<Operand>, Box<Operand>),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) line: u32,
    /// File and line of the source.
    pub(crate) source: Option<(u32, u32)>,
    pub(crate) guard: Option<(Reg, bool)>,
    /// With its modifiers.
    pub(crate) name: String,
    pub(crate) args: Vec<Operand>,
}

/// A function's statements.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) statements: Vec<Statement>,
    /// The statement that a label stands before.
    pub(crate) labels: HashMap<String, u32>,
    /// `.branchtargets`
    pub(crate) tables: HashMap<String, Vec<String>>,
}

pub(crate) struct Reader<'a> {
    pub(crate) module: &'a mut Module,
    pub(crate) names: &'a mut Names<Meaning>,
    pub(crate) tokens: &'a [Placed],
    pub(crate) at: usize,
}

impl Reader<'_> {
    fn word(&self) -> Option<(&str, u32)> {
        match self.tokens.get(self.at) {
            Some(Placed { token: Token::Word(word), line }) => Some((word, *line)),
            _ => None,
        }
    }

    fn sign(&self, sign: char) -> bool {
        matches!(self.tokens.get(self.at), Some(Placed { token: Token::Sign(found), .. }) if *found == sign)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(0, |token| token.line)
    }

    /// Reads up to the brace that ends the function; the one that begins it is read.
    pub(crate) fn body(&mut self) -> Result<Body, Wrong> {
        let mut body = Body::default();
        let depth = self.names.depth();
        self.names.open();
        let mut source = None;
        while self.names.depth() > depth {
            let line = self.line();
            if self.sign('{') {
                self.at += 1;
                self.names.open();
                continue;
            }
            if self.sign('}') {
                self.at += 1;
                self.names.close();
                continue;
            }
            if self.sign(';') {
                self.at += 1;
                continue;
            }
            let mut guard = None;
            if self.sign('@') {
                self.at += 1;
                let negated = self.sign('!');
                self.at += usize::from(negated);
                let Some((name, _)) = self.word() else { return wrong(line, "`@` without a predicate") };
                let name = name.to_string();
                self.at += 1;
                guard = Some((self.register(&name, line)?, negated));
            }
            let Some((word, _)) = self.word() else { return wrong(line, "no statement begins so") };
            let word = word.to_string();
            self.at += 1;
            if self.sign(':') {
                self.at += 1;
                if let Some((".branchtargets", _)) = self.word() {
                    self.at += 1;
                    let names = until(self.tokens, &mut self.at, ';')?;
                    let names = names.into_iter().filter_map(|name| match name {
                        Arg::Name(name, _) => Some(name),
                        _ => None,
                    });
                    body.tables.insert(word, names.collect());
                } else {
                    body.labels.insert(word, body.statements.len() as u32);
                }
                continue;
            }
            match word.as_str() {
                ".loc" => source = Some(self.location(line)),
                ".reg" => self.registers(line)?,
                ".pragma" | ".noreturn" => {
                    until(&self.without_text(), &mut self.at, ';')?;
                }
                directive if directive.starts_with('.') => match Space::named(&directive[1..]) {
                    Some(space) => self.declare(space)?,
                    None => return wrong(line, format!("the directive `{directive}` is not known here")),
                },
                _ => {
                    let args = until(self.tokens, &mut self.at, ';')?;
                    let args = args.iter().map(|arg| self.operand(arg)).collect();
                    body.statements.push(Statement { line, source, guard, name: word, args });
                }
            }
        }
        Ok(body)
    }

    /// Strings are operands of pragmas only, which mean nothing here.
    fn without_text(&self) -> Vec<Placed> {
        let end = self.tokens[self.at..].iter().position(|token| token.token == Token::Sign(';')).unwrap_or(0);
        let plain = |placed: &Placed| match placed.token {
            Token::Text(_) => Placed { token: Token::Int(0), line: placed.line },
            _ => placed.clone(),
        };
        let mut tokens: Vec<Placed> = self.tokens[..self.at].to_vec();
        tokens.extend(self.tokens[self.at..=self.at + end].iter().map(plain));
        tokens
    }

    /// `.loc file line column, ...` ends with its line (PTX ISA 11.7).
    fn location(&mut self, line: u32) -> (u32, u32) {
        let mut numbers = Vec::new();
        while let Some(Placed { token, line: here }) = self.tokens.get(self.at).filter(|token| token.line == line) {
            debug_assert_eq!(*here, line);
            if let Token::Int(value) = token {
                numbers.push(*value as u32);
            }
            self.at += 1;
        }
        (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(0))
    }

    /// `.reg .b32 %r<9>, x;`
    fn registers(&mut self, line: u32) -> Result<(), Wrong> {
        let ty = self.word().and_then(|(word, _)| Type::named(word.strip_prefix('.')?));
        let Some(ty) = ty else { return wrong(line, "registers without a type that is known here") };
        self.at += 1;
        while !self.sign(';') {
            if self.sign(',') {
                self.at += 1;
                continue;
            }
            let Some((name, _)) = self.word() else { return wrong(line, "a register without a name") };
            let name = name.to_string();
            self.at += 1;
            let mut count = None;
            if self.sign('<') {
                if let Some(Placed { token: Token::Int(value), .. }) = self.tokens.get(self.at + 1) {
                    count = Some(*value as u32);
                }
                self.at += 3;
            }
            let first = self.module.slots.len() as Reg;
            // A register of 128 bits is two that follow each other.
            let parts = if ty.bits == 128 { 2 } else { 1 };
            for _ in 0..count.unwrap_or(1) * parts {
                self.module.slot(ty.bits.min(64), Init::Garbage);
            }
            match count {
                Some(count) if parts > 1 => (0..count).for_each(|number| {
                    self.names.insert(&format!("{name}{number}"), Meaning::Reg(first + number * parts));
                }),
                Some(count) => self.names.insert_range(&name, Meaning::Reg(first), count),
                None => self.names.insert(&name, Meaning::Reg(first)),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// A variable of the function.
    fn declare(&mut self, space: Space) -> Result<(), Wrong> {
        let variable = variable(self.tokens, &mut self.at)?;
        let line = self.line();
        let reg = match space {
            Space::Local | Space::Param => {
                let at = place_local(self.module, variable.bytes, variable.align);
                self.module.constant(u64::from(at))
            }
            Space::Shared => {
                let at = self.module.static_shared.next_multiple_of(variable.align);
                self.module.static_shared = at + variable.bytes;
                self.module.slot(64, Init::Shared(at as u64))
            }
            _ => return wrong(line, "a variable of a function in this state space"),
        };
        self.names.insert(&variable.name, Meaning::Reg(reg));
        Ok(())
    }

    fn register(&mut self, name: &str, line: u32) -> Result<Reg, Wrong> {
        match self.lookup(name) {
            Some(reg) => Ok(reg),
            None => wrong(line, format!("`{name}` is no register")),
        }
    }

    fn lookup(&mut self, name: &str) -> Option<Reg> {
        if let Some((Meaning::Reg(first), number)) = self.names.get(name) {
            return Some(first + number);
        }
        let special = special(name)?;
        let known = self.module.slots.iter().position(|slot| slot.init == Init::Special(special));
        Some(known.map_or_else(|| self.module.slot(32, Init::Special(special)), |known| known as Reg))
    }

    fn operand(&mut self, arg: &Arg) -> Operand {
        let all = |reader: &mut Self, args: &[Arg]| args.iter().map(|arg| reader.operand(arg)).collect();
        match arg {
            Arg::Name(name, offset) => match (self.lookup(name), offset) {
                (Some(reg), 0) => Operand::Reg(reg),
                (Some(reg), offset) => Operand::Sum(reg, *offset),
                (None, _) => Operand::Name(name.clone()),
            },
            Arg::Int(value) | Arg::F64(value) => Operand::Reg(self.module.constant(*value)),
            Arg::F32(bits) => Operand::Reg(self.module.constant(u64::from(*bits))),
            Arg::Not(name) => self.lookup(name).map_or(Operand::Name(name.clone()), Operand::Not),
            Arg::Sink => Operand::Sink,
            Arg::List(args) => Operand::List(all(self, args)),
            Arg::At(args) => Operand::At(all(self, args)),
            Arg::Group(args) => Operand::Group(all(self, args)),
            Arg::Pair(a, b) => Operand::Pair(Box::new(self.operand(a)), Box::new(self.operand(b))),
        }
    }
}

/// Room in each thread's local memory.
pub(crate) fn place_local(module: &mut Module, bytes: usize, align: usize) -> u32 {
    let at = module.local.next_multiple_of(align.max(1));
    module.local = at + bytes;
    at as u32
}

/// Special registers by name (PTX ISA 10).
fn special(name: &str) -> Option<Special> {
    let (base, axis) = match name.split_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some(_) => return None,
        None => (name, 0),
    };
    Some(match base {
        "%tid" => Special::Tid(axis),
        "%ntid" => Special::Ntid(axis),
        "%ctaid" => Special::Ctaid(axis),
        "%nctaid" => Special::Nctaid(axis),
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%smid" => Special::Multiprocessor,
        "%nsmid" => Special::Multiprocessors,
        "%gridid" => Special::GridId,
        "%lanemask_eq" => Special::LanesEqual,
        "%lanemask_lt" => Special::LanesLess,
        "%lanemask_le" => Special::LanesLessEqual,
        "%lanemask_gt" => Special::LanesGreater,
        "%lanemask_ge" => Special::LanesGreaterEqual,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%clusterid" => Special::ClusterId(axis),
        "%nclusterid" => Special::Clusters(axis),
        "%cluster_ctaid" => Special::ClusterCtaid(axis),
        "%cluster_nctaid" => Special::ClusterNctaid(axis),
        "%cluster_ctarank" => Special::ClusterRank,
        "%cluster_nctarank" => Special::ClusterSize,
        "%is_explicit_cluster" => Special::IsCluster,
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_end" => Special::Zero,
        _ => return None,
    })
}
