//! Directives of the module (PTX ISA 11): entries, functions, variables.

use super::body::{Body, Meaning, Reader, place_local};
use super::data::{Variable, variable};
use super::names::Names;
use super::tokens::{Placed, Token, tokens};
use super::{Wrong, wrong};
use crate::decode;
use crate::memory::PARAMS;
use crate::module::{Entry, Function, Global, Init, Module, Param};
use crate::types::Space;
use std::collections::HashMap;

/// A function whose statements are read, and not yet understood.
struct Pending {
    body: Body,
    /// Of an entry, or of a function.
    entry: Option<usize>,
    function: Option<usize>,
}

struct Top {
    module: Module,
    names: Names<Meaning>,
    functions: HashMap<String, usize>,
    pending: Vec<Pending>,
    tokens: Vec<Placed>,
    at: usize,
}

/// Reads a module.
pub(crate) fn parse(text: &str) -> Result<Module, Wrong> {
    let tokens = tokens(text)?;
    let module = Module { shared_align: 16, ..Module::default() };
    let mut top = Top { module, names: Names::new(), functions: HashMap::new(), pending: Vec::new(), tokens, at: 0 };
    // Register 0 is what stands where an instruction has no operand.
    top.module.constant(0);
    while top.at < top.tokens.len() {
        top.directive()?;
    }
    let Top { mut module, functions, pending, .. } = top;
    for Pending { body, entry, function } in pending {
        let begin = decode::function(&mut module, &body, &functions);
        if let Some(entry) = entry {
            module.entries[entry].begin = begin;
        }
        if let Some(function) = function {
            module.functions[function].begin = begin;
        }
    }
    let (bytes, align) = (module.static_shared, module.shared_align);
    for entry in &mut module.entries {
        (entry.static_shared, entry.shared_align) = (bytes, align);
    }
    Ok(module)
}

impl Top {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(0, |token| token.line)
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|placed| placed.token == Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> Result<String, Wrong> {
        let line = self.line();
        match self.tokens.get(self.at).map(|placed| placed.token.clone()) {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            other => wrong(line, format!("a name should stand where {other:?} does")),
        }
    }

    fn skip_line(&mut self, line: u32) {
        while self.tokens.get(self.at).is_some_and(|token| token.line == line) {
            self.at += 1;
        }
    }

    fn directive(&mut self) -> Result<(), Wrong> {
        let line = self.line();
        let word = self.word()?;
        match word.as_str() {
            ".version" | ".target" | ".address_size" | ".pragma" => self.skip_line(line),
            ".file" => {
                if let [Placed { token: Token::Int(number), .. }, Placed { token: Token::Text(name), .. }, ..] =
                    &self.tokens[self.at..]
                {
                    self.module.files.insert(*number as u32, String::from_utf8_lossy(name).into_owned());
                }
                self.skip_line(line);
            }
            ".section" => {
                self.word()?;
                let mut depth = 0_usize;
                while self.at < self.tokens.len() {
                    depth += usize::from(self.sign('{'));
                    if self.sign('}') {
                        depth -= 1;
                        if depth == 0 {
                            break;
                        }
                    } else {
                        self.at += 1;
                    }
                }
            }
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".entry" => self.entry()?,
            ".func" => self.function()?,
            directive => match directive.strip_prefix('.').and_then(Space::named) {
                Some(space) => self.variable(space)?,
                None => return wrong(line, format!("the directive `{directive}` is not known here")),
            },
        }
        Ok(())
    }

    /// Parameters in parentheses, if there are some.
    fn params(&mut self) -> Result<Vec<Variable>, Wrong> {
        let mut params = Vec::new();
        if !self.sign('(') {
            return Ok(params);
        }
        while !self.sign(')') {
            let line = self.line();
            let word = self.word()?;
            if word != ".param" {
                return wrong(line, format!("`{word}` is no parameter that is known here"));
            }
            params.push(variable(&self.tokens, &mut self.at)?);
            self.sign(',');
        }
        Ok(params)
    }

