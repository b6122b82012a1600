//! Commands of `workspace/executeCommand`: their names and arguments. What runs is in [`crate::runner`], how results are shown
//! in [`crate::presenting`].

use crate::testing::Wanted;
use pallas_engine::generated::Form;
use serde_json::Value;
use std::str::FromStr;
use tower_lsp_server::ls_types::{Position, Uri};

/// The names, as clients register them.
pub(crate) const NAMES: [&str; 7] = [
    "pallas.run",
    "pallas.profile",
    "pallas.test",
    "pallas.kernelIr",
    "pallas.generatedCode",
    "pallas.explain",
    "pallas.debugInformation",
];

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Runs a file.
    Run(Uri),
    /// Profiles a file.
    Profile(Uri),
    /// Runs tests of a file: `"test"` names one, or a class of them, as pytest does (`TestAdd::test_rows`), `"position"` means the
    /// one there; all where neither is said. `"strict"` has the kernels looked at for what was not proved of them.
    Test(Uri, Wanted, Option<Position>),
    /// The kernel IR of the launch at a place, or of all launches.
    KernelIr(Uri, Option<Position>),
    /// What is generated from it: `"form"` is `cuda`, `simt`, `ttir` or `tileir`; CUDA C++ where nothing is said.
    GeneratedCode(Uri, Option<Position>, Form),
    /// The page of a rule.
    Explain(String),
    /// What the server is and knows, for reports of mistakes.
    DebugInformation,
}

impl Command {
    /// Reads a command with its arguments: a table with `uri` (or the URI itself), or the code of a rule.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(name: &str, arguments: &[Value]) -> Result<Command, String> {
        let first = arguments.first();
        let uri = || {
            let text = first.and_then(|first| first.as_str().or_else(|| first.get("uri")?.as_str()));
            let text = text.ok_or_else(|| format!("{name} takes {{\"uri\": \"file:///...\"}}"))?;
            Uri::from_str(text).map_err(|_| format!("{name}: `{text}` is no URI"))
        };
        let position = || first.and_then(|first| serde_json::from_value(first.get("position")?.clone()).ok());
        Ok(match name {
            "pallas.run" => Command::Run(uri()?),
            "pallas.profile" => Command::Profile(uri()?),
            "pallas.test" => {
                let field = |name: &str| first.and_then(|first| first.get(name));
                let test = field("test").and_then(Value::as_str).filter(|test| !test.is_empty()).map(str::to_string);
                let strict = field("strict").and_then(Value::as_bool).unwrap_or(false);
                Command::Test(uri()?, Wanted { test, strict }, position())
            }
            "pallas.kernelIr" => Command::KernelIr(uri()?, position()),
            "pallas.generatedCode" => {
                let form = match first.and_then(|first| first.get("form")) {
                    Some(given) => given.as_str().and_then(Form::named).ok_or_else(|| {
                        let names: Vec<&str> = Form::ALL.iter().map(|form| form.name()).collect();
                        format!("{name}: {given} is no form of code; there are: {}", names.join(", "))
                    })?,
                    None => Form::Cuda,
                };
                Command::GeneratedCode(uri()?, position(), form)
            }
            "pallas.explain" => {
                let code = first.and_then(|first| first.as_str().or_else(|| first.get("code")?.as_str()));
                Command::Explain(code.ok_or("pallas.explain takes the code or the name of a rule")?.to_string())
            }
            "pallas.debugInformation" => Command::DebugInformation,
            _ => return Err(format!("no command is called `{name}`; there are: {}", NAMES.join(", "))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_is_a_command() {
        let arguments = [json!({"uri": "file:///a.py", "code": "PL203", "position": {"line": 1, "character": 2}})];
        for name in NAMES {
            assert!(Command::read(name, &arguments).is_ok(), "{name}");
        }
        let uri = Uri::from_str("file:///a.py").expect("valid");
        assert_eq!(Command::read("pallas.run", &[json!("file:///a.py")]), Ok(Command::Run(uri.clone())));
        let place = Some(Position { line: 1, character: 2 });
        assert_eq!(Command::read("pallas.kernelIr", &arguments), Ok(Command::KernelIr(uri, place)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(Command::read("pallas.fly", &[]).is_err_and(|problem| problem.contains("pallas.run, pallas.profile")));
        assert!(Command::read("pallas.run", &[json!(3)]).is_err_and(|problem| problem.contains("uri")));
        assert!(Command::read("pallas.explain", &[]).is_err());
        let form = [json!({"uri": "file:///a.py", "form": "verse"})];
        assert!(
            Command::read("pallas.generatedCode", &form).is_err_and(|problem| problem.contains("cuda, simt, ttir"))
        );
    }
}
