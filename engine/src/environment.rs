//! The Python environment whose packages a program can import: found through a file system from what a front end was
//! told. Nothing of it is run; only folders and the small files that describe them are read.

use crate::files::{FileSystem, is_absolute, native};

/// Where a front end was told to look, first to last.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// An interpreter, or the folder of an environment: what the user named.
    pub python: Option<&'a str>,
    /// `VIRTUAL_ENV`
    pub virtual_env: Option<&'a str>,
    /// The path of the program: `.venv` is looked for beside it, and in the folders around it.
    pub script: &'a str,
}

/// An environment, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its folder.
    pub root: Option<String>,
    /// Folders of packages, in Python's order.
    pub paths: Vec<String>,
    /// Why the environment that was named cannot be used.
    pub problem: Option<String>,
}

/// Folders of packages below an environment's own; `*` stands for the rest of a name.
const PACKAGES: [&str; 5] = [
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "Lib/site-packages",
    "lib/python3*/dist-packages",
    "local/lib/python3*/dist-packages",
];

impl Environment {
    /// The environment that is wanted. Where one is named that is none, the problem says so.
    pub fn find(files: &dyn FileSystem, wanted: &Wanted<'_>) -> Environment {
        if let Some(python) = wanted.python {
            return match root_of(files, python).and_then(|root| Environment::at(files, &root)) {
                Some(environment) => environment,
                None => Environment {
                    problem: Some(format!("{python}: neither a Python interpreter nor the folder of an environment")),
                    ..Environment::default()
                },
            };
        }
        if let Some(environment) = wanted.virtual_env.and_then(|root| Environment::at(files, &native(root))) {
            return environment;
        }
        let script = files.absolute(wanted.script);
        let mut folder = script.as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            let root = format!("{above}/.venv");
            if matches!(files.read(&format!("{root}/pyvenv.cfg")), Ok(Some(_)))
                && let Some(environment) = Environment::at(files, &root)
            {
                return environment;
            }
            folder = above;
        }
        Environment::default()
    }

    /// The environment in a folder; `None` if it has no packages.
    fn at(files: &dyn FileSystem, root: &str) -> Option<Environment> {
        let root = root.trim_end_matches('/');
        let mut folders = package_folders(files, root);
        if folders.is_empty() {
            return None;
        }
        let settings = files.read(&format!("{root}/pyvenv.cfg")).ok().flatten();
        if let Some(settings) = settings
            && setting(&settings, "include-system-site-packages")
                .is_some_and(|value| value.eq_ignore_ascii_case("true"))
            && let Some(home) = setting(&settings, "home").map(native)
        {
            // The interpreter lies in `bin`, or on Windows in the folder itself.
            let around = home.rsplit_once('/').map(|(around, _)| around);
            for base in around.into_iter().chain([home.as_str()]) {
                folders.extend(package_folders(files, base));
            }
        }
        let mut paths: Vec<String> = Vec::new();
        for folder in folders {
            let added = path_files(files, &folder);
            for path in std::iter::once(folder).chain(added) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        Some(Environment { root: Some(root.to_string()), paths, problem: None })
    }

    /// What to do about a module that is not found.
    pub fn help(&self) -> String {
        const OTHERS: &str = "`--python PATH` (in an editor, the server's option `python`) names an interpreter or an \
                              environment";
        match (&self.problem, &self.root) {
            (Some(problem), _) => format!("{problem}; {OTHERS}"),
            (None, Some(root)) => format!("it is not installed in {root} either; {OTHERS}"),
            (None, None) => format!(
                "no Python environment was given, so installed packages are not searched: {OTHERS}; VIRTUAL_ENV, and \
                 `.venv` beside the file, are found by themselves"
            ),
        }
    }
}

/// The environment's folder, of an interpreter in its `bin`, in its `Scripts` or, as conda has it on Windows, in itself; or of the
/// folder.
fn root_of(files: &dyn FileSystem, python: &str) -> Option<String> {
    let python = files.absolute(&native(python));
    let python = python.trim_end_matches('/');
    if files.list(python).is_some() {
        return Some(python.to_string());
    }
    let (folder, name) = python.rsplit_once('/')?;
    let is_there = files.list(folder)?.iter().any(|entry| entry == name);
    let (root, last) = folder.rsplit_once('/').filter(|_| is_there)?;
    let is_in_root = name.ends_with(".exe") && !last.eq_ignore_ascii_case("Scripts");
    Some(if is_in_root { folder } else { root }.to_string())
}

