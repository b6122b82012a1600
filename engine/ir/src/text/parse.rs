//! Reads functions. Checks words, names and the shape of the text; types are taken as written.

use super::lex::Token;
use super::parse_attribute::{attribute, static_dimension, stride};
use super::print::DEPTH;
use super::words::{ParseError, Parsed, Parser};
use crate::attribute::{Attribute, Attributes, DimIndex, IndexPattern, Position};
use crate::function::{Function, Location, LocationId, OpData, OpId, RegionData, RegionId, ValueData, ValueId};
use crate::op::{MemoryOp, OpKind};
use crate::ops;
use crate::types::Type;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Reads what [`super::print_function`] prints.
///
/// # Errors
/// The first word that does not belong, with its line and column.
pub fn parse_function(text: &str) -> Result<Function, ParseError> {
    let mut parser = Parser::new(text)?;
    parser.expect_word("func")?;
    let function = function(&mut parser)?;
    parser.finish()?;
    Ok(function)
}

/// `@name(parameters) { ... }`.
pub(super) fn function(parser: &mut Parser<'_>) -> Parsed<Function> {
    let name = parser.symbol("the function's name, such as `@kernel`")?;
    let mut reader = Reader {
        function: Function {
            name,
            values: Vec::new(),
            ops: Vec::new(),
            regions: vec![RegionData::default()],
            body: RegionId(0),
            locations: vec![Location::default()],
        },
        scopes: vec![HashMap::new()],
    };
    reader.params(parser, RegionId(0))?;
    reader.body(parser, RegionId(0))?;
    Ok(reader.function)
}

/// A function under construction, with the names that are visible, innermost last.
struct Reader {
    function: Function,
    scopes: Vec<HashMap<String, ValueId>>,
}

impl Reader {
    fn define(&mut self, parser: &Parser<'_>, name: &str, at: usize, ty: Type) -> Parsed<ValueId> {
        let id = ValueId(self.function.values.len() as u32);
        let is_number = name.chars().all(|c| c.is_ascii_digit());
        self.function.values.push(ValueData { ty, name: (!is_number).then(|| name.into()) });
        let taken = match self.scopes.last_mut() {
            Some(scope) => scope.insert(name.to_owned(), id).is_some(),
            None => false,
        };
        if taken {
            return Err(parser.error_at(at, format!("`%{name}` is defined twice")));
        }
        Ok(id)
    }

