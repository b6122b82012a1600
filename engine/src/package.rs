//! Which package a file belongs to: what its relative imports begin from when it is looked at on its own.

use crate::files::FileSystem;
use pallas_python::Place;

/// The folder that the outermost package stands in, and the file's place below it; `None` for a file in no package.
pub(crate) fn place(files: &dyn FileSystem, path: &str) -> Option<(String, Place)> {
    let path = files.absolute(path);
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.strip_suffix(".py")?;
    let mut packages = Vec::new();
    let mut outer = folder;
    while matches!(files.read(&format!("{outer}/__init__.py")), Ok(Some(_))) {
        let (above, name) = outer.rsplit_once('/')?;
        packages.push(name);
        outer = above;
    }
    if packages.is_empty() {
        return None;
    }
    packages.reverse();
    let package = packages.join(".");
    let root = if outer.is_empty() { "/".to_string() } else { outer.to_string() };
    let is_package = stem == "__init__";
    Some((root, Place { package, folder: is_package.then(|| folder.to_string()) }))
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

    #[test]
    fn packages_are_counted_from_the_outermost() {
        let files = Names(HashMap::from([("/src/a/__init__.py", ""), ("/src/a/b/__init__.py", "")]));
        let (root, found) = place(&files, "/src/a/b/c.py").expect("in a package");
        assert_eq!(root, "/src");
        assert_eq!(found, Place { package: "a.b".to_string(), folder: None });
        let (_, found) = place(&files, "/src/a/__init__.py").expect("a package");
        assert_eq!((found.package.as_str(), found.folder.as_deref()), ("a", Some("/src/a")));
        assert!(place(&files, "/src/main.py").is_none());
        assert!(place(&files, "main.py").is_none());
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
