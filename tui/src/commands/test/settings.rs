//! The settings of a project for its tests, where pytest looks for them: `pytest.toml`, `pytest.ini`, `pyproject.toml`, `tox.ini`,
//! `setup.cfg`. What matters here is used; what is only known to pytest is passed over; what is known to neither is said.

use pallas_engine::path_text;
use std::path::{Path, PathBuf};

/// Settings that sessions are told ([`Settings::for_sessions`]).
const OF_SESSIONS: [&str; 4] = ["python_classes", "python_functions", "xfail_strict", "usefixtures"];
/// Settings that are used here.
const OF_COLLECTION: [&str; 5] = ["addopts", "norecursedirs", "python_files", "pythonpath", "testpaths"];
/// Settings without a meaning here: how they begin.
const WITHOUT_EFFECT: [&str; 22] = [
    "cache_dir",
    "collect_imported_tests",
    "consider_namespace_packages",
    "console_output_style",
    "disable_test_id_escaping",
    "doctest_",
    "empty_parameter_set_mark",
    "enable_assertion_pass_hook",
    "faulthandler_",
    "filterwarnings",
    "junit_",
    "log_",
    "markers",
    "minversion",
    "required_plugins",
    "strict",
    "tmp_path_",
    "truncation_limit_",
    "verbosity_",
    "looponfailroots",
    "addopts_",
    "max_warnings",
];
/// Folders that are not searched, where nothing is said.
const NOT_SEARCHED: &str = "*.egg .* _darcs build CVS dist node_modules venv {arch}";

/// What a project says.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// The file that it is said in.
    file: Option<PathBuf>,
    /// Names and values; the items of lists stand in lines.
    values: Vec<(String, String)>,
}

