//! Parsing of command lines, in the order and with the errors of CPython's argparse.

use super::action::{Action, Count, Kind};
use super::{SUPPRESS, State, exit, fail, help, type_error_class};
use crate::interp::Interp;
use crate::library::support::text;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// An option found in the words: its action, the flag as written, and a value after `=`.
#[derive(Clone)]
struct Found {
    action: usize,
    flag: String,
    value: Option<String>,
}

struct Parsing<'a> {
    interp: &'a Interp,
    state: &'a Rc<RefCell<State>>,
    words: &'a [String],
    namespace: &'a Value,
    /// By word: the option that it is; `None` for arguments.
    options: Vec<Option<Found>>,
    /// Actions that were given.
    seen: Vec<usize>,
    extras: Vec<String>,
    positionals: Vec<usize>,
    /// The words are assumed to be whatever is required.
    assumed: bool,
}

/// Sets attributes of `namespace`; returns the words that nothing takes.
pub(super) fn parse(
    interp: &Interp,
    state: &Rc<RefCell<State>>,
    words: &[String],
    namespace: &Value,
    assumed: bool,
) -> PyResult<Vec<String>> {
    let actions = state.borrow().actions.clone();
    for action in &actions {
        let suppressed = action.dest == SUPPRESS || text(&action.default).is_some_and(|text| &*text == SUPPRESS);
        if !suppressed && interp.find_attr(namespace, &action.dest)?.is_none() {
            interp.set_attr(namespace, &action.dest, action.default.clone())?;
        }
    }
    let defaults = state.borrow().defaults.clone();
    for (name, value) in defaults {
        if interp.find_attr(namespace, &name)?.is_none() {
            interp.set_attr(namespace, &name, value)?;
        }
    }
    let positionals = (0..actions.len()).filter(|&index| actions[index].is_positional()).collect();
    let mut parsing = Parsing {
        interp,
        state,
        words,
        namespace,
        options: Vec::new(),
        seen: Vec::new(),
        extras: Vec::new(),
        positionals,
        assumed,
    };
    parsing.classify(&actions)?;
    parsing.walk(&actions)?;
    parsing.finish(&actions)?;
    Ok(parsing.extras)
}

fn looks_negative(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| {
        let digits = rest.replacen('.', "", 1);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    })
}

