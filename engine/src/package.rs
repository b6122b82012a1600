//! Which package a file belongs to: what its relative imports begin from when it is looked at on its own.

use crate::files::FileSystem;
use pallas_python::Place;
use pallas_syntax::ast::{Stmt, StmtKind};
use pallas_syntax::visit;

/// The folder that the outermost package stands in, and the place below it of a file with these statements; `None` for a file in no
/// package. Folders are packages that have an `__init__.py`, and those that the file's own imports go through (PEP 420).
pub(crate) fn place(files: &dyn FileSystem, path: &str, body: &[Stmt]) -> Option<(String, Place)> {
    let path = files.absolute(path);
    let passed = levels(body);
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.strip_suffix(".py")?;
    let mut packages = Vec::new();
    let mut outer = folder;
    let is_package = |folder: &str| matches!(files.read(&format!("{folder}/__init__.py")), Ok(Some(_)));
    while packages.len() < passed || is_package(outer) {
        let (above, name) = outer.rsplit_once('/')?;
        if name.is_empty() || name.contains('.') {
            break;
        }
        packages.push(name);
        outer = above;
    }
    if packages.is_empty() {
        return None;
    }
    // A folder further up that an import names whole is the outermost, whatever stands between.
    let (mut between, mut inner) = (Vec::new(), outer);
    while let Some((above, name)) = inner.rsplit_once('/') {
        between.push(name);
        inner = above;
        if is_imported(files, above, name, body) {
            packages.append(&mut between);
            outer = above;
        }
    }
    packages.reverse();
    let package = packages.join(".");
    let root = if outer.is_empty() { "/".to_string() } else { outer.to_string() };
    let is_package = stem == "__init__";
    Some((root, Place { package, folder: is_package.then(|| folder.to_string()) }))
}

/// Files that a project has in its outermost folder.
const PROJECTS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// The folders that the packages of a file's project stand in, which tests and examples import as whoever develops it has installed
/// them: `src`, and the project's own; none for a file that belongs to no project.
pub(crate) fn project(files: &dyn FileSystem, path: &str) -> Vec<String> {
    let path = files.absolute(path);
    let mut folder = path.as_str();
    while let Some((above, _)) = folder.rsplit_once('/') {
        if PROJECTS.iter().any(|name| matches!(files.read(&format!("{above}/{name}")), Ok(Some(_)))) {
            return vec![format!("{above}/src"), above.to_string()];
        }
        folder = above;
    }
    Vec::new()
}

/// Whether one of these statements imports a file through the folder `name` in `above`.
fn is_imported(files: &dyn FileSystem, above: &str, name: &str, body: &[Stmt]) -> bool {
    let is_file = |dotted: &str| {
        let inside = dotted.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let base = format!("{above}/{}", dotted.replace('.', "/"));
        inside
            && [format!("{base}.py"), format!("{base}/__init__.py")]
                .iter()
                .any(|path| matches!(files.read(path), Ok(Some(_))))
    };
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Import(names) => names.iter().any(|alias| is_file(&alias.name)),
        StmtKind::ImportFrom { module: Some(module), level: 0, .. } => is_file(module),
        _ => false,
    })
}

