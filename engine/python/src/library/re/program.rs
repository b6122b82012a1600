//! Matches by backtracking: the tree becomes a program, and a stack holds what is left to try.

use super::tree::{Assertion, Class, Node, RepeatKind, Set, fold};
use crate::interp::Interp;
use crate::raise::PyResult;

#[derive(Debug)]
enum Step {
    Char {
        c: char,
        ignore_case: bool,
    },
    Any {
        newline: bool,
    },
    Set(Set),
    /// Goes on at the first, and at the second if that fails.
    Split(usize, usize),
    Jump(usize),
    /// Notes the position in a slot: begins and ends of groups.
    Save(usize),
    /// Forgets where a loop's last round began.
    Forget(usize),
    /// Begins a round of a loop; goes to the target instead where the last round began here, too, and so was empty.
    Round {
        register: usize,
        target: usize,
    },
    /// Sets a counter.
    Count(usize, u32),
    /// Counts a round; goes to the target while the counter is below the bound.
    Below {
        counter: usize,
        bound: u32,
        target: usize,
    },
    Assert(Assertion),
    Look {
        program: Program,
        behind: Option<usize>,
        negated: bool,
    },
    /// Matches a program of its own once, for atomic groups.
    Once(Program),
    Reference {
        index: usize,
        ignore_case: bool,
    },
    /// Goes to the target where the group has not matched.
    Unless {
        index: usize,
        target: usize,
    },
    Match,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    registers: usize,
}

/// Positions of the groups: begin and end of each, the whole match first; and the group closed last.
#[derive(Clone, Debug)]
pub(super) struct Captures {
    pub(super) slots: Vec<Option<usize>>,
    pub(super) last: Option<usize>,
}

/// A counted repetition up to this is written out; a longer one counts.
const UNROLLED: u32 = 8;
/// The most steps that one pattern may become.
const LARGEST: usize = 200_000;

impl Program {
    /// `None` where the program would be too large.
    pub(super) fn new(node: &Node) -> Option<Program> {
        let mut program = Program { steps: Vec::new(), registers: 0 };
        program.compile(node);
        program.steps.push(Step::Match);
        (program.steps.len() < LARGEST).then_some(program)
    }

    fn nested(node: &Node) -> Program {
        let mut program = Program { steps: Vec::new(), registers: 0 };
        program.compile(node);
        program.steps.push(Step::Match);
        program
    }

    fn compile(&mut self, node: &Node) {
        if self.steps.len() > LARGEST {
            return;
        }
        match node {
            Node::Empty => {}
            Node::Char { c, ignore_case } => {
                let c = if *ignore_case { fold(*c) } else { *c };
                self.steps.push(Step::Char { c, ignore_case: *ignore_case });
            }
            Node::Any { newline } => self.steps.push(Step::Any { newline: *newline }),
            Node::Set(set) => self.steps.push(Step::Set(set.clone())),
            Node::Concat(nodes) => nodes.iter().for_each(|node| self.compile(node)),
            Node::Alternatives(nodes) => self.alternatives(nodes),
            Node::Repeat { node, kind: RepeatKind::Possessive, least, most } => {
                let greedy = Node::Repeat { node: node.clone(), kind: RepeatKind::Greedy, least: *least, most: *most };
                self.steps.push(Step::Once(Program::nested(&greedy)));
            }
            Node::Repeat { node, least, most, kind } => self.repeat(node, *least, *most, *kind == RepeatKind::Lazy),
            Node::Capture { index, node } => {
                self.steps.push(Step::Save(2 * index));
                self.compile(node);
                self.steps.push(Step::Save(2 * index + 1));
            }
            Node::Atomic(node) => self.steps.push(Step::Once(Program::nested(node))),
            Node::Assert(assertion) => self.steps.push(Step::Assert(*assertion)),
            Node::Look { node, behind, negated } => {
                let behind = behind.then(|| node.width().0);
                self.steps.push(Step::Look { program: Program::nested(node), behind, negated: *negated });
            }
            Node::Reference { index, ignore_case } => {
                self.steps.push(Step::Reference { index: *index, ignore_case: *ignore_case });
            }
            Node::Conditional { index, yes, no } => {
                let test = self.steps.len();
                self.steps.push(Step::Unless { index: *index, target: 0 });
                self.compile(yes);
                let skip = self.steps.len();
                self.steps.push(Step::Jump(0));
                let otherwise = self.steps.len();
                self.compile(no);
                let end = self.steps.len();
                self.steps[test] = Step::Unless { index: *index, target: otherwise };
                self.steps[skip] = Step::Jump(end);
            }
        }
    }