impl Parsing<'_> {
    fn fail(&self, message: &str) -> Box<Stop> {
        fail(self.interp, &self.state.borrow(), message)
    }

    fn argument_error(&self, action: &Action, message: &str) -> Box<Stop> {
        self.fail(&format!("argument {}: {message}", action.name()))
    }

    /// Tells options from arguments.
    fn classify(&mut self, actions: &[Action]) -> PyResult<()> {
        let negative_flags = actions.iter().any(|action| action.flags.iter().any(|flag| looks_negative(flag)));
        let mut only_arguments = false;
        for word in self.words {
            if only_arguments {
                self.options.push(None);
                continue;
            }
            if word == "--" {
                only_arguments = true;
                self.options.push(None);
                continue;
            }
            let found = self.option(actions, word, negative_flags)?;
            self.options.push(found);
        }
        Ok(())
    }

    fn option(&self, actions: &[Action], word: &str, negative_flags: bool) -> PyResult<Option<Found>> {
        if !word.starts_with('-') || word.len() == 1 {
            return Ok(None);
        }
        let exact = |flag: &str| actions.iter().position(|action| action.flags.iter().any(|known| known == flag));
        if let Some(action) = exact(word) {
            return Ok(Some(Found { action, flag: word.to_owned(), value: None }));
        }
        if let Some((flag, value)) = word.split_once('=')
            && let Some(action) = exact(flag)
        {
            return Ok(Some(Found { action, flag: flag.to_owned(), value: Some(value.to_owned()) }));
        }
        let mut matches = self.abbreviations(actions, word);
        if matches.len() > 1 {
            let names: Vec<String> = matches.iter().map(|found| found.flag.clone()).collect();
            let shown = word.split_once('=').map_or(word, |(flag, _)| flag);
            return Err(self.fail(&format!("ambiguous option: {shown} could match {}", names.join(", "))));
        }
        if let Some(found) = matches.pop() {
            return Ok(Some(found));
        }
        if (looks_negative(word) && !negative_flags) || word.contains(' ') {
            return Ok(None);
        }
        // An option that nobody knows: kept for the extras.
        Ok(Some(Found { action: usize::MAX, flag: word.to_owned(), value: None }))
    }

    /// Options of which the word is a beginning, and short options with their value attached.
    fn abbreviations(&self, actions: &[Action], word: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let flags = || {
            actions.iter().enumerate().flat_map(|(index, action)| action.flags.iter().map(move |flag| (index, flag)))
        };
        if word.starts_with("--") {
            if self.state.borrow().allow_abbreviations {
                let (prefix, value) = match word.split_once('=') {
                    Some((prefix, value)) => (prefix, Some(value.to_owned())),
                    None => (word, None),
                };
                for (action, flag) in flags().filter(|(_, flag)| flag.starts_with(prefix)) {
                    found.push(Found { action, flag: flag.clone(), value: value.clone() });
                }
            }
            return found;
        }
        let short: String = word.chars().take(2).collect();
        let rest = &word[short.len()..];
        for (action, flag) in flags() {
            if *flag == short {
                found.push(Found { action, flag: flag.clone(), value: Some(rest.to_owned()) });
            } else if flag.starts_with(word) {
                found.push(Found { action, flag: flag.clone(), value: None });
            }
        }
        found
    }

    fn walk(&mut self, actions: &[Action]) -> PyResult<()> {
        let last = self.options.iter().rposition(Option::is_some);
        let mut start = 0;
        if let Some(last) = last {
            while start <= last {
                let next = (start..).find(|&at| self.options[at].is_some()).unwrap_or(last);
                if start != next {
                    let end = self.consume_positionals(actions, start)?;
                    if end > start {
                        start = end;
                        continue;
                    }
                }
                if self.options[start].is_none() {
                    self.extras.extend_from_slice(&self.words[start..next]);
                    start = next;
                }
                start = self.consume_option(actions, start)?;
            }
        }
        let stop = self.consume_positionals(actions, start)?;
        self.extras.extend_from_slice(&self.words[stop..]);
        Ok(())
    }

    /// Words from `start` on that are arguments.
    fn run_of_arguments(&self, start: usize) -> usize {
        (start..self.words.len()).take_while(|&at| self.options[at].is_none()).count()
    }

    fn consume_option(&mut self, actions: &[Action], start: usize) -> PyResult<usize> {
        let Some(mut found) = self.options[start].clone() else { return Ok(start + 1) };
        loop {
            let Some(action) = actions.get(found.action) else {
                self.extras.push(self.words[start].clone());
                return Ok(start + 1);
            };
            let Some(value) = found.value.take() else {
                let available = self.run_of_arguments(start + 1);
                let count = self.take_count(action, available)?;
                let words = self.words[start + 1..start + 1 + count].to_vec();
                self.apply(found.action, actions, &words, Some(&found.flag))?;
                return Ok(start + 1 + count);
            };
            if action.count == Count::None {
                // `-vq`: flags written together.
                let is_short = found.flag.len() == 2 && !found.flag.starts_with("--");
                let next: Option<Found> = value.chars().next().filter(|_| is_short).and_then(|c| {
                    let flag = format!("-{c}");
                    let action = actions.iter().position(|action| action.flags.contains(&flag))?;
                    let rest = value[c.len_utf8()..].to_owned();
                    Some(Found { action, flag, value: if rest.is_empty() { None } else { Some(rest) } })
                });
                match next {
                    Some(next) => {
                        self.apply(found.action, actions, &[], Some(&found.flag))?;
                        found = next;
                        continue;
                    }
                    None => {
                        let shown = self.interp.repr(&Value::str(&value))?;
                        return Err(self.argument_error(action, &format!("ignored explicit argument {shown}")));
                    }
                }
            }
            if action.count.range().0 > 1 {
                self.take_count(action, 1)?;
            }
            self.apply(found.action, actions, &[value], Some(&found.flag))?;
            return Ok(start + 1);
        }
    }

    /// How many of the available words an option takes.
    fn take_count(&self, action: &Action, available: usize) -> PyResult<usize> {
        let (least, most) = action.count.range();
        if available < least {
            let message = match &action.count {
                Count::Single => "expected one argument".to_owned(),
                Count::Optional => "expected at most one argument".to_owned(),
                Count::Some => "expected at least one argument".to_owned(),
                Count::Exactly(1) => "expected 1 argument".to_owned(),
                Count::Exactly(count) => format!("expected {count} arguments"),
                _ => "expected an argument".to_owned(),
            };
            return Err(self.argument_error(action, &message));
        }
        Ok(available.min(most))
    }

    fn consume_positionals(&mut self, actions: &[Action], start: usize) -> PyResult<usize> {
        let available = self.run_of_arguments(start);
        // As many positionals as the words allow; each takes what the later ones do not need.
        let mut chosen = Vec::new();
        for many in (1..=self.positionals.len()).rev() {
            let counts: Vec<&Count> = self.positionals[..many].iter().map(|&index| &actions[index].count).collect();
            let least: usize = counts.iter().map(|count| count.range().0).sum();
            if least <= available {
                let mut left = available;
                let mut needed = least;
                for count in counts {
                    let (least, most) = count.range();
                    needed -= least;
                    // A command and REMAINDER take everything, options too.
                    let take = match count {
                        Count::Command | Count::Remainder => usize::MAX,
                        _ => (left - needed).min(most),
                    };
                    chosen.push(take);
                    left = left.saturating_sub(take);
                }
                break;
            }
        }
        let mut at = start;
        for take in chosen {
            let index = self.positionals.remove(0);
            let take = take.min(self.words.len() - at);
            let words = self.words[at..at + take].to_vec();
            at += take;
            self.apply(index, actions, &words, None)?;
        }
        Ok(at)
    }

    /// The value of one word.
    fn convert(&self, action: &Action, word: &str) -> PyResult<Value> {
        if action.convert.is_none() {
            return Ok(Value::str(word));
        }
        let types = self.interp.types();
        match self.interp.call_values(&action.convert, [Value::str(word)]) {
            Err(stop) if self.interp.stop_is(&stop, &type_error_class(self.interp)) => {
                let message = match &*stop {
                    Stop::Raise(raise) => self.interp.exception_message(&raise.exception),
                    Stop::Abort(_) => String::new(),
                };
                Err(self.argument_error(action, &message))
            }
            Err(stop)
                if self.interp.stop_is(&stop, &types.value_error) || self.interp.stop_is(&stop, &types.type_error) =>
            {
                let name = crate::library::support::name_of(self.interp, &action.convert);
                let shown = self.interp.repr(&Value::str(word))?;
                Err(self.argument_error(action, &format!("invalid {name} value: {shown}")))
            }
            result => result,
        }
    }

    fn check_choice(&self, action: &Action, value: &Value) -> PyResult<()> {
        let Some(choices) = &action.choices else { return Ok(()) };
        for choice in choices {
            if self.interp.equals(choice, value)? {
                return Ok(());
            }
        }
        let listed = choices.iter().map(|choice| self.interp.repr(choice)).collect::<PyResult<Vec<_>>>()?;
        let shown = self.interp.repr(value)?;
        Err(self.argument_error(action, &format!("invalid choice: {shown} (choose from {})", listed.join(", "))))
    }

    fn values(&self, action: &Action, words: &[String]) -> PyResult<Value> {
        let words: Vec<&String> = words.iter().filter(|word| *word != "--").collect();
        let one = |word: &str| -> PyResult<Value> {
            let value = self.convert(action, word)?;
            self.check_choice(action, &value)?;
            Ok(value)
        };
        let default = || match text(&action.default) {
            Some(text) => self.convert(action, &text),
            None => Ok(action.default.clone()),
        };
        match (&action.count, words.as_slice()) {
            (Count::Optional, []) if action.is_positional() => default(),
            (Count::Optional, []) => match text(&action.constant) {
                Some(text) => one(&text),
                None => Ok(action.constant.clone()),
            },
            (Count::Any, []) if action.is_positional() => {
                if action.default.is_none() {
                    Ok(Value::list([]))
                } else {
                    Ok(action.default.clone())
                }
            }
            (Count::Single | Count::Optional, [word]) => one(word),
            (Count::Remainder, words) => {
                let values = words.iter().map(|word| self.convert(action, word)).collect::<PyResult<Vec<_>>>()?;
                Ok(Value::list(values))
            }
            (_, words) => Ok(Value::list(words.iter().map(|word| one(word)).collect::<PyResult<Vec<_>>>()?)),
        }
    }

    fn apply(&mut self, index: usize, actions: &[Action], words: &[String], flag: Option<&str>) -> PyResult<()> {
        let action = &actions[index];
        let interp = self.interp;
        let given = !(action.is_positional() && words.is_empty());
        if given {
            self.check_exclusive(index, actions)?;
        }
        self.seen.push(index);
        let set = |value: Value| interp.set_attr(self.namespace, &action.dest, value);
        let current = || -> PyResult<Vec<Value>> {
            match interp.find_attr(self.namespace, &action.dest)? {
                Some(Value::None) | None => Ok(Vec::new()),
                Some(list) => interp.collect(&list),
            }
        };
        match &action.kind {
            Kind::Store => set(self.values(action, words)?),
            Kind::StoreConst => set(action.constant.clone()),
            Kind::Boolean => set(Value::Bool(!flag.is_some_and(|flag| flag.starts_with("--no-")))),
            Kind::Append | Kind::AppendConst => {
                let mut items = current()?;
                items.push(match action.kind {
                    Kind::Append => self.values(action, words)?,
                    _ => action.constant.clone(),
                });
                set(Value::list(items))
            }
            Kind::Extend => {
                let mut items = current()?;
                items.extend(interp.collect(&self.values(action, words)?)?);
                set(Value::list(items))
            }
            Kind::Count => {
                let before = interp.find_attr(self.namespace, &action.dest)?.and_then(Value::given);
                let before = before.map_or(Ok(0), |value| interp.to_i64(&value))?;
                set(Value::int(before + 1))
            }
            Kind::Help => {
                let text = help::help(interp, &self.state.borrow())?;
                super::print(interp, &Value::None, "stdout", &text)?;
                Err(exit(interp, Value::int(0i64)))
            }
            Kind::Version(version) => {
                let prog = self.state.borrow().prog.clone();
                let text = version.clone().unwrap_or_default().replace("%(prog)s", &prog);
                super::print(interp, &Value::None, "stdout", &format!("{text}\n"))?;
                Err(exit(interp, Value::int(0i64)))
            }
            Kind::Subparsers => self.command(action, words),
        }
    }

    fn command(&mut self, action: &Action, words: &[String]) -> PyResult<()> {
        let Some((name, rest)) = words.split_first() else { return Ok(()) };
        let interp = self.interp;
        let parser = self.state.borrow().subparsers.as_ref().and_then(|subparsers| {
            subparsers.parsers.iter().find(|(known, _)| known == name).map(|(_, parser)| parser.clone())
        });
        let Some(parser) = parser else {
            let names =
                action.choices.iter().flatten().map(|choice| interp.repr(choice)).collect::<PyResult<Vec<_>>>()?;
            let shown = interp.repr(&Value::str(name))?;
            return Err(
                self.argument_error(action, &format!("invalid choice: {shown} (choose from {})", names.join(", ")))
            );
        };
        if action.dest != SUPPRESS {
            interp.set_attr(self.namespace, &action.dest, Value::str(name))?;
        }
        let inner = super::state(interp, &parser)?;
        // A namespace of its own, so that the command's defaults replace those of the main parser.
        let own = interp.call_values(&Value::Class(super::namespace_class(interp)), [])?;
        let extras = parse(interp, &inner, rest, &own, self.assumed)?;
        self.extras.extend(extras);
        if let Value::Instance(instance) = &own {
            let fields = instance.fields.borrow().clone();
            for (name, value) in fields {
                interp.set_attr(self.namespace, &name, value)?;
            }
        }
        Ok(())
    }

    fn check_exclusive(&self, index: usize, actions: &[Action]) -> PyResult<()> {
        let state = self.state.borrow();
        for group in state.exclusives.iter().filter(|group| group.actions.contains(&index)) {
            if let Some(other) = group.actions.iter().find(|&&other| other != index && self.seen.contains(&other)) {
                let message = format!("not allowed with argument {}", actions[*other].name());
                drop(state);
                return Err(self.argument_error(&actions[index], &message));
            }
        }
        Ok(())
    }

    fn finish(&mut self, actions: &[Action]) -> PyResult<()> {
        let mut missing = Vec::new();
        for (index, action) in actions.iter().enumerate().filter(|(index, _)| !self.seen.contains(index)) {
            if action.required && self.assumed {
                let unknown = Value::unknown("given on the command line", Some(self.interp.span()));
                if action.dest != SUPPRESS {
                    self.interp.set_attr(self.namespace, &action.dest, unknown)?;
                }
                continue;
            }
            if action.required {
                missing.push(action.name());
                continue;
            }
            // A default written as text is read as the argument would be.
            if let Some(default) = text(&action.default)
                && &*default != SUPPRESS
                && !action.convert.is_none()
                && let Some(current) = self.interp.find_attr(self.namespace, &action.dest)?
                && self.interp.identical(&current, &action.default)
            {
                let value = self.convert(&actions[index], &default)?;
                self.interp.set_attr(self.namespace, &action.dest, value)?;
            }
        }
        if !missing.is_empty() {
            return Err(self.fail(&format!("the following arguments are required: {}", missing.join(", "))));
        }
        if self.assumed {
            return Ok(());
        }
        let absent = self
            .state
            .borrow()
            .exclusives
            .iter()
            .find(|group| group.required && !group.actions.iter().any(|index| self.seen.contains(index)))
            .map(|group| group.actions.iter().map(|&index| actions[index].name()).collect::<Vec<_>>());
        match absent {
            Some(names) => Err(self.fail(&format!("one of the arguments {} is required", names.join(" ")))),
            None => Ok(()),
        }
    }
}