fn package_folders(files: &dyn FileSystem, root: &str) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for pattern in PACKAGES {
        let mut found = vec![root.to_string()];
        for part in pattern.split('/') {
            found = found.iter().flat_map(|folder| matching(files, folder, part)).collect();
        }
        for folder in found {
            // `lib64` is another name of `lib` in most environments.
            let names = files.list(&folder);
            if names.is_some() && !folders.iter().any(|known| files.list(known) == names) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// The entries of a folder that a part of a pattern fits; the newest Python first.
fn matching(files: &dyn FileSystem, folder: &str, part: &str) -> Vec<String> {
    let Some(beginning) = part.strip_suffix('*') else { return vec![format!("{folder}/{part}")] };
    let mut names: Vec<String> = files.list(folder).unwrap_or_default();
    names.retain(|name| name.starts_with(beginning));
    let version = |name: &String| name.rsplit('.').next().and_then(|minor| minor.parse::<u32>().ok());
    names.sort_by_key(|name| std::cmp::Reverse(version(name)));
    names.iter().map(|name| format!("{folder}/{name}")).collect()
}

/// `key = value` in `pyvenv.cfg`
fn setting<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim() == key).map(|(_, v)| v.trim())
}

/// The folders that the `.pth` files in a folder of packages add, as the `site` module reads them: each line a folder,
/// but for lines of code. Of those, the ones that setuptools writes for editable installs are understood.
fn path_files(files: &dyn FileSystem, folder: &str) -> Vec<String> {
    let names = files.list(folder).unwrap_or_default();
    let mut added = Vec::new();
    for name in names.iter().filter(|name| name.ends_with(".pth")) {
        let Ok(Some(text)) = files.read(&format!("{folder}/{name}")) else { continue };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(code) = line.strip_prefix("import ") {
                let module = code.split([';', ' ']).next().unwrap_or_default();
                if module.starts_with("__editable__")
                    && let Ok(Some(finder)) = files.read(&format!("{folder}/{module}.py"))
                {
                    added.extend(mapped_folders(&finder));
                }
                continue;
            }
            let line = native(line);
            let path = if is_absolute(&line) { line } else { format!("{folder}/{line}") };
            if files.list(&path).is_some() {
                added.push(path.trim_end_matches('/').to_string());
            }
        }
    }
    added
}