impl Settings {
    /// The settings of a folder: those of the first folder on the way up that has some.
    ///
    /// # Errors
    /// A file of settings that cannot be read.
    pub(super) fn find(folder: &Path) -> Result<Settings, String> {
        for folder in folder.ancestors() {
            for name in
                ["pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"]
            {
                let file = folder.join(name);
                let Ok(text) = std::fs::read_to_string(&file) else { continue };
                let values = match file.extension().is_some_and(|ending| ending == "toml") {
                    true => of_toml(name, &text).map_err(|problem| format!("{}: {problem}", file.display()))?,
                    false => of_ini(name, &text),
                };
                if let Some(values) = values {
                    return Ok(Settings { file: Some(file), values });
                }
            }
        }
        Ok(Settings::default())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The folder of the file.
    fn root(&self) -> PathBuf {
        self.file.as_deref().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
    }

    /// A sentence for each setting that nobody knows.
    pub(super) fn problems(&self) -> Vec<String> {
        let file = self.file.as_deref().map(path_text).unwrap_or_default();
        let is_known = |name: &str| {
            OF_SESSIONS.contains(&name)
                || OF_COLLECTION.contains(&name)
                || WITHOUT_EFFECT.iter().any(|known| name.starts_with(known))
        };
        let unknown = self.values.iter().filter(|(name, _)| !is_known(name));
        unknown.map(|(name, _)| format!("{file}: the setting `{name}` is not known here, and is passed over")).collect()
    }

    /// The settings that the session itself has use for.
    pub(super) fn for_sessions(&self) -> Vec<(&str, String)> {
        let given = OF_SESSIONS.into_iter().filter_map(|name| Some((name, self.get(name)?)));
        given.map(|(name, value)| (name, value.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
    }

    /// `addopts`, and `PYTEST_ADDOPTS`, cut into words.
    pub(super) fn added_options(&self) -> Vec<String> {
        let environment = std::env::var("PYTEST_ADDOPTS").unwrap_or_default();
        [self.get("addopts").unwrap_or_default(), &environment].into_iter().flat_map(words).collect()
    }

    /// What is tested where nothing is named: `testpaths`, if tests are started where they are said.
    pub(super) fn test_paths(&self) -> Vec<String> {
        let here = std::env::current_dir().is_ok_and(|here| here == self.root());
        let said = self.get("testpaths").filter(|_| here).map(words).unwrap_or_default();
        let there: Vec<String> = said.into_iter().filter(|path| Path::new(path).exists()).collect();
        if there.is_empty() { vec![".".to_string()] } else { there }
    }

    /// `pythonpath`: folders to import from.
    pub(super) fn import_paths(&self) -> Vec<String> {
        let said = self.get("pythonpath").map(words).unwrap_or_default();
        said.iter().map(|path| path_text(&self.root().join(path))).collect()
    }

    /// What files of tests are called.
    pub(super) fn file_patterns(&self) -> Vec<String> {
        let said = self.get("python_files").map(words).filter(|words| !words.is_empty());
        said.unwrap_or_else(|| ["test_*.py", "*_test.py"].map(str::to_string).into())
    }

    /// Whether a file that was found in a folder is one of tests.
    pub(super) fn is_test(&self, folder: &Path, file: &Path) -> bool {
        let inside = file.strip_prefix(folder).unwrap_or(file);
        let passed_over = words(self.get("norecursedirs").unwrap_or(NOT_SEARCHED));
        let folders = inside.parent().into_iter().flat_map(Path::components);
        let mut folders = folders.map(|part| part.as_os_str().to_string_lossy().into_owned());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let path = path_text(file);
        !folders.any(|folder| passed_over.iter().any(|pattern| fits(pattern, &folder)))
            && self.file_patterns().iter().any(|pattern| match pattern.contains('/') {
                true => fits(&format!("*{pattern}"), &path),
                false => fits(pattern, &name),
            })
    }
}

/// The table of a TOML file; `None` where it has none.
fn of_toml(name: &str, text: &str) -> Result<Option<Vec<(String, String)>>, String> {
    let table: toml::Table = text.parse().map_err(|problem: toml::de::Error| problem.message().to_string())?;
    let pytest = match name {
        "pyproject.toml" => {
            let pytest = table.get("tool").and_then(|tool| tool.get("pytest"));
            pytest.and_then(|pytest| pytest.get("ini_options").or(Some(pytest)))
        }
        _ => table.get("pytest"),
    };
    let Some(pytest) = pytest.and_then(toml::Value::as_table) else { return Ok(None) };
    Ok(Some(pytest.iter().map(|(name, value)| (name.clone(), of_value(value))).collect()))
}

fn of_value(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(of_value).collect::<Vec<_>>().join("\n"),
        toml::Value::Boolean(is_set) => is_set.to_string(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        // No setting is one of these.
        toml::Value::Datetime(_) | toml::Value::Table(_) => String::new(),
    }
}

/// The section of an INI file; `None` where it has none. A file of pytest's own counts without one.
fn of_ini(name: &str, text: &str) -> Option<Vec<(String, String)>> {
    let section = if name == "setup.cfg" { "tool:pytest" } else { "pytest" };
    let mut values: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    let mut found = name.ends_with("pytest.ini");
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(heading) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = heading.trim() == section;
            found |= inside;
        } else if inside {
            // A line that is set in goes on with the last value.
            if line.starts_with([' ', '\t'])
                && let Some((_, value)) = values.last_mut()
            {
                value.push('\n');
                value.push_str(trimmed);
            } else if let Some(at) = line.find(['=', ':']) {
                values.push((line[..at].trim().to_string(), line[at + 1..].trim().to_string()));
            }
        }
    }
    found.then_some(values)
}

/// Cuts a text into words as a shell does.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(end), _) if character == end => quote = None,
            (Some(_), _) => word.push(character),
            (None, '"' | '\'') => (quote, begun) = (Some(character), true),
            (None, '\\') => word.extend(characters.next()),
            (None, _) if character.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, _) => word.push(character),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether a name fits a pattern with `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return name.is_empty() };
    let rest = &pattern[first.len_utf8()..];
    match (first, name.chars().next()) {
        ('*', next) => fits(rest, name) || next.is_some_and(|next| fits(pattern, &name[next.len_utf8()..])),
        (_, None) => false,
        (_, Some(next)) => (first == '?' || first == next) && fits(rest, &name[next.len_utf8()..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(name: &str, text: &str) -> Settings {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("written");
        std::fs::create_dir(folder.path().join("inner")).expect("made");
        Settings::find(&folder.path().join("inner")).expect("settings")
    }

    #[test]
    fn settings_are_where_pytest_looks_for_them() {
        let texts = [
            ("pytest.ini", "[pytest]\npython_files = check_*.py\n    *_checks.py\nmarkers = slow: takes long\n"),
            ("tox.ini", "[tox]\nx = 1\n[pytest]\npython_files =\n  check_*.py\n  *_checks.py\n"),
            ("setup.cfg", "[tool:pytest]\npython_files: check_*.py *_checks.py\n"),
            ("pyproject.toml", "[tool.pytest.ini_options]\npython_files = ['check_*.py', '*_checks.py']\n"),
            ("pyproject.toml", "[tool.pytest]\npython_files = ['check_*.py', '*_checks.py']\n"),
            ("pytest.toml", "[pytest]\npython_files = ['check_*.py', '*_checks.py']\n"),
        ];
        for (name, text) in texts {
            let found = settings(name, text);
            assert_eq!(found.file_patterns(), ["check_*.py", "*_checks.py"], "{name}");
            assert_eq!(found.problems(), Vec::<String>::new(), "{name}");
            assert!(found.is_test(Path::new("."), Path::new("./a/check_a.py")));
            assert!(!found.is_test(Path::new("."), Path::new("./a/test_a.py")));
        }
    }

    #[test]
    fn what_nobody_knows_is_said() {
        let found = settings("pytest.ini", "[pytest]\nasyncio_mode = auto\nlog_cli = true\nxfail_strict = true\n");
        let problems = found.problems();
        assert!(problems.len() == 1 && problems[0].contains("`asyncio_mode`"), "{problems:?}");
        assert_eq!(found.for_sessions(), [("xfail_strict", "true".to_string())]);
    }

    #[test]
    fn folders_of_others_are_passed_over() {
        let found = Settings::default();
        let is_test = |path: &str| found.is_test(Path::new("."), Path::new(path));
        assert!(is_test("./a/test_a.py") && is_test("./a_test.py"));
        assert!(!is_test("./build/test_a.py") && !is_test("./a/venv/lib/test_a.py") && !is_test("./tests.py"));
    }

    #[test]
    fn options_are_cut_as_by_a_shell() {
        assert_eq!(words("-m 'not slow'  -k \"a b\" x\\ y ''"), ["-m", "not slow", "-k", "a b", "x y", ""]);
    }
}
