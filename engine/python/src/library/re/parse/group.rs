//! Groups: capturing, named, looking around, atomic, conditional, and inline flags.

use super::{ASCII, DOTALL, IGNORECASE, MULTILINE, NOWHERE, Parser, Result, UNICODE, VERBOSE};
use crate::library::re::tree::Node;

impl Parser<'_> {
    pub(super) fn group(&mut self, start: usize) -> Result<Option<Node>> {
        if !self.accept('?') {
            return self.capture(start, None).map(Some);
        }
        let Some(c) = self.peek() else { return self.error("unexpected end of pattern", self.at) };
        self.at += 1;
        match c {
            ':' => self.inner(start).map(Some),
            '>' => Ok(Some(Node::Atomic(Box::new(self.inner(start)?)))),
            '#' => {
                while self.peek().is_some_and(|c| c != ')') {
                    self.at += 1;
                }
                if !self.accept(')') {
                    return self.error("missing ), unterminated comment", start);
                }
                Ok(None)
            }
            '=' | '!' => {
                let node = Box::new(self.inner(start)?);
                Ok(Some(Node::Look { node, behind: false, negated: c == '!' }))
            }
            '<' if self.looking_at("=") || self.looking_at("!") => {
                let negated = self.peek() == Some('!');
                self.at += 1;
                let node = self.inner(start)?;
                let (least, most) = node.width();
                if most != Some(least) {
                    return self.error("look-behind requires fixed-width pattern", NOWHERE);
                }
                Ok(Some(Node::Look { node: Box::new(node), behind: true, negated }))
            }
            'P' if self.accept('<') => {
                let name_start = self.at;
                let name = self.name('>', "group name")?;
                if self.names.iter().any(|(known, _)| *known == name) {
                    let index = self.names.iter().find(|(known, _)| *known == name).map_or(0, |(_, index)| *index);
                    return self.error(
                        format!("redefinition of group name '{name}' as group {}; was group {index}", self.groups + 1),
                        name_start,
                    );
                }
                self.capture(start, Some(name)).map(Some)
            }
            'P' if self.accept('=') => {
                let name_start = self.at;
                let name = self.name(')', "group name")?;
                match self.names.iter().find(|(known, _)| *known == name).map(|(_, index)| *index) {
                    Some(index) if self.open.contains(&index) => {
                        self.error("cannot refer to an open group", name_start)
                    }
                    Some(index) => Ok(Some(Node::Reference { index, ignore_case: self.on(IGNORECASE) })),
                    None => self.error(format!("unknown group name '{name}'"), name_start),
                }
            }
            'P' => {
                let next = self.peek().map_or(String::new(), |c| c.to_string());
                self.error(format!("unknown extension ?P{next}"), start + 1)
            }
            '(' => self.conditional(start).map(Some),
            c if "aiLmsux-".contains(c) => {
                self.at -= 1;
                self.inline_flags(start)
            }
            c => self.error(format!("unknown extension ?{c}"), start + 1),
        }
    }

    fn name(&mut self, end: char, what: &str) -> Result<String> {
        let start = self.at;
        while self.peek().is_some_and(|c| c != end) {
            self.at += 1;
        }
        let name: String = self.text[start..self.at].iter().collect();
        if !self.accept(end) {
            return self.error(format!("missing {end}, unterminated name"), start);
        }
        if name.is_empty() {
            return self.error(format!("missing {what}"), start);
        }
        let valid =
            name.chars().enumerate().all(|(at, c)| c == '_' || c.is_alphabetic() || (at > 0 && c.is_alphanumeric()));
        let is_number = what == "condition" && name.chars().all(|c| c.is_ascii_digit());
        if !valid && !is_number {
            return self.error(format!("bad character in group name '{name}'"), start);
        }
        Ok(name)
    }

    fn capture(&mut self, start: usize, name: Option<String>) -> Result<Node> {
        self.groups += 1;
        let index = self.groups;
        self.names.extend(name.map(|name| (name, index)));
        self.open.push(index);
        let node = Box::new(self.inner(start)?);
        self.open.pop();
        Ok(Node::Capture { index, node })
    }

    /// The inside of a group, and its end.
    fn inner(&mut self, start: usize) -> Result<Node> {
        let flags = self.flags;
        let node = self.alternatives()?;
        if !self.accept(')') {
            return self.error("missing ), unterminated subpattern", start);
        }
        self.flags = flags;
        // A group is an atom, even where it is empty or holds a repetition alone.
        Ok(match node {
            node @ (Node::Repeat { .. } | Node::Assert(_) | Node::Empty) => Node::Concat(vec![node]),
            node => node,
        })
    }

    fn conditional(&mut self, start: usize) -> Result<Node> {
        let name_start = self.at;
        let name = self.name(')', "condition")?;
        let index = match name.parse::<usize>() {
            Ok(index) => index,
            Err(_) => match self.names.iter().find(|(known, _)| *known == name) {
                Some((_, index)) => *index,
                None => return self.error(format!("unknown group name '{name}'"), name_start),
            },
        };
        if index == 0 || index > self.groups {
            return self.error(format!("invalid group reference {index}"), name_start);
        }
        let yes = Box::new(self.sequence()?);
        let no = if self.accept('|') { self.sequence()? } else { Node::Empty };
        if self.peek() == Some('|') {
            return self.error("conditional backref with more than two branches", self.at);
        }
        if !self.accept(')') {
            return self.error("missing ), unterminated subpattern", start);
        }
        Ok(Node::Conditional { index, yes, no: Box::new(no) })
    }

    fn inline_flags(&mut self, start: usize) -> Result<Option<Node>> {
        let (mut on, mut off, mut negative) = (0, 0, false);
        loop {
            let Some(c) = self.peek() else { return self.error("missing -, : or )", self.at) };
            self.at += 1;
            let flag = match c {
                'i' => IGNORECASE,
                'm' => MULTILINE,
                's' => DOTALL,
                'x' => VERBOSE,
                'a' => ASCII,
                'u' => UNICODE,
                '-' if !negative => {
                    negative = true;
                    continue;
                }
                ')' if !negative => {
                    if start != 0 {
                        return self.error("global flags not at the start of the expression", start);
                    }
                    self.flags |= on;
                    return Ok(None);
                }
                ':' => {
                    let outer = self.flags;
                    self.flags = (self.flags | on) & !off;
                    let node = self.inner(start);
                    self.flags = outer;
                    return node.map(Some);
                }
                c if c.is_alphabetic() => return self.error("unknown flag", self.at - 1),
                _ => return self.error("missing -, : or )", self.at - 1),
            };
            if negative { off |= flag } else { on |= flag }
        }
    }
}