    fn alternatives(&mut self, nodes: &[Node]) {
        let mut exits = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.compile(node);
                break;
            }
            let split = self.steps.len();
            self.steps.push(Step::Split(split + 1, 0));
            self.compile(node);
            exits.push(self.steps.len());
            self.steps.push(Step::Jump(0));
            self.steps[split] = Step::Split(split + 1, self.steps.len());
        }
        let end = self.steps.len();
        for exit in exits {
            self.steps[exit] = Step::Jump(end);
        }
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn split(&mut self, at: usize, body: usize, after: usize, lazy: bool) {
        self.steps[at] = if lazy { Step::Split(after, body) } else { Step::Split(body, after) };
    }

    fn repeat(&mut self, node: &Node, least: u32, most: Option<u32>, lazy: bool) {
        if least <= UNROLLED {
            for _ in 0..least {
                self.compile(node);
            }
        } else {
            self.counted(node, least);
        }
        match most {
            None => self.star(node, lazy),
            Some(most) if most > least && most - least <= UNROLLED => {
                // Nested: each further round only after the one before.
                let mut splits = Vec::new();
                for _ in least..most {
                    splits.push(self.steps.len());
                    self.steps.push(Step::Match);
                    self.compile(node);
                }
                let end = self.steps.len();
                for split in splits {
                    self.split(split, split + 1, end, lazy);
                }
            }
            Some(most) if most > least => self.bounded(node, most - least, lazy),
            Some(_) => {}
        }
    }

    /// Exactly `rounds` rounds.
    fn counted(&mut self, node: &Node, rounds: u32) {
        let counter = self.register();
        self.steps.push(Step::Count(counter, 0));
        let body = self.steps.len();
        self.compile(node);
        self.steps.push(Step::Below { counter, bound: rounds, target: body });
    }

    /// At most `rounds` rounds.
    fn bounded(&mut self, node: &Node, rounds: u32, lazy: bool) {
        let counter = self.register();
        self.steps.push(Step::Count(counter, 0));
        let split = self.steps.len();
        self.steps.push(Step::Match);
        self.compile(node);
        self.steps.push(Step::Below { counter, bound: rounds, target: split });
        let end = self.steps.len();
        self.split(split, split + 1, end, lazy);
    }

    fn star(&mut self, node: &Node, lazy: bool) {
        let may_be_empty = node.width().0 == 0;
        let register = may_be_empty.then(|| {
            let register = self.register();
            self.steps.push(Step::Forget(register));
            register
        });
        let split = self.steps.len();
        self.steps.push(Step::Match);
        if let Some(register) = register {
            self.steps.push(Step::Round { register, target: 0 });
        }
        self.compile(node);
        self.steps.push(Step::Jump(split));
        let end = self.steps.len();
        self.split(split, split + 1, end, lazy);
        if let Some(register) = register {
            self.steps[split + 1] = Step::Round { register, target: end };
        }
    }

    /// The character that every match begins with, if there is one.
    pub(super) fn first_char(&self) -> Option<char> {
        match self.steps.iter().find(|step| !matches!(step, Step::Save(_)))? {
            Step::Char { c, ignore_case: false } => Some(*c),
            _ => None,
        }
    }
}

/// What a match is asked to be.
#[derive(Clone, Copy)]
pub(super) struct Want {
    /// It ends at the end of the text.
    pub(super) full: bool,
    /// It is not empty.
    pub(super) not_empty: bool,
}

/// What to do when a path fails.
enum Undo {
    Branch { step: usize, position: usize },
    Slot { slot: usize, old: Option<usize>, last: Option<usize> },
    Register { register: usize, old: usize },
}

/// One text being matched. Positions count characters; `end` is the end of what may be looked at.
pub(super) struct Matcher<'a> {
    pub(super) text: &'a [char],
    pub(super) end: usize,
}

