//! The words of a text one after the other, and the small forms that functions and launches share: lists, types,
//! elements of constants.

use super::lex::{Placed, Token, lex};
use super::print::DEPTH;
use crate::types::{BarrierType, MemorySpace, Overlay, RefType, TensorType, Transform, Type};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;
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

/// A result whose error is a place in the text.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// The words that are left.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    pub(super) next: usize,
    /// Functions and regions that are open, launches included.
    pub(super) depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser { text, tokens: lex(text)?, next: 0, depth: 0 })
    }

    pub(super) fn peek(&self) -> &Token {
        // The last word is the end, and `advance` does not go beyond it.
        self.tokens.get(self.next).map_or(&Token::End, |(t, _)| t)
    }

    pub(super) fn peek_second(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |(t, _)| t)
    }

    /// Whether values come next that are no results: `%0, %1 =` begins another op.
    pub(super) fn is_at_operands(&self) -> bool {
        let token = |at: usize| self.tokens.get(at).map_or(&Token::End, |(token, _)| token);
        let mut at = self.next;
        while matches!(token(at), Token::Value(_)) && *token(at + 1) == Token::Mark(',') {
            at += 2;
        }
        matches!(token(at), Token::Value(_)) && *token(at + 1) != Token::Mark('=')
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

    pub(super) fn error_at(&self, token: usize, message: impl Into<String>) -> ParseError {
        let offset = self.tokens.get(token).map_or(self.text.len(), |(_, offset)| *offset);
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
        let value = i64::try_from(value).map_err(|_| self.error(format!("{value} does not fit in 64 bits")))?;
        self.next += 1;
        Ok(value)
    }

    pub(super) fn size(&mut self, what: &str) -> Parsed<usize> {
        let at = self.next;
        let value = self.int(what)?;
        usize::try_from(value).map_err(|_| self.error_at(at, format!("expected {what}, found the negative {value}")))
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

    pub(super) fn dtype(&mut self) -> Parsed<DType> {
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
        Ok(TensorType { dtype, shape: shape.into(), weak: self.accept('*') })
    }

    /// `ref<f32[8], vmem>`.
    pub(super) fn ref_type(&mut self) -> Parsed<RefType> {
        self.expect_word("ref")?;
        self.expect('<')?;
        let dtype = self.dtype()?;
        let dims = self.list('[', ']', |parser| {
            let is_bound = parser.at_most();
            Ok((parser.size("the size of a dimension")?, is_bound))
        })?;
        let space = match self.accept(',') {
            true => self.space()?,
            false => MemorySpace::Default,
        };
        let (mut barrier, mut layout) = (None, SmallVec::new());
        if self.accept('(') {
            match space {
                MemorySpace::Barrier => barrier = Some(self.barrier()?),
                _ => layout = self.layout()?,
            }
        }
        let overlay = match self.accept(',') {
            true => self.overlay()?,
            false => Overlay::None,
        };
        self.expect('>')?;
        let shape = dims.iter().map(|&(size, _)| size).collect();
        let bounded = (0..dims.len()).filter(|&axis| dims[axis].1).collect();
        Ok(RefType { dtype, shape, space, bounded, barrier, layout, overlay })
    }

    /// How shared memory is laid out, up to the closing parenthesis.
    fn layout(&mut self) -> Parsed<SmallVec<[Transform; 2]>> {
        let mut layout = SmallVec::new();
        loop {
            layout.push(match self.accept_word("swizzled") {
                true => Transform::Swizzled(self.size("a number of bytes")?),
                false => {
                    self.expect_word("tiled")?;
                    Transform::Tiled(self.list('[', ']', |parser| parser.size("the size of a tile"))?.into())
                }
            });
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(layout)
    }

    /// Whether memory is shared with other allocations.
    fn overlay(&mut self) -> Parsed<Overlay> {
        let at = self.next;
        let word = self.word("`union` or `beside`")?;
        let found =
            [Overlay::Largest, Overlay::Beside].into_iter().find(|overlay| overlay.word() == Some(word.as_str()));
        found.ok_or_else(|| self.error_at(at, format!("expected `union` or `beside`, found `{word}`")))
    }

    /// What barriers count, up to the closing parenthesis.
    fn barrier(&mut self) -> Parsed<BarrierType> {
        let arrivals = self.size("how many arrivals a barrier counts")?;
        let mut barrier = BarrierType {
            arrivals: u32::try_from(arrivals).unwrap_or(u32::MAX),
            tensor_core: false,
            across: Default::default(),
            led: false,
        };
        let mut sets = barrier.across.len();
        while self.accept(',') {
            if self.accept_word("tensor_core") {
                barrier.tensor_core = true;
                continue;
            }
            if self.accept_word("led") {
                barrier.led = true;
                continue;
            }
            self.expect_word("across")?;
            let at = self.next;
            let axes = self.list('[', ']', |parser| parser.size("an axis of the grid"))?;
            if sets == 0 || axes.iter().any(|&axis| axis >= 16) {
                return Err(self.error_at(at, "no cluster has so many axes"));
            }
            barrier.across[barrier.across.len() - sets] = axes.iter().fold(0, |set, &axis| set | 1 << axis);
            sets -= 1;
        }
        self.expect(')')?;
        Ok(barrier)
    }

    /// `<=`, if it stands here.
    pub(super) fn at_most(&mut self) -> bool {
        let stands = *self.peek() == Token::Mark('<') && *self.peek_second() == Token::Mark('=');
        if stands {
            self.next += 2;
        }
        stands
    }

    pub(super) fn space(&mut self) -> Parsed<MemorySpace> {
        let at = self.next;
        let word = self.word("a memory space")?;
        MemorySpace::ALL
            .into_iter()
            .find(|space| space.name() == word)
            .ok_or_else(|| self.error_at(at, format!("expected a memory space, found `{word}`")))
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        match self.peek() {
            Token::Word(word) if word == "ref" => self.ref_type().map(Type::Ref),
            Token::Word(_) => self.tensor_type().map(Type::Tensor),
            _ => self.expected("a type"),
        }
    }

    /// One element of a constant.
    pub(super) fn element(&mut self) -> Parsed<Scalar> {
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
    pub(super) fn data(&mut self) -> Parsed<Data> {
        let at = self.next;
        if !self.accept_word("dense") {
            return Ok(Data { splat: Some(self.element()?), elements: Vec::new(), at });
        }
        self.expect('<')?;
        let mut elements = Vec::new();
        self.nested(&mut elements, 0)?;
        self.expect('>')?;
        Ok(Data { splat: None, elements, at })
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

    pub(super) fn array(&self, data: &Data, ty: &TensorType) -> Parsed<Array> {
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
pub(super) struct Data {
    splat: Option<Scalar>,
    elements: Vec<Scalar>,
    at: usize,
}
