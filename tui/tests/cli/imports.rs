//! What programs import: packages of an environment, modules beside them, folders that run.

use super::{Case, run_in, shown};
use std::fs;

/// A program with a package of its own, and an environment with packages: Python ones, a compiled one, one that fails, one
/// that takes too long, and a copy of JAX with modules that are written in Python.
fn with_environment() -> Case {
    let packages = "env/lib/python3.11/site-packages";
    let case = Case::new();
    let write = |path: String, text: &str| {
        let path = case.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("env/pyvenv.cfg".to_string(), "home = /nowhere/bin\n");
    write("env/bin/python".to_string(), "");
    write(format!("{packages}/tiles/__init__.py"), "from .sizes import SIZE\nfrom . import sizes\n");
    write(format!("{packages}/tiles/sizes.py"), "SIZE = 128\n");
    write(format!("{packages}/compiled.cpython-311-x86_64-linux-gnu.so"), "");
    write(format!("{packages}/failing.py"), "import not_there\nx = not_there.y + undefined\nGOOD = 3\n");
    write(format!("{packages}/endless.py"), "early = 1\nwhile True:\n    pass\nlate = 2\n");
    write(format!("{packages}/torch/__init__.py"), "raise SystemError('torch is not evaluated')\n");
    write(format!("{packages}/jax/__init__.py"), "raise SystemError('this JAX is not evaluated')\n");
    write(format!("{packages}/jax/experimental/pallas/ops/own.py"), "from ..ops import helper\nvalue = helper.value\n");
    write(format!("{packages}/jax/experimental/pallas/ops/__init__.py"), "");
    write(format!("{packages}/jax/experimental/pallas/ops/helper.py"), "value = 7\n");
    write(format!("{packages}/own.pth"), &format!("{}\n", case.folder.path().join("editable").display()));
    write("editable/edited/__init__.py".to_string(), "where = 'an editable install'\n");
    write("project/kernels/__init__.py".to_string(), "");
    write("project/kernels/shapes.py".to_string(), "ROWS = 8\n");
    write("project/kernels/main.py".to_string(), "from .shapes import ROWS\nassert ROWS == 8\nimport kernels.main\n");
    write("app/__main__.py".to_string(), "import part\nprint(part.name, __name__)\n");
    write("app/part.py".to_string(), "name = 'part of a folder'\n");
    write(
        "good.py".to_string(),
        "import tiles, edited\nfrom jax.experimental.pallas.ops import own\nfrom tiles.sizes import SIZE\n\
         print(tiles.SIZE, SIZE, own.value, edited.where, tiles.sizes.__file__[-8:])\n",
    );
    write(
        "odd.py".to_string(),
        "import compiled\nimport failing\nimport endless\nimport torch\nfrom nowhere import *\n\
         print(compiled.x + failing.x + endless.late + torch.y + star)\nassert failing.GOOD == 3 and endless.early == 1\n",
    );
    case
}

#[test]
fn a_run_imports_from_the_environment() {
    let case = with_environment();
    let expected = "128 128 7 an editable install sizes.py\n";
    for python in ["env", "env/bin/python"] {
        let output = case.run(&["run", "--python", python, "good.py"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", shown(&output));
    }
    // Without an environment: Python's own words, and what to do.
    let output = case.run(&["run", "good.py"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.ends_with("ModuleNotFoundError: No module named 'tiles'\n"), "{stderr}");
    assert!(stderr.contains("no Python environment was given") && stderr.contains("--python PATH"), "{stderr}");
    // The environment around a file is found by itself.
    fs::rename(case.folder.path().join("env"), case.folder.path().join(".venv")).expect("renamed");
    assert_eq!(String::from_utf8_lossy(&case.run(&["run", "good.py"]).stdout), expected);
    let output = case.run(&["run", "--python", "nothing", "good.py"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("nothing: neither a Python interpreter nor the folder of an environment"), "{stderr}");
}

#[test]
fn a_folder_runs_by_its_main_module() {
    let output = with_environment().run(&["run", "app"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "part of a folder __main__\n", "{}", shown(&output));
}

#[test]
fn modules_that_cannot_be_evaluated_are_unknown_to_checks() {
    let case = with_environment();
    let output = case.run(&["check", "--python", "env", "--output-format", "concise", "odd.py"]);
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = found.lines().filter(|line| line.starts_with("odd.py")).collect();
    let expected = [("odd.py:1:", "compiled"), ("odd.py:4:", "`torch` is not evaluated"), ("odd.py:5:", "'nowhere'")];
    assert_eq!(lines.len(), expected.len(), "{found}");
    for (line, (place, what)) in lines.iter().zip(expected) {
        assert!(line.starts_with(place) && line.contains("PL002") && line.contains(what), "{line}");
    }
    // What is wrong inside of installed packages is not the program's concern.
    assert!(!found.contains("failing.py") && !found.contains("endless.py"), "{found}");
}

#[test]
fn a_module_of_a_package_is_checked_where_it_stands() {
    let case = with_environment();
    for (folder, path) in [("", "project/kernels/main.py"), ("project/kernels", "main.py")] {
        let output = run_in(&case.folder.path().join(folder), &["check", path]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    }
}

#[test]
fn a_module_that_its_own_package_imports() {
    let case = Case::new();
    let write = |name: &str, text: &str| {
        let path = case.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("products/__init__.py", "from products.public import product\nfrom products.kernel import size as SIZE\n");
    write("products/public.py", "from products import kernel as backend\nproduct = backend.product\n");
    write("products/common.py", "STEP = 2\n");
    let kernel = "from products import common\ndef product(x):\n    return x * common.STEP\nsize = product(4)\n";
    write("products/kernel.py", kernel);
    let output = case.run(&["check", "products/kernel.py", "products/public.py", "products/__init__.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(!shown(&output).contains("warning"), "{}", shown(&output));
}
