//! Reads functions. Checks words, names and the shape of the text; types are taken as written.

use super::lex::{Placed, Token, lex};
use super::parse_launch::launch;
use super::print::DEPTH;
use crate::attribute::{Attribute, Attributes, DimIndex, IndexPattern, Position};
use crate::function::{
    Function, Location, LocationId, OpData, OpId, RegionData, RegionId, ValueData, ValueId,
};
use crate::op::{MemoryOp, Op, OpKind};
use crate::ops;
use crate::types::{MemorySpace, RefType, TensorType, Type};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// What was expected.
    pub message: String,
}

impl ParseError {
    /// An error at a byte offset of a text.
    pub(super) fn at(text: &str, offset: usize, message: impl Into<String>) -> ParseError {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

/// `3:14: expected a type, found `)``
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

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

/// A result whose error is a place in the text.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// The words that are left.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    next: usize,
    /// Functions and regions that are open, launches included.
    pub(super) depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser {
            text,
            tokens: lex(text)?,
            next: 0,
            depth: 0,
        })
    }

    pub(super) fn peek(&self) -> &Token {
        // The last word is the end, and `advance` does not go beyond it.
        self.tokens.get(self.next).map_or(&Token::End, |(t, _)| t)
    }

    fn peek_second(&self) -> &Token {
        self.tokens
            .get(self.next + 1)
            .map_or(&Token::End, |(t, _)| t)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    /// An error at the next word.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.next, message)
    }

    fn error_at(&self, token: usize, message: impl Into<String>) -> ParseError {
        let offset = self
            .tokens
            .get(token)
            .map_or(self.text.len(), |(_, offset)| *offset);
        ParseError::at(self.text, offset, message)
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(self.error(format!("expected {what}, found {}", self.peek().describe())))
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        *self.peek() == Token::Mark(mark)
    }

    pub(super) fn accept(&mut self, mark: char) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.next += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.accept(mark) {
            return Ok(());
        }
        self.expected(&format!("`{mark}`"))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next += 1;
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        self.expected(&format!("`{word}`"))
    }

    pub(super) fn word(&mut self, what: &str) -> Parsed<String> {
        match self.peek().clone() {
            Token::Word(word) => {
                self.next += 1;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn symbol(&mut self, what: &str) -> Parsed<Arc<str>> {
        match self.peek().clone() {
            Token::Symbol(name) => {
                self.next += 1;
                Ok(name.into())
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn int(&mut self, what: &str) -> Parsed<i64> {
        let Token::Int(value) = *self.peek() else {
            return self.expected(what);
        };
        let value = i64::try_from(value)
            .map_err(|_| self.error(format!("{value} does not fit in 64 bits")))?;
        self.next += 1;
        Ok(value)
    }

    pub(super) fn size(&mut self, what: &str) -> Parsed<usize> {
        let at = self.next;
        let value = self.int(what)?;
        usize::try_from(value)
            .map_err(|_| self.error_at(at, format!("expected {what}, found the negative {value}")))
    }

    /// Items between marks, separated by commas.
    pub(super) fn list<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.accept(close) {
            if !items.is_empty() {
                if !self.is_mark(',') {
                    return self.expected(&format!("`,` or `{close}`"));
                }
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn finish(&self) -> Parsed<()> {
        match self.peek() {
            Token::End => Ok(()),
            _ => self.expected("the end of the text"),
        }
    }

    fn dtype(&mut self) -> Parsed<DType> {
        let Token::Word(word) = self.peek().clone() else {
            return self.expected("a dtype");
        };
        if word == "key" {
            self.next += 1;
            self.expect('<')?;
            self.expect_word("fry")?;
            self.expect('>')?;
            return Ok(DType::Key);
        }
        match DType::all().find(|dtype| dtype.short_name() == word) {
            Some(dtype) => {
                self.next += 1;
                Ok(dtype)
            }
            None => self.expected("a dtype"),
        }
    }

    /// `f32[8,128]`, `f32[]*`.
    pub(super) fn tensor_type(&mut self) -> Parsed<TensorType> {
        let dtype = self.dtype()?;
        let shape = self.list('[', ']', |parser| parser.size("the size of a dimension"))?;
        Ok(TensorType {
            dtype,
            shape: shape.into(),
            weak: self.accept('*'),
        })
    }

    /// `ref<f32[8], vmem>`.
    pub(super) fn ref_type(&mut self) -> Parsed<RefType> {
        self.expect_word("ref")?;
        self.expect('<')?;
        let dtype = self.dtype()?;
        let shape = self.list('[', ']', |parser| parser.size("the size of a dimension"))?;
        let space = match self.accept(',') {
            true => self.space()?,
            false => MemorySpace::Default,
        };
        self.expect('>')?;
        Ok(RefType {
            dtype,
            shape: shape.into(),
            space,
        })
    }

    pub(super) fn space(&mut self) -> Parsed<MemorySpace> {
        let at = self.next;
        let word = self.word("a memory space")?;
        MemorySpace::ALL
            .into_iter()
            .find(|space| space.name() == word)
            .ok_or_else(|| self.error_at(at, format!("expected a memory space, found `{word}`")))
    }

    fn ty(&mut self) -> Parsed<Type> {
        match self.peek() {
            Token::Word(word) if word == "ref" => self.ref_type().map(Type::Ref),
            Token::Word(_) => self.tensor_type().map(Type::Tensor),
            _ => self.expected("a type"),
        }
    }

    /// One element of a constant.
    fn element(&mut self) -> Parsed<Scalar> {
        let element = match self.peek().clone() {
            Token::Int(value) => Scalar::Int(value),
            Token::Float(value) => Scalar::Float(value),
            Token::Word(word) if word == "true" => Scalar::Bool(true),
            Token::Word(word) if word == "false" => Scalar::Bool(false),
            Token::Word(word) if word == "key" => {
                self.next += 1;
                let words = self.list('(', ')', |parser| parser.int("a key's word"))?;
                let [high, low] = words.as_slice() else {
                    return Err(self.error("a key has two words"));
                };
                let word = |value: &i64| u32::try_from(*value).ok();
                return match (word(high), word(low)) {
                    (Some(high), Some(low)) => Ok(Scalar::Key([high, low])),
                    _ => Err(self.error("a key's words are 32 bits wide")),
                };
            }
            _ => return self.expected("an element"),
        };
        self.next += 1;
        Ok(element)
    }

    /// The data of a constant: `1.5` for all elements, or `dense<[...]>`.
    fn data(&mut self) -> Parsed<Data> {
        let at = self.next;
        if !self.accept_word("dense") {
            return Ok(Data {
                splat: Some(self.element()?),
                elements: Vec::new(),
                at,
            });
        }
        self.expect('<')?;
        let mut elements = Vec::new();
        self.nested(&mut elements, 0)?;
        self.expect('>')?;
        Ok(Data {
            splat: None,
            elements,
            at,
        })
    }

    fn nested(&mut self, elements: &mut Vec<Scalar>, depth: usize) -> Parsed<()> {
        if !self.is_mark('[') {
            elements.push(self.element()?);
            return Ok(());
        }
        if depth > DEPTH {
            return Err(self.error("brackets nest too deep"));
        }
        self.list('[', ']', |parser| parser.nested(elements, depth + 1))?;
        Ok(())
    }

    fn array(&self, data: &Data, ty: &TensorType) -> Parsed<Array> {
        /// A splat of more than this is a typing error rather than a constant.
        const LIMIT: usize = 1 << 26;
        let shape: Shape = ty.shape.clone();
        let result = match data.splat {
            Some(_) if shape.checked_size().is_none_or(|size| size > LIMIT) => {
                return Err(self.error_at(data.at, format!("a constant of type {ty} is too large")));
            }
            Some(value) => Array::full(ty.dtype, shape, value),
            None => Array::from_scalars(ty.dtype, shape, &data.elements),
        };
        result.map_err(|error| self.error_at(data.at, format!("{error}")))
    }
}

/// A constant's data before its type is known.
struct Data {
    splat: Option<Scalar>,
    elements: Vec<Scalar>,
    at: usize,
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
        self.function.values.push(ValueData {
            ty,
            name: (!is_number).then(|| name.into()),
        });
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
        let found = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(&name).copied());
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
            OpKind::Memory(kind) => self.access(parser, kind, &mut operands, &mut attributes)?,
            _ if op.name == "constant" => data = Some(parser.data()?),
            _ if matches!(parser.peek(), Token::Value(_)) => operands.extend(self.values(parser)?),
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
        self.function.ops.push(OpData {
            op,
            operands,
            results,
            attributes,
            regions,
            location: LocationId(0),
        });
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

    fn dimension(
        &self,
        parser: &mut Parser<'_>,
        whole: Option<usize>,
        indices: &mut Vec<ValueId>,
    ) -> Parsed<DimIndex> {
        match parser.peek().clone() {
            Token::Mark(':') => {
                let Some(size) = whole else {
                    return Err(parser.error("the Ref has no such dimension"));
                };
                parser.expect(':')?;
                Ok(DimIndex::Slice {
                    start: Position::Static(0),
                    size,
                    stride: 1,
                })
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
                indices.push(self.value(parser)?);
                parser.expect(',')?;
                let size = parser.size("the number of elements")?;
                let stride = match parser.accept(',') {
                    true => stride(parser)?,
                    false => 1,
                };
                parser.expect(')')?;
                Ok(DimIndex::Slice {
                    start: Position::Dynamic,
                    size,
                    stride,
                })
            }
            Token::Int(_) => static_dimension(parser),
            _ => parser.expected("a position or a slice"),
        }
    }
}

fn stride(parser: &mut Parser<'_>) -> Parsed<usize> {
    let at = parser.next;
    match parser.size("the distance of elements")? {
        0 => Err(parser.error_at(at, "the distance of elements is at least 1")),
        stride => Ok(stride),
    }
}

/// `3`, `0:8` or `0:8:2`.
fn static_dimension(parser: &mut Parser<'_>) -> Parsed<DimIndex> {
    let start = parser.int("a position")?;
    if !parser.accept(':') {
        return Ok(DimIndex::At(Position::Static(start)));
    }
    let at = parser.next;
    let end = parser.int("the end of the slice")?;
    let stride = match parser.accept(':') {
        true => stride(parser)?,
        false => 1,
    };
    let span = i128::from(end) - i128::from(start);
    let size = usize::try_from(span)
        .map_err(|_| parser.error_at(at, "the slice ends before it begins"))?
        .div_ceil(stride);
    Ok(DimIndex::Slice {
        start: Position::Static(start),
        size,
        stride,
    })
}

/// `name=value`, the name one of the op's.
fn attribute(parser: &mut Parser<'_>, op: Op, attributes: &mut Attributes) -> Parsed<()> {
    let at = parser.next;
    let name = parser.word("an attribute")?;
    let Some(&known) = op.attributes.iter().find(|known| **known == name) else {
        let known = match op.attributes {
            [] => "no attributes".into(),
            names => names.join(", "),
        };
        return Err(parser.error_at(
            at,
            format!("{} has no attribute `{name}`; it takes {known}", op.name),
        ));
    };
    if attributes.get(known).is_some() {
        return Err(parser.error_at(at, format!("the attribute `{name}` is given twice")));
    }
    parser.expect('=')?;
    let value = match parser.peek().clone() {
        Token::Mark('[') => lists(parser)?,
        Token::Text(text) => {
            parser.next += 1;
            Attribute::Str(text.into())
        }
        Token::Int(_) => Attribute::Int(parser.int("an integer")?),
        Token::Float(value) => {
            parser.next += 1;
            Attribute::Float(value)
        }
        Token::Word(word) => match word.as_str() {
            "true" | "false" => {
                parser.next += 1;
                Attribute::Bool(word == "true")
            }
            "launch" => Attribute::Launch(Arc::new(launch(parser)?)),
            "dense" => {
                let data = parser.data()?;
                parser.expect(':')?;
                let ty = parser.tensor_type()?;
                Attribute::Array(parser.array(&data, &ty)?)
            }
            _ => Attribute::DType(parser.dtype()?),
        },
        _ => return parser.expected("the value of an attribute"),
    };
    *attributes = std::mem::take(attributes).with(known, value);
    Ok(())
}

/// `[0, 1]` or `[[0], [1]]`.
fn lists(parser: &mut Parser<'_>) -> Parsed<Attribute> {
    if *parser.peek_second() == Token::Mark('[') {
        let lists = parser.list('[', ']', |parser| {
            parser.list('[', ']', |parser| parser.int("an integer"))
        })?;
        return Ok(Attribute::IntLists(lists));
    }
    let ints = parser.list('[', ']', |parser| parser.int("an integer"))?;
    Ok(Attribute::Ints(ints))
}
