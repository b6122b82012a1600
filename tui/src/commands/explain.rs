//! `pallas-tui explain PL120`: the page of a rule, or the list of all.

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::output;
use pallas_engine::check;

pub(super) fn explain(args: &ExplainArgs) -> Exit {
    let Some(wanted) = &args.rule else {
        let mut text = String::new();
        for rule in check::rules::ALL {
            text.push_str(&format!("{}  {:<8} {:<32} {}\n", rule.code, rule.severity.name(), rule.name, rule.summary));
        }
        output::stdout(&text);
        return Exit::Success;
    };
    match check::find(wanted) {
        Some(rule) => {
            output::stdout(&format!(
                "# {} {} ({})\n\n{}\n\n{}\n",
                rule.code,
                rule.name,
                rule.severity.name(),
                rule.summary,
                rule.doc.trim()
            ));
            Exit::Success
        }
        None => {
            output::error(&format!("no rule is called `{wanted}`; `pallas-tui explain` lists them all"));
            Exit::Usage
        }
    }
}