    fn numbers(&mut self) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some(Placed { token: Token::Int(value), .. }) = self.tokens.get(self.at) {
            numbers.push(*value as u32);
            self.at += 1;
            if !self.sign(',') {
                break;
            }
        }
        numbers
    }

    fn read_body(&mut self) -> Result<Body, Wrong> {
        let mut reader = Reader { module: &mut self.module, names: &mut self.names, tokens: &self.tokens, at: self.at };
        let body = reader.body()?;
        self.at = reader.at;
        Ok(body)
    }

    fn entry(&mut self) -> Result<(), Wrong> {
        let name = self.word()?;
        let variables = self.params()?;
        self.names.open();
        let (mut params, mut offset) = (Vec::new(), 0_usize);
        for variable in variables {
            offset = offset.next_multiple_of(variable.align);
            // Kernel parameters are read as memory of their own.
            let reg = self.module.slot(64, Init::Constant(PARAMS + offset as u64));
            self.names.insert(&variable.name, Meaning::Reg(reg));
            params.push(Param { offset, size: variable.bytes, align: variable.align });
            offset += variable.bytes;
        }
        let (mut max_threads, mut cluster) = (None, None);
        while !self.sign('{') {
            let line = self.line();
            let word = self.word()?;
            let numbers = self.numbers();
            let three = [0, 1, 2].map(|axis| numbers.get(axis).copied().unwrap_or(1));
            match word.as_str() {
                ".maxntid" | ".reqntid" => max_threads = Some(three),
                ".reqnctapercluster" => cluster = Some(three),
                ".minnctapersm" | ".maxnreg" | ".explicitcluster" | ".maxclusterrank" | ".noreturn" => {}
                other => return wrong(line, format!("the directive `{other}` of an entry is not known here")),
            }
        }
        let body = self.read_body()?;
        self.names.close();
        self.pending.push(Pending { body, entry: Some(self.module.entries.len()), function: None });
        let entry = Entry { name, params, static_shared: 0, shared_align: 16, max_threads, cluster, begin: 0 };
        self.module.entries.push(entry);
        Ok(())
    }

    fn function(&mut self) -> Result<(), Wrong> {
        let results = self.params()?;
        let name = self.word()?;
        let params = self.params()?;
        self.names.open();
        let mut places = [Vec::new(), Vec::new()];
        for (variables, places) in [results, params].iter().zip(&mut places) {
            for variable in variables {
                let at = place_local(&mut self.module, variable.bytes, variable.align);
                let reg = self.module.constant(u64::from(at));
                self.names.insert(&variable.name, Meaning::Reg(reg));
                places.push((at, variable.bytes as u32));
            }
        }
        let [results, params] = places;
        let known = self.functions.get(&name).copied();
        let number = known.unwrap_or(self.module.functions.len());
        let function = Function { begin: u32::MAX, params, results };
        match known {
            // It was declared before.
            Some(number) => self.module.functions[number] = function,
            None => self.module.functions.push(function),
        }
        self.functions.insert(name, number);
        while !self.sign(';') {
            if self.sign('{') {
                let body = self.read_body()?;
                self.pending.push(Pending { body, entry: None, function: Some(number) });
                break;
            }
            self.word()?;
        }
        self.names.close();
        Ok(())
    }

    fn variable(&mut self, space: Space) -> Result<(), Wrong> {
        let line = self.line();
        let variable = variable(&self.tokens, &mut self.at)?;
        self.sign(';');
        let reg = match space {
            Space::Shared if variable.open => {
                self.module.shared_align = self.module.shared_align.max(variable.align);
                self.module.slot(64, Init::Dynamic)
            }
            Space::Shared => {
                let at = self.module.static_shared.next_multiple_of(variable.align);
                self.module.static_shared = at + variable.bytes;
                self.module.slot(64, Init::Shared(at as u64))
            }
            Space::Global | Space::Const => {
                let Variable { name, align, bytes, mut initial, addresses, .. } = variable.clone();
                // What nobody initialises is zeros (PTX ISA 5.4.4).
                initial.resize(bytes, 0);
                self.module.globals.push(Global { name, align, bytes, initial, addresses });
                self.module.slot(64, Init::Global(self.module.globals.len() - 1))
            }
            _ => return wrong(line, "a variable of the module in this state space"),
        };
        self.names.insert(&variable.name, Meaning::Reg(reg));
        Ok(())
    }
}
