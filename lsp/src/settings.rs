//! What the user set in the editor: read from `initializationOptions`, `workspace/configuration` or
//! `workspace/didChangeConfiguration`, all of the same form. What is not understood is named, and the rest counts.

use pallas_engine::settings::{Selector, Settings, TargetDevice, severity};
use serde_json::Value;

/// The section of the client's configuration.
pub(crate) const SECTION: &str = "pallas";

/// What the user set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditorSettings {
    /// What goes before the project's own settings.
    pub(crate) engine: Settings,
    /// Whether Ref parameters get inlay hints.
    pub(crate) ref_hints: bool,
    /// Whether assigned values get inlay hints.
    pub(crate) value_hints: bool,
    /// Whether grids and block shapes that are computed get inlay hints.
    pub(crate) launch_hints: bool,
    /// Whether launches get `Run` and `Profile` above them.
    pub(crate) run_lenses: bool,
    /// Whether tests get `Run test` and what became of them above them.
    pub(crate) test_lenses: bool,
    /// Whether launches get their grid above them.
    pub(crate) grid_lenses: bool,
    /// Whether there are diagnostics.
    pub(crate) diagnostics: bool,
    /// Whether there are diagnostics that every language server for Python has, too.
    pub(crate) common: bool,
    /// Whether files are checked that are not open.
    pub(crate) whole_workspace: bool,
    /// Whether kernels may be run: not in a workspace that the user does not trust.
    pub(crate) may_run: bool,
    /// The program that runs kernels, if it is not beside the server.
    pub(crate) tui: Option<String>,
}

impl Default for EditorSettings {
    fn default() -> Self {
        EditorSettings {
            engine: Settings::default(),
            ref_hints: true,
            value_hints: true,
            launch_hints: true,
            run_lenses: true,
            test_lenses: true,
            grid_lenses: true,
            diagnostics: true,
            common: true,
            whole_workspace: false,
            may_run: true,
            tui: None,
        }
    }
}

impl EditorSettings {
    /// Reads settings, with a sentence for each that is not understood. Settings of the editor's side alone
    /// (`path`, `trace`) are passed over.
    pub(crate) fn read(value: &Value) -> (EditorSettings, Vec<String>) {
        let mut settings = EditorSettings::default();
        let mut problems = Vec::new();
        let mut note = |key: &str, problem: String| problems.push(format!("pallas.{key}: {problem}"));
        let Some(table) = value.as_object() else { return (settings, problems) };
        for (key, value) in table {
            match (key.as_str(), value) {
                (_, Value::Null) => {}
                ("python", Value::String(python)) => {
                    settings.engine.python = Some(python.clone()).filter(|python| !python.is_empty());
                }
                ("tui", Value::String(tui)) => settings.tui = Some(tui.clone()).filter(|tui| !tui.is_empty()),
                ("target", Value::String(target)) if target.is_empty() => {}
                ("target", Value::String(target)) => match TargetDevice::parse(target) {
                    Ok(target) => settings.engine.target = Some(target),
                    Err(problem) => note("target", problem),
                },
                ("select" | "ignore", Value::Array(items)) => {
                    let mut selectors = Vec::new();
                    for item in items {
                        match Selector::parse(item.as_str().unwrap_or_default()) {
                            Ok(selector) => selectors.push(selector),
                            Err(problem) => note(key, problem),
                        }
                    }
                    match key.as_str() {
                        // An empty list is what editors send for one that was not set.
                        "select" => settings.engine.select = Some(selectors).filter(|selectors| !selectors.is_empty()),
                        _ => settings.engine.ignore = selectors,
                    }
                }
                ("severity", Value::Object(levels)) => {
                    for (rule, level) in levels {
                        match Selector::parse(rule).and_then(|s| Ok((s, severity(level.as_str().unwrap_or_default())?)))
                        {
                            Ok(pair) => settings.engine.severity.push(pair),
                            Err(problem) => note("severity", problem),
                        }
                    }
                }
                ("inlayHints", Value::Object(_)) => {
                    settings.ref_hints = flag(value, "refs");
                    settings.value_hints = flag(value, "values");
                    settings.launch_hints = flag(value, "launches");
                }
                ("codeLens", Value::Object(_)) => {
                    settings.run_lenses = flag(value, "run");
                    settings.test_lenses = flag(value, "tests");
                    settings.grid_lenses = flag(value, "grid");
                }
                ("diagnostics", Value::Object(diagnostics)) => {
                    settings.diagnostics = flag(value, "enable");
                    settings.common = flag(value, "common");
                    match diagnostics.get("mode").and_then(Value::as_str) {
                        None | Some("openFiles") => {}
                        Some("workspace") => settings.whole_workspace = true,
                        Some(other) => {
                            note("diagnostics.mode", format!("`{other}` is neither `openFiles` nor `workspace`"))
                        }
                    }
                }
                ("trusted", Value::Bool(trusted)) => settings.may_run = *trusted,
                ("python" | "tui" | "target", other) => note(key, format!("a text is expected, not {other}")),
                ("select" | "ignore", other) => note(key, format!("a list of rules is expected, not {other}")),
                ("severity" | "inlayHints" | "codeLens" | "diagnostics", other) => {
                    note(key, format!("a table is expected, not {other}"));
                }
                _ => {}
            }
        }
        (settings, problems)
    }
}

/// A switch that is on unless it is turned off.
fn flag(table: &Value, key: &str) -> bool {
    table.get(key).and_then(Value::as_bool).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_set_is_as_it_was() {
        for nothing in
            [json!(null), json!({}), json!([]), json!({"target": "", "select": [], "path": ["x"], "python": null})]
        {
            assert_eq!(EditorSettings::read(&nothing), (EditorSettings::default(), Vec::new()));
        }
    }

    #[test]
    fn settings_are_read() {
        let (settings, problems) = EditorSettings::read(&json!({
            "python": "/env", "target": "tpu-v5e", "select": ["PL2"], "ignore": ["read-before-write"],
            "severity": {"PL204": "info"}, "inlayHints": {"values": false}, "codeLens": {"run": false},
            "diagnostics": {"mode": "workspace", "common": false}, "trusted": false, "tui": "/bin/pallas-tui",
        }));
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.engine.python.as_deref(), Some("/env"));
        assert_eq!(settings.engine.target, Some(TargetDevice::TpuV5e));
        assert_eq!(settings.engine.ignore, [Selector::parse("PL203").expect("a rule")]);
        assert_eq!((settings.ref_hints, settings.value_hints), (true, false));
        assert_eq!((settings.run_lenses, settings.grid_lenses), (false, true));
        assert!(settings.whole_workspace && settings.diagnostics && !settings.common && !settings.may_run);
        assert_eq!(settings.tui.as_deref(), Some("/bin/pallas-tui"));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let (settings, problems) = EditorSettings::read(&json!({
            "target": "v5e", "ignore": ["PL999", 3], "severity": {"PL203": "fatal"}, "python": 3, "inlayHints": true,
            "diagnostics": {"mode": "all"},
        }));
        assert_eq!(settings, EditorSettings::default());
        let keys: Vec<&str> = problems.iter().filter_map(|problem| problem.split(": ").next()).collect();
        let expected = ["diagnostics.mode", "ignore", "ignore", "inlayHints", "python", "severity", "target"];
        assert_eq!(keys, expected.map(|key| format!("pallas.{key}")), "{problems:?}");
    }
}