    fn value(&self, parser: &mut Parser<'_>) -> Parsed<ValueId> {
        let Token::Value(name) = parser.peek().clone() else {
            return parser.expected("a value such as `%x`");
        };
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(&name).copied());
        match found {
            Some(id) => {
                parser.next += 1;
                Ok(id)
            }
            None => Err(parser.error(format!("`%{name}` is not defined here"))),
        }
    }

    fn values(&self, parser: &mut Parser<'_>) -> Parsed<Vec<ValueId>> {
        let mut values = vec![self.value(parser)?];
        while parser.accept(',') {
            values.push(self.value(parser)?);
        }
        Ok(values)
    }

    fn params(&mut self, parser: &mut Parser<'_>, region: RegionId) -> Parsed<()> {
        let params = parser.list('(', ')', |parser| {
            let at = parser.next;
            let Token::Value(name) = parser.peek().clone() else {
                return parser.expected("a parameter such as `%x: f32[8]`");
            };
            parser.next += 1;
            parser.expect(':')?;
            let ty = parser.ty()?;
            self.define(parser, &name, at, ty)
        })?;
        self.function.regions[region.0 as usize].params = params;
        Ok(())
    }

    fn body(&mut self, parser: &mut Parser<'_>, region: RegionId) -> Parsed<()> {
        if parser.depth > DEPTH {
            return Err(parser.error("regions nest too deep"));
        }
        parser.depth += 1;
        parser.expect('{')?;
        loop {
            if parser.accept('}') {
                break;
            }
            if parser.accept_word("yield") {
                self.function.regions[region.0 as usize].yields = self.values(parser)?;
                parser.expect('}')?;
                break;
            }
            let op = self.op(parser)?;
            self.function.regions[region.0 as usize].ops.push(op);
        }
        parser.depth -= 1;
        Ok(())
    }

    /// `(parameters)? { ... }` of an op.
    fn region(&mut self, parser: &mut Parser<'_>) -> Parsed<RegionId> {
        let id = RegionId(self.function.regions.len() as u32);
        self.function.regions.push(RegionData::default());
        self.scopes.push(HashMap::new());
        if parser.is_mark('(') {
            self.params(parser, id)?;
        }
        self.body(parser, id)?;
        self.scopes.pop();
        Ok(id)
    }

    fn op(&mut self, parser: &mut Parser<'_>) -> Parsed<OpId> {
        let mut results = Vec::new();
        if matches!(parser.peek(), Token::Value(_)) {
            loop {
                let at = parser.next;
                let Token::Value(name) = parser.advance() else {
                    return Err(parser.error_at(at, "expected the name of a result"));
                };
                results.push((name, at));
                if !parser.accept(',') {
                    break;
                }
            }
            parser.expect('=')?;
        }
        let at = parser.next;
        let name = parser.word("an op, `yield` or `}`")?;
        let Some(op) = ops::find(&name) else {
            return Err(parser.error_at(at, format!("there is no op `{name}`")));
        };
        let mut attributes = Attributes::none();
        let mut operands: SmallVec<[ValueId; 4]> = SmallVec::new();
        let mut data = None;
        match op.kind {
            OpKind::Memory(kind) if kind != MemoryOp::Reinterpret => {
                self.access(parser, kind, &mut operands, &mut attributes)?
            }
            _ if op.name == "constant" => data = Some(parser.data()?),
            _ if parser.is_at_operands() => operands.extend(self.values(parser)?),
            _ => {}
        }
        while matches!(parser.peek(), Token::Word(_)) && *parser.peek_second() == Token::Mark('=') {
            attribute(parser, op, &mut attributes)?;
        }
        let mut regions = SmallVec::new();
        while parser.is_mark('(') || parser.is_mark('{') {
            regions.push(self.region(parser)?);
        }
        let mut types = Vec::new();
        if parser.is_mark(':') {
            parser.expect(':')?;
            types.push(parser.ty()?);
            while parser.accept(',') {
                types.push(parser.ty()?);
            }
        }
        if types.len() != results.len() {
            return Err(parser.error(format!(
                "{name} has {} results and {} types of results",
                results.len(),
                types.len()
            )));
        }
        if let Some(data) = data {
            let Some(Type::Tensor(ty)) = types.first() else {
                return Err(parser.error_at(at, "a constant needs a type, such as `: f32[8]`"));
            };
            let value = parser.array(&data, ty)?;
            attributes = attributes.with("value", Attribute::Array(value));
            if ty.weak {
                attributes = attributes.with("weak", Attribute::Bool(true));
            }
        }
        let results = results
            .iter()
            .zip(types)
            .map(|((name, at), ty)| self.define(parser, name, *at, ty))
            .collect::<Parsed<_>>()?;
        let id = OpId(self.function.ops.len() as u32);
        self.function.ops.push(OpData { op, operands, results, attributes, regions, location: LocationId(0) });
        Ok(id)
    }

    /// `%ref[...], %value mask %m other %o`.
    fn access(
        &self,
        parser: &mut Parser<'_>,
        kind: MemoryOp,
        operands: &mut SmallVec<[ValueId; 4]>,
        attributes: &mut Attributes,
    ) -> Parsed<()> {
        let reference = self.value(parser)?;
        let shape = self.function.ty(reference).shape().clone();
        operands.push(reference);
        let mut axis = 0;
        let mut indices: Vec<ValueId> = Vec::new();
        let pattern = parser.list('[', ']', |parser| {
            let size = shape.get(axis).copied();
            axis += 1;
            self.dimension(parser, size, &mut indices)
        })?;
        if matches!(kind, MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic) {
            parser.expect(',')?;
            operands.push(self.value(parser)?);
        }
        operands.extend(indices);
        let mut add = |name, value| {
            *attributes = std::mem::take(attributes).with(name, value);
        };
        add("index", Attribute::Index(IndexPattern(pattern.into())));
        for (word, flag) in [("mask", "masked"), ("other", "other")] {
            if parser.accept_word(word) {
                operands.push(self.value(parser)?);
                add(flag, Attribute::Bool(true));
            }
        }
        Ok(())
    }

    fn dimension(&self, parser: &mut Parser<'_>, whole: Option<usize>, indices: &mut Vec<ValueId>) -> Parsed<DimIndex> {
        match parser.peek().clone() {
            Token::Mark(':') => {
                let Some(size) = whole else {
                    return Err(parser.error("the Ref has no such dimension"));
                };
                parser.expect(':')?;
                Ok(DimIndex::Slice { start: Position::Static(0), size, stride: 1 })
            }
            Token::Value(_) => {
                indices.push(self.value(parser)?);
                Ok(DimIndex::At(Position::Dynamic))
            }
            Token::Mark('[') => {
                parser.expect('[')?;
                indices.push(self.value(parser)?);
                parser.expect(']')?;
                Ok(DimIndex::Array)
            }
            Token::Word(word) if word == "ds" => {
                parser.next += 1;
                parser.expect('(')?;
                let start = match parser.peek() {
                    Token::Int(_) => Position::Static(parser.int("the start")?),
                    _ => {
                        indices.push(self.value(parser)?);
                        Position::Dynamic
                    }
                };
                parser.expect(',')?;
                if matches!(parser.peek(), Token::Value(_)) {
                    indices.push(self.value(parser)?);
                    if !parser.at_most() {
                        return parser.expected("`<=` and the most elements that there can be");
                    }
                    let bound = parser.size("the most elements that there can be")?;
                    parser.expect(')')?;
                    return Ok(DimIndex::Part { start, bound });
                }
                let size = parser.size("the number of elements")?;
                let stride = match parser.accept(',') {
                    true => stride(parser)?,
                    false => 1,
                };
                parser.expect(')')?;
                Ok(DimIndex::Slice { start, size, stride })
            }
            Token::Int(_) => static_dimension(parser),
            _ => parser.expected("a position or a slice"),
        }
    }
}