/// The most dots that a relative import of these statements begins with, functions included.
fn levels(body: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::ImportFrom { level, .. } => *level as usize,
        StmtKind::FunctionDef(def) => levels(&def.body),
        _ => {
            let mut most = 0;
            visit::blocks(stmt, &mut |block| most = most.max(levels(block)));
            most
        }
    };
    body.iter().map(of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, AnalysisOptions};
    use std::collections::HashMap;
    use std::sync::Arc;

    struct Names(HashMap<&'static str, &'static str>);

    impl FileSystem for Names {
        fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
            Ok(self.0.get(path).map(|text| (*text).into()))
        }
    }

    /// The same, with folders.
    struct Folders(Names);

    impl FileSystem for Folders {
        fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
            self.0.read(path)
        }

        fn list(&self, folder: &str) -> Option<Vec<String>> {
            let below =
                |path: &&str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.split('/').next()?.to_string());
            let names: Vec<String> = self.0.0.keys().filter_map(below).collect();
            (!names.is_empty()).then_some(names)
        }
    }

    #[test]
    fn packages_are_counted_from_the_outermost() {
        let files = Names(HashMap::from([("/src/a/__init__.py", ""), ("/src/a/b/__init__.py", "")]));
        let (root, found) = place(&files, "/src/a/b/c.py", &[]).expect("in a package");
        assert_eq!(root, "/src");
        assert_eq!(found, Place { package: "a.b".to_string(), folder: None });
        let (_, found) = place(&files, "/src/a/__init__.py", &[]).expect("a package");
        assert_eq!((found.package.as_str(), found.folder.as_deref()), ("a", Some("/src/a")));
        assert!(place(&files, "/src/main.py", &[]).is_none());
        assert!(place(&files, "main.py", &[]).is_none());
    }

    #[test]
    fn folders_that_relative_imports_go_through_are_packages() {
        let text = "if True:\n    from ..common import size\nfrom . import other\n\n\ndef f():\n    return size + other.more\n\n\nf().real\n";
        let files = || {
            Names(HashMap::from([
                ("/work/models/common.py", "size = 3\n"),
                ("/work/models/llama/other.py", "from .attention import twice\n\nmore = twice(4)\n"),
                ("/work/models/llama/attention.py", "def twice(x):\n    return 2 * x\n"),
            ]))
        };
        let source = pallas_syntax::SourceFile::new(pallas_syntax::FileId(0), "model.py", text);
        let module = pallas_syntax::parse(Arc::new(source));
        let (root, found) = place(&files(), "/work/models/llama/model.py", &module.body).expect("in a package");
        assert_eq!((root.as_str(), found.package.as_str()), ("/work", "models.llama"));
        let analysis =
            Analysis::new("/work/models/llama/model.py", text, &AnalysisOptions::new(Arc::new(Folders(files()))));
        assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    }

    #[test]
    fn folders_that_absolute_imports_go_through_are_packages() {
        let text = "import org.part.lib.gmm as _gmm\nimport src.other\n\ngmm = _gmm.gmm\ngmm(1).real\n";
        let files = Names(HashMap::from([
            ("/src/org/part/lib/__init__.py", text),
            ("/src/org/part/lib/gmm.py", "def gmm(x):\n    return x\n"),
        ]));
        let source = pallas_syntax::SourceFile::new(pallas_syntax::FileId(0), "__init__.py", text);
        let module = pallas_syntax::parse(Arc::new(source));
        let (root, found) = place(&files, "/src/org/part/lib/__init__.py", &module.body).expect("a package");
        assert_eq!((root.as_str(), found.package.as_str()), ("/src", "org.part.lib"));
    }

    #[test]
    fn tests_import_what_their_project_would_install() {
        let text =
            "import kernels.scale\nfrom tools import sizes\n\nkernels.scale.twice(sizes.most).real\nimport unknown\n";
        let files = Names(HashMap::from([
            ("/work/pyproject.toml", "[project]\n"),
            ("/work/src/kernels/__init__.py", ""),
            ("/work/src/kernels/scale.py", "def twice(x):\n    return 2 * x\n"),
            ("/work/tools/__init__.py", ""),
            ("/work/tools/sizes.py", "most = 2\n"),
        ]));
        let analysis = Analysis::new("/work/tests/deep/test_scale.py", text, &AnalysisOptions::new(Arc::new(files)));
        let messages: Vec<&str> = analysis.findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["ModuleNotFoundError: No module named 'unknown'"]);
    }

    #[test]
    fn a_package_looked_at_on_its_own_is_its_only_copy() {
        let text = "import lib.gmm as _gmm\n\ngmm = _gmm.gmm\ngmm(1).real\n";
        let files = Names(HashMap::from([
            ("/src/lib/__init__.py", text),
            ("/src/lib/gmm.py", "from lib import sizes\n\n\ndef gmm(x):\n    return x + sizes.most\n"),
            ("/src/lib/sizes.py", "most = 2\n"),
        ]));
        let analysis = Analysis::new("/src/lib/__init__.py", text, &AnalysisOptions::new(Arc::new(files)));
        assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    }

    #[test]
    fn names_that_the_package_binds_again_are_submodules_still() {
        let text = "from lib import gmm as backend\n\n\ndef gmm(x):\n    return backend.gmm(x)\n\n\ngmm(1).real\n";
        let files = Names(HashMap::from([
            ("/src/lib/__init__.py", "from lib.ops import gmm as gmm\n"),
            ("/src/lib/gmm.py", "def gmm(x):\n    return x\n"),
            ("/src/lib/ops.py", text),
        ]));
        let analysis = Analysis::new("/src/lib/ops.py", text, &AnalysisOptions::new(Arc::new(files)));
        assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
        let from_outside = "from lib import gmm\n\ngmm.gmm\n";
        let files = Names(HashMap::from([
            ("/src/lib/__init__.py", "from lib.ops import gmm as gmm\n"),
            ("/src/lib/gmm.py", "def gmm(x):\n    return x\n"),
            ("/src/lib/ops.py", text),
        ]));
        let analysis = Analysis::new("/src/main.py", from_outside, &AnalysisOptions::new(Arc::new(files)));
        assert_eq!(analysis.findings.len(), 1, "{:?}", analysis.findings);
    }
}