impl Matcher<'_> {
    /// A match of `program` that begins at `start`.
    pub(super) fn run(
        &self,
        interp: &Interp,
        program: &Program,
        groups: usize,
        start: usize,
        want: Want,
    ) -> PyResult<Option<Captures>> {
        let mut captures = Captures { slots: vec![None; 2 * (groups + 1)], last: None };
        match self.execute(interp, program, start, want, &mut captures)? {
            Some(end) => {
                captures.slots[0] = Some(start);
                captures.slots[1] = Some(end);
                Ok(Some(captures))
            }
            None => Ok(None),
        }
    }

    fn execute(
        &self,
        interp: &Interp,
        program: &Program,
        start: usize,
        want: Want,
        captures: &mut Captures,
    ) -> PyResult<Option<usize>> {
        let mut registers = vec![0usize; program.registers];
        let mut stack: Vec<Undo> = Vec::new();
        let (mut step, mut position) = (0, start);
        let mut work = 0u64;
        loop {
            work += 1;
            if work.is_multiple_of(1024) {
                interp.charge(16)?;
                interp.charge_bytes(if stack.len() > 1 << 22 { u128::MAX } else { 0 })?;
            }
            let passed = match &program.steps[step] {
                Step::Char { c, ignore_case } => self.at(position).is_some_and(|found| {
                    position += 1;
                    found == *c || (*ignore_case && fold(found) == *c)
                }),
                Step::Any { newline } => self.at(position).is_some_and(|found| {
                    position += 1;
                    *newline || found != '\n'
                }),
                Step::Set(set) => self.at(position).is_some_and(|found| {
                    position += 1;
                    set.contains(found)
                }),
                Step::Split(first, second) => {
                    stack.push(Undo::Branch { step: *second, position });
                    step = *first;
                    continue;
                }
                Step::Jump(target) => {
                    step = *target;
                    continue;
                }
                Step::Save(slot) => {
                    stack.push(Undo::Slot { slot: *slot, old: captures.slots[*slot], last: captures.last });
                    captures.slots[*slot] = Some(position);
                    if slot % 2 == 1 {
                        captures.last = Some(slot / 2);
                    }
                    true
                }
                Step::Forget(register) => {
                    stack.push(Undo::Register { register: *register, old: registers[*register] });
                    registers[*register] = usize::MAX;
                    true
                }
                Step::Round { register, target } => {
                    if registers[*register] == position {
                        step = *target;
                        continue;
                    }
                    stack.push(Undo::Register { register: *register, old: registers[*register] });
                    registers[*register] = position;
                    true
                }
                Step::Count(register, value) => {
                    stack.push(Undo::Register { register: *register, old: registers[*register] });
                    registers[*register] = *value as usize;
                    true
                }
                Step::Below { counter, bound, target } => {
                    stack.push(Undo::Register { register: *counter, old: registers[*counter] });
                    registers[*counter] += 1;
                    if registers[*counter] < *bound as usize {
                        step = *target;
                        continue;
                    }
                    true
                }
                Step::Assert(assertion) => self.holds(*assertion, position),
                Step::Look { program, behind, negated } => {
                    let from = match behind {
                        Some(width) => position.checked_sub(*width),
                        None => Some(position),
                    };
                    let mut inner = captures.clone();
                    let plain = Want { full: false, not_empty: false };
                    let found = match from {
                        Some(from) => self.execute(interp, program, from, plain, &mut inner)?.is_some(),
                        None => false,
                    };
                    if found && !negated {
                        self.adopt(captures, inner, &mut stack);
                    }
                    found != *negated
                }
                Step::Once(program) => {
                    let mut inner = captures.clone();
                    let plain = Want { full: false, not_empty: false };
                    match self.execute(interp, program, position, plain, &mut inner)? {
                        Some(end) => {
                            self.adopt(captures, inner, &mut stack);
                            position = end;
                            true
                        }
                        None => false,
                    }
                }
                Step::Reference { index, ignore_case } => {
                    match (captures.slots[2 * index], captures.slots[2 * index + 1]) {
                        (Some(begin), Some(end)) => {
                            let length = end - begin;
                            let fits = position + length <= self.end
                                && (0..length).all(|offset| {
                                    let (a, b) = (self.text[begin + offset], self.text[position + offset]);
                                    a == b || (*ignore_case && fold(a) == fold(b))
                                });
                            position += if fits { length } else { 0 };
                            fits
                        }
                        _ => false,
                    }
                }
                Step::Unless { index, target } => {
                    if captures.slots[2 * index + 1].is_none() {
                        step = *target;
                        continue;
                    }
                    true
                }
                Step::Match => {
                    if (!want.full || position == self.end) && !(want.not_empty && position == start) {
                        return Ok(Some(position));
                    }
                    false
                }
            };
            if passed {
                step += 1;
                continue;
            }
            loop {
                match stack.pop() {
                    None => return Ok(None),
                    Some(Undo::Branch { step: next, position: back }) => {
                        (step, position) = (next, back);
                        break;
                    }
                    Some(Undo::Slot { slot, old, last }) => {
                        captures.slots[slot] = old;
                        captures.last = last;
                    }
                    Some(Undo::Register { register, old }) => registers[register] = old,
                }
            }
        }
    }

    /// Takes over what groups matched inside a lookahead or atomic group, undoing it if the path fails later.
    fn adopt(&self, captures: &mut Captures, inner: Captures, stack: &mut Vec<Undo>) {
        for (slot, value) in inner.slots.iter().enumerate() {
            if captures.slots[slot] != *value {
                stack.push(Undo::Slot { slot, old: captures.slots[slot], last: captures.last });
                captures.slots[slot] = *value;
            }
        }
        captures.last = inner.last;
    }

    fn at(&self, position: usize) -> Option<char> {
        if position < self.end { Some(self.text[position]) } else { None }
    }

    fn holds(&self, assertion: Assertion, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|at| self.text.get(at)).copied();
        let after = self.at(position);
        match assertion {
            Assertion::TextStart => position == 0,
            Assertion::LineStart => before.is_none_or(|c| c == '\n'),
            Assertion::TextEnd => position == self.end,
            Assertion::TextEndOrNewline => position == self.end || (position + 1 == self.end && after == Some('\n')),
            Assertion::LineEnd => after.is_none_or(|c| c == '\n'),
            Assertion::WordBoundary { negated, ascii } => {
                let word = |c: Option<char>| c.is_some_and(|c| Class::Word.contains(c, ascii));
                // CPython finds no boundary, and no non-boundary, in an empty text.
                self.end > 0 && (word(before) != word(after)) != negated
            }
        }
    }
}