/// `MAPPING: dict[str, str] = {'package': '/project/src/package'}` in a finder that setuptools wrote: the folders that
/// hold the packages.
fn mapped_folders(finder: &str) -> Vec<String> {
    let mapping = finder.lines().find(|line| line.starts_with("MAPPING")).and_then(|line| line.split_once('{'));
    let Some((_, pairs)) = mapping else { return Vec::new() };
    // Python writes a backslash twice.
    let texts = pairs.split('\'').skip(1).step_by(2).map(|text| native(&text.replace("\\\\", "\\")));
    let texts: Vec<String> = texts.collect();
    let pairs = texts.chunks_exact(2).filter(|pair| pair[1].ends_with(&format!("/{}", pair[0].replace('.', "/"))));
    pairs.map(|pair| pair[1][..pair[1].len() - pair[0].len() - 1].to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    struct Files(BTreeMap<&'static str, &'static str>);

    impl FileSystem for Files {
        fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
            Ok(self.0.get(path).map(|text| (*text).into()))
        }

        fn list(&self, folder: &str) -> Option<Vec<String>> {
            let inside =
                self.0.keys().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/')?.split('/').next());
            let mut names: Vec<String> = inside.map(str::to_string).collect();
            names.dedup();
            (!names.is_empty()).then_some(names)
        }
    }

    fn files() -> Files {
        Files(BTreeMap::from([
            ("/project/kernels/a.py", ""),
            ("/project/.venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n"),
            ("/project/.venv/bin/python", ""),
            ("/project/.venv/lib/python3.11/site-packages/einops/__init__.py", ""),
            ("/project/.venv/lib/python3.11/site-packages/own.pth", "# comment\nimport os; os.x\n/project/src\nmore\n"),
            ("/project/.venv/lib/python3.11/site-packages/more/x.py", ""),
            ("/project/.venv/lib/python3.11/site-packages/__editable__.p.pth", "import __editable___p_finder; f()\n"),
            (
                "/project/.venv/lib/python3.11/site-packages/__editable___p_finder.py",
                "import sys\nMAPPING: dict[str, str] = {'p': '/elsewhere/lib/p', 'q.r': '/other/q/r'}\n",
            ),
            ("/project/src/own/__init__.py", ""),
            ("/system/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\n"),
            ("/system/lib/python3.12/site-packages/x.py", ""),
            ("/usr/bin/python3", ""),
            ("/usr/lib/python3.9/site-packages/old.py", ""),
            ("/usr/lib/python3.12/site-packages/x.py", ""),
        ]))
    }

    fn find(python: Option<&str>, virtual_env: Option<&str>, script: &str) -> Environment {
        Environment::find(&files(), &Wanted { python, virtual_env, script })
    }

    #[test]
    fn the_environment_around_the_program_is_found() {
        let found = find(None, None, "/project/kernels/a.py");
        assert_eq!(found.root.as_deref(), Some("/project/.venv"));
        let packages = "/project/.venv/lib/python3.11/site-packages";
        let expected = [packages, "/elsewhere/lib", "/other", "/project/src", &format!("{packages}/more")];
        assert_eq!(found.paths, expected);
        assert_eq!(find(None, None, "/elsewhere/a.py"), Environment::default());
    }

    #[test]
    fn what_is_named_goes_before_what_is_active_and_what_is_around() {
        let named = find(Some("/usr/bin/python3"), Some("/system"), "/project/kernels/a.py");
        assert_eq!(named.paths, ["/usr/lib/python3.12/site-packages", "/usr/lib/python3.9/site-packages"]);
        let active = find(None, Some("/system"), "/project/kernels/a.py");
        let system = ["/system/lib/python3.12/site-packages"];
        assert_eq!(active.paths[..1], system);
        assert_eq!(active.paths[1..], named.paths);
        assert_eq!(find(Some("/project/.venv/"), None, "/a.py").root.as_deref(), Some("/project/.venv"));
        assert_eq!(find(Some("/project/.venv/bin/python"), None, "/a.py").root.as_deref(), Some("/project/.venv"));
    }

    #[test]
    fn what_is_no_environment_is_said() {
        for wrong in ["/nowhere", "/project/kernels", "/project/.venv/bin/python9"] {
            let found = find(Some(wrong), None, "/project/kernels/a.py");
            assert!(found.problem.as_ref().is_some_and(|problem| problem.contains(wrong)), "{wrong}: {found:?}");
            assert!(found.help().contains("--python PATH"));
        }
    }

    #[test]
    fn environments_of_windows_are_found() {
        let packages = "C:/project/.venv/Lib/site-packages";
        let files = Files(BTreeMap::from([
            ("C:/project/.venv/pyvenv.cfg", "home = C:\\Python311\r\ninclude-system-site-packages = true\r\n"),
            ("C:/project/.venv/Scripts/python.exe", ""),
            ("C:/project/.venv/Lib/site-packages/einops/__init__.py", ""),
            ("C:/project/.venv/Lib/site-packages/own.pth", "c:\\project\\src\r\nmore\r\n"),
            ("C:/project/.venv/Lib/site-packages/more/x.py", ""),
            ("C:/project/.venv/Lib/site-packages/__editable__.p.pth", "import __editable___p_finder; f()\r\n"),
            (
                "C:/project/.venv/Lib/site-packages/__editable___p_finder.py",
                "MAPPING: dict[str, str] = {'p': 'D:\\\\lib\\\\p'}\r\n",
            ),
            ("C:/project/src/own/__init__.py", ""),
            ("C:/Python311/Lib/site-packages/old.py", ""),
            ("C:/conda/python.exe", ""),
            ("C:/conda/Lib/site-packages/x.py", ""),
        ]));
        let find = |python, virtual_env| {
            Environment::find(&files, &Wanted { python, virtual_env, script: "C:/project/kernels/a.py" })
        };
        let found = find(None, None);
        assert_eq!(found.root.as_deref(), Some("C:/project/.venv"));
        let more = format!("{packages}/more");
        assert_eq!(found.paths, [packages, "D:/lib", "C:/project/src", &more, "C:/Python311/Lib/site-packages"]);
        assert_eq!(find(Some("c:\\project\\.venv\\Scripts\\python.exe"), None), found);
        assert_eq!(find(None, Some(r"\\?\C:\project\.venv")), found);
        assert_eq!(find(Some(r"C:\conda\python.exe"), None).paths, ["C:/conda/Lib/site-packages"]);
    }
}
