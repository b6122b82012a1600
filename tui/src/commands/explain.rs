//! `pallas-tui explain PL120`: the page of a rule, laid out for the terminal; the list of all, of those whose codes begin so, or of
//! those that words or a message of JAX's are about.

use super::explained::by_words;
use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::mistyped::nearest;
use crate::output;
use crate::wrap::wrap;
use pallas_engine::check::{self, Rule, messages, rules::ALL};
use std::io::IsTerminal;

/// Columns of a page that goes to no terminal, and the most of one that does: longer lines are hard to read.
const MOST_COLUMNS: usize = 100;

/// What an item of a list begins with.
const ITEM: &str = "- ";

pub(super) fn explain(args: &ExplainArgs, color: bool) -> Exit {
    let wanted = args.rule.join(" ");
    let wanted = wanted.as_str();
    let columns = columns();
    if let Some(page) = check::find(wanted).map(Rule::page).or_else(|| messages::page_of(wanted)) {
        output::stdout(&laid_out(&page, columns.unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS), color));
        return Exit::Success;
    }
    let beginning = wanted.to_ascii_uppercase();
    let listed: Vec<&Rule> = ALL.iter().copied().filter(|rule| rule.code.starts_with(&beginning)).collect();
    if !listed.is_empty() {
        output::stdout(&listed.iter().map(|rule| row(rule, columns)).collect::<String>());
        return Exit::Success;
    }
    let names = ALL.iter().flat_map(|rule| [rule.name, rule.code]);
    let meant = nearest(wanted, names);
    let found = if meant.is_some() { Vec::new() } else { by_words(wanted) };
    if !found.is_empty() {
        output::stdout(&found.iter().map(|rule| row(rule, columns)).collect::<String>());
        return Exit::Success;
    }
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    output::error(&format!(
        "no rule is called `{wanted}`, and no page has these words{meant}; `pallas-tui explain` lists them all"
    ));
    Exit::Usage
}

/// Columns of the terminal; `None` where the output goes elsewhere.
fn columns() -> Option<usize> {
    let size = std::io::stdout().is_terminal().then(crossterm::terminal::size)?;
    size.ok().map(|(columns, _)| usize::from(columns))
}

/// A rule in the list: one line for programs, and for people as many as it takes beside the names.
fn row(rule: &Rule, columns: Option<usize>) -> String {
    let head = format!("{}  {:<8} {:<32} ", rule.code, rule.severity.name(), rule.name);
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(head.len()));
    // In a terminal that is as narrow as the names themselves nothing stands beside them.
    let (between, indent, room) = match room {
        0..24 => ("\n", 4, columns.unwrap_or_default().saturating_sub(4)),
        room => ("", head.len(), room),
    };
    let summary = wrap(rule.summary, room).join(&format!("\n{}", " ".repeat(indent)));
    let start = if between.is_empty() { String::new() } else { " ".repeat(indent) };
    format!("{}{between}{start}{summary}\n", if between.is_empty() { &head[..] } else { head.trim_end() })
}

/// A page with its paragraphs and items filled anew to so many columns. Code stays as it is.
fn laid_out(page: &str, columns: usize, color: bool) -> String {
    let mut out = String::new();
    // The paragraph or item that is being read, and what its first line begins with.
    let mut open = (String::new(), "");
    let mut code = false;
    for line in page.lines() {
        let fence = line.starts_with("```");
        let heading = !code && line.starts_with('#');
        let item = !code && line.starts_with(ITEM);
        if code || fence || heading || item || line.trim().is_empty() {
            fill(&mut out, &mut open, columns);
        }
        match line {
            _ if fence => code = !code,
            _ if code => out.push_str(&format!("    {line}\n")),
            _ if heading && color => out.push_str(&format!("\x1b[1m{line}\x1b[0m\n")),
            _ if heading || line.trim().is_empty() => out.push_str(&format!("{line}\n")),
            _ => {
                if item {
                    open.1 = ITEM;
                }
                open.0.push_str(line.strip_prefix(ITEM).unwrap_or(line).trim());
                open.0.push(' ');
            }
        }
    }
    fill(&mut out, &mut open, columns);
    out
}

/// Writes the open paragraph, and closes it.
fn fill(out: &mut String, (text, head): &mut (String, &str), columns: usize) {
    if !text.is_empty() {
        let indent = " ".repeat(head.len());
        let lines = wrap(text, columns.saturating_sub(head.len())).join(&format!("\n{indent}"));
        out.push_str(&format!("{head}{lines}\n"));
    }
    (*text, *head) = (String::new(), "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_the_columns_and_code_stays_as_it_is() {
        let page = "# PL1 x\n\none two\nthree four\n\n- item one\n  and more of it\n- two\n```python\na  =  1  # far too long a line\n```\n";
        assert_eq!(
            laid_out(page, 14, false),
            "# PL1 x\n\none two three\nfour\n\n- item one and\n  more of it\n- two\n    a  =  1  # far too long a line\n"
        );
        assert!(laid_out(page, 14, true).starts_with("\x1b[1m# PL1 x\x1b[0m\n"));
        for rule in ALL {
            let mut code = false;
            for line in rule.page().lines() {
                code ^= line.starts_with("```");
                assert!(code || !line.starts_with("|"), "{}: a table would be filled like a paragraph", rule.code);
            }
            let text = laid_out(&rule.page(), 80, false);
            let long = text.lines().find(|line| !line.starts_with("    ") && line.chars().count() > 80);
            assert_eq!(long, None, "{}", rule.code);
        }
    }

    #[test]
    fn rules_in_a_list_fit_the_terminal() {
        for (columns, widest) in [(Some(80), 80), (Some(40), 48), (None, usize::MAX)] {
            for rule in ALL {
                let text = row(rule, columns);
                assert!(text.lines().all(|line| line.chars().count() <= widest), "{text}");
                assert!(columns.is_some() || text.lines().count() == 1);
            }
        }
    }
}
