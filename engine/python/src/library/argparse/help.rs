//! Usage lines and help texts, laid out as argparse's HelpFormatter does for 80 columns.

use super::action::{Action, Count, Kind};
use super::{SUPPRESS, State};
use crate::interp::Interp;
use crate::library::support::text;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;

/// 80 columns less two.
const WIDTH: usize = 78;
/// Help begins at this column at the latest.
const HELP_COLUMN: usize = 24;

fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// Breaks text into lines.
fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width_of(&line) + 1 + width_of(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// How one value is called: the metavariables, or the choices, or the destination.
fn metavars(interp: &Interp, action: &Action) -> Vec<String> {
    if let Some(metavar) = &action.metavar {
        return metavar.clone();
    }
    if let Some(choices) = &action.choices {
        let names: Vec<String> = choices.iter().map(|choice| interp.str(choice).unwrap_or_default()).collect();
        return vec![format!("{{{}}}", names.join(","))];
    }
    vec![if action.is_positional() { action.dest.clone() } else { action.dest.to_uppercase() }]
}

/// `FOO`, `[FOO]`, `FOO [FOO ...]`
pub(super) fn arguments_text(interp: &Interp, action: &Action) -> String {
    let names = metavars(interp, action);
    let name = |index: usize| names.get(index).or(names.last()).cloned().unwrap_or_default();
    match &action.count {
        Count::Single => name(0),
        Count::Optional => format!("[{}]", name(0)),
        Count::Any if names.len() > 1 => format!("[{} [{} ...]]", name(0), name(1)),
        Count::Any => format!("[{} ...]", name(0)),
        Count::Some => format!("{} [{} ...]", name(0), name(1)),
        Count::Remainder => "...".to_owned(),
        Count::Command => format!("{} ...", name(0)),
        Count::Exactly(count) => (0..*count).map(name).collect::<Vec<_>>().join(" "),
        Count::None => String::new(),
    }
}

fn is_hidden(action: &Action) -> bool {
    action.help.as_deref() == Some(SUPPRESS)
}

/// The pieces of the usage line: options, then positional arguments.
fn usage_parts(interp: &Interp, state: &State, positional: bool) -> Vec<String> {
    let mut parts = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for (index, action) in state.actions.iter().enumerate() {
        if action.is_positional() != positional || done.contains(&index) || is_hidden(action) {
            continue;
        }
        let group =
            state.exclusives.iter().find(|group| group.actions.first() == Some(&index) && group.actions.len() > 1);
        if let Some(group) = group.filter(|group| group.actions.windows(2).all(|pair| pair[1] == pair[0] + 1)) {
            let members: Vec<String> = group
                .actions
                .iter()
                .map(|&index| &state.actions[index])
                .filter(|action| !is_hidden(action))
                .map(|action| bare(interp, action))
                .collect();
            done.extend(&group.actions);
            let (open, close) = if group.required { ('(', ')') } else { ('[', ']') };
            parts.push(format!("{open}{}{close}", members.join(" | ")));
            continue;
        }
        let bare = bare(interp, action);
        parts.push(if positional || action.required { bare } else { format!("[{bare}]") });
    }
    parts
}

/// An argument without brackets.
fn bare(interp: &Interp, action: &Action) -> String {
    let arguments = arguments_text(interp, action);
    match action.flags.first() {
        None => arguments,
        Some(_) if matches!(action.kind, Kind::Boolean) => action.flags.join(" | "),
        Some(flag) if arguments.is_empty() => flag.clone(),
        Some(flag) => format!("{flag} {arguments}"),
    }
}

/// `usage: prog [-h] ...`
pub(super) fn usage(interp: &Interp, state: &State) -> PyResult<String> {
    const PREFIX: &str = "usage: ";
    if let Some(usage) = &state.usage {
        return Ok(format!("{PREFIX}{}\n", usage.replace("%(prog)s", &state.prog)));
    }
    let options = usage_parts(interp, state, false);
    let positionals = usage_parts(interp, state, true);
    let all: Vec<&str> = std::iter::once(&state.prog).chain(&options).chain(&positionals).map(String::as_str).collect();
    let single = all.join(" ");
    if PREFIX.len() + width_of(&single) <= WIDTH {
        return Ok(format!("{PREFIX}{single}\n"));
    }
    let lines = |parts: &[&str], indent: usize, first: usize| {
        let mut lines: Vec<String> = Vec::new();
        let mut line: Vec<&str> = Vec::new();
        let mut length = first;
        for part in parts {
            if !line.is_empty() && length + width_of(part) > WIDTH {
                lines.push(line.join(" "));
                line.clear();
                length = indent;
            }
            line.push(part);
            length += width_of(part) + 1;
        }
        if !line.is_empty() {
            lines.push(line.join(" "));
        }
        lines
    };
    let prog = state.prog.as_str();
    let as_texts = |parts: &[String]| parts.iter().map(String::clone).collect::<Vec<_>>();
    let (options, positionals) = (as_texts(&options), as_texts(&positionals));
    let option_parts: Vec<&str> = options.iter().map(String::as_str).collect();
    let positional_parts: Vec<&str> = positionals.iter().map(String::as_str).collect();
    let (indent, all_lines) = if (PREFIX.len() + width_of(prog)) as f64 <= 0.75 * WIDTH as f64 {
        let indent = PREFIX.len() + width_of(prog) + 1;
        let mut first: Vec<&str> = vec![prog];
        let rest = if option_parts.is_empty() {
            first.extend(&positional_parts);
            Vec::new()
        } else {
            first.extend(&option_parts);
            lines(&positional_parts, indent, indent)
        };
        let mut all = lines(&first, indent, PREFIX.len());
        all.extend(rest);
        (indent, all)
    } else {
        let indent = PREFIX.len();
        let mut all = vec![prog.to_owned()];
        all.extend(lines(&option_parts, indent, indent));
        all.extend(lines(&positional_parts, indent, indent));
        (indent, all)
    };
    Ok(format!("{PREFIX}{}\n", all_lines.join(&format!("\n{}", " ".repeat(indent)))))
}

/// `-f FOO, --foo FOO`
fn invocation(interp: &Interp, action: &Action) -> String {
    let arguments = arguments_text(interp, action);
    if action.is_positional() {
        return metavars(interp, action).join(" ");
    }
    if arguments.is_empty() {
        return action.flags.join(", ");
    }
    action.flags.iter().map(|flag| format!("{flag} {arguments}")).collect::<Vec<_>>().join(", ")
}

/// The help of an argument with `%(default)s` and its like filled in.
fn expanded(interp: &Interp, state: &State, action: &Action) -> PyResult<Option<String>> {
    let Some(mut help) = action.help.clone() else { return Ok(None) };
    if state.formatter == "ArgumentDefaultsHelpFormatter"
        && !help.contains("%(default)")
        && text(&action.default).is_none_or(|text| &*text != SUPPRESS)
        && (!action.is_positional() || matches!(action.count, Count::Optional | Count::Any))
    {
        help.push_str(" (default: %(default)s)");
    }
    if !help.contains('%') {
        return Ok(Some(help));
    }
    let choices: Vec<String> =
        action.choices.iter().flatten().map(|choice| interp.str(choice).unwrap_or_default()).collect();
    let type_name = if action.convert.is_none() {
        Value::None
    } else {
        Value::from(crate::library::support::name_of(interp, &action.convert))
    };
    let values = interp.dict_of([
        ("default", action.default.clone()),
        ("prog", Value::str(&state.prog)),
        ("dest", Value::str(&action.dest)),
        ("choices", Value::from(choices.join(", "))),
        ("type", type_name),
        ("const", action.constant.clone()),
        ("metavar", Value::from(metavars(interp, action).join(" "))),
        ("required", Value::Bool(action.required)),
    ]);
    interp.str(&interp.binary(BinaryOp::Mod, &Value::from(help), &values)?).map(Some)
}

fn paragraph(state: &State, text: &str) -> String {
    let text = text.replace("%(prog)s", &state.prog);
    if matches!(state.formatter.as_str(), "RawDescriptionHelpFormatter" | "RawTextHelpFormatter") {
        return text.trim_matches('\n').to_owned();
    }
    filled(&text, WIDTH).join("\n")
}

/// Everything that `--help` prints.
pub(super) fn help(interp: &Interp, state: &State) -> PyResult<String> {
    let mut sections = vec![usage(interp, state)?];
    if let Some(description) = &state.description {
        sections.push(format!("{}\n", paragraph(state, description)));
    }
    let shown = |index: &&usize| !is_hidden(&state.actions[**index]);
    let mut widest = 0;
    for (_, _, actions) in &state.groups {
        for action in actions.iter().filter(shown).map(|&index| &state.actions[index]) {
            widest = widest.max(width_of(&invocation(interp, action)) + 2);
            for (name, _) in &action.commands {
                widest = widest.max(width_of(name) + 4);
            }
        }
    }
    let column = (widest + 2).min(HELP_COLUMN);
    for (title, description, actions) in &state.groups {
        let mut body = String::new();
        if let Some(description) = description {
            for line in filled(&description.replace("%(prog)s", &state.prog), WIDTH - 2) {
                body.push_str(&format!("  {line}\n"));
            }
            if !actions.is_empty() {
                body.push('\n');
            }
        }
        for action in actions.iter().filter(shown).map(|&index| &state.actions[index]) {
            let help = expanded(interp, state, action)?;
            entry(state, &mut body, 2, column, &invocation(interp, action), help.as_deref());
            for (name, help) in &action.commands {
                entry(state, &mut body, 4, column, name, Some(help));
            }
        }
        if !body.is_empty() {
            sections.push(format!("{title}:\n{body}"));
        }
    }
    if let Some(epilog) = &state.epilog {
        sections.push(format!("{}\n", paragraph(state, epilog)));
    }
    Ok(sections.join("\n"))
}

fn entry(state: &State, body: &mut String, indent: usize, column: usize, name: &str, help: Option<&str>) {
    let margin = " ".repeat(indent);
    let Some(help) = help.filter(|help| !help.trim().is_empty()) else {
        body.push_str(&format!("{margin}{name}\n"));
        return;
    };
    let room = column.saturating_sub(indent + 2);
    let lines = if state.formatter == "RawTextHelpFormatter" {
        help.lines().map(str::to_owned).collect()
    } else {
        filled(help, (WIDTH - column).max(11))
    };
    let mut lines = lines.into_iter();
    if width_of(name) <= room {
        let padding = " ".repeat(room - width_of(name));
        body.push_str(&format!("{margin}{name}{padding}  {}\n", lines.next().unwrap_or_default()));
    } else {
        body.push_str(&format!("{margin}{name}\n"));
    }
    for line in lines {
        body.push_str(&format!("{}{line}\n", " ".repeat(column)));
    }
}
