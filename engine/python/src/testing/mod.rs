//! The frameworks that test files use: `unittest`, `pytest`, `absl.testing`, `hypothesis`. They are Python, because classes that
//! users derive from are: metaclasses, `super()` and overridden methods then do what they do in Python.
//!
//! What they leave out is said in the texts: awaiting, autospec, shrinking of examples.

use crate::embedded::EmbeddedModule;

/// Every module of the test frameworks.
pub(crate) static MODULES: &[EmbeddedModule] = &[
    EmbeddedModule { name: "unittest", text: include_str!("unittest/__init__.py"), is_package: true },
    EmbeddedModule { name: "unittest.assertions", text: include_str!("unittest/assertions.py"), is_package: false },
    EmbeddedModule { name: "unittest.case", text: include_str!("unittest/case.py"), is_package: false },
    EmbeddedModule { name: "unittest.differences", text: include_str!("unittest/differences.py"), is_package: false },
    EmbeddedModule { name: "unittest.loader", text: include_str!("unittest/loader.py"), is_package: false },
    EmbeddedModule { name: "unittest.main", text: include_str!("unittest/main.py"), is_package: false },
    EmbeddedModule { name: "unittest.mock", text: include_str!("unittest/mock.py"), is_package: false },
    EmbeddedModule { name: "unittest.result", text: include_str!("unittest/result.py"), is_package: false },
    EmbeddedModule { name: "unittest.runner", text: include_str!("unittest/runner.py"), is_package: false },
    EmbeddedModule { name: "unittest.suite", text: include_str!("unittest/suite.py"), is_package: false },
    EmbeddedModule { name: "unittest.util", text: include_str!("unittest/util.py"), is_package: false },
    EmbeddedModule { name: "absl.testing.absltest", text: include_str!("absl/absltest.py"), is_package: false },
    EmbeddedModule { name: "absl.testing.files", text: include_str!("absl/files.py"), is_package: false },
    EmbeddedModule {
        name: "absl.testing.parameterized",
        text: include_str!("absl/parameterized.py"),
        is_package: false,
    },
    EmbeddedModule { name: "pytest", text: include_str!("pytest/__init__.py"), is_package: true },
    EmbeddedModule { name: "pytest.collection", text: include_str!("pytest/collection.py"), is_package: false },
    EmbeddedModule { name: "pytest.comparisons", text: include_str!("pytest/comparisons.py"), is_package: false },
    EmbeddedModule { name: "pytest.conditions", text: include_str!("pytest/conditions.py"), is_package: false },
    EmbeddedModule { name: "pytest.events", text: include_str!("pytest/events.py"), is_package: false },
    EmbeddedModule { name: "pytest.fixtures", text: include_str!("pytest/fixtures.py"), is_package: false },
    EmbeddedModule { name: "pytest.items", text: include_str!("pytest/items.py"), is_package: false },
    EmbeddedModule { name: "pytest.marks", text: include_str!("pytest/marks.py"), is_package: false },
    EmbeddedModule { name: "pytest.options", text: include_str!("pytest/options.py"), is_package: false },
    EmbeddedModule { name: "pytest.outcomes", text: include_str!("pytest/outcomes.py"), is_package: false },
    EmbeddedModule { name: "pytest.provided", text: include_str!("pytest/provided.py"), is_package: false },
    EmbeddedModule { name: "pytest.report", text: include_str!("pytest/report.py"), is_package: false },
    EmbeddedModule { name: "pytest.results", text: include_str!("pytest/results.py"), is_package: false },
    EmbeddedModule { name: "pytest.selection", text: include_str!("pytest/selection.py"), is_package: false },
    EmbeddedModule { name: "pytest.session", text: include_str!("pytest/session.py"), is_package: false },
    EmbeddedModule { name: "hypothesis", text: include_str!("hypothesis/__init__.py"), is_package: true },
    EmbeddedModule { name: "hypothesis._settings", text: include_str!("hypothesis/_settings.py"), is_package: false },
    EmbeddedModule { name: "hypothesis._source", text: include_str!("hypothesis/_source.py"), is_package: false },
    EmbeddedModule { name: "hypothesis.core", text: include_str!("hypothesis/core.py"), is_package: false },
    EmbeddedModule { name: "hypothesis.errors", text: include_str!("hypothesis/errors.py"), is_package: false },
    EmbeddedModule { name: "hypothesis.strategies", text: include_str!("hypothesis/strategies.py"), is_package: false },
    EmbeddedModule {
        name: "hypothesis.extra.numpy",
        text: include_str!("hypothesis/numpy_extra.py"),
        is_package: false,
    },
    EmbeddedModule {
        name: "hypothesis.strategies._internal.core",
        text: "from hypothesis.strategies import *\nfrom hypothesis.strategies import DataStrategy\n",
        is_package: false,
    },
    EmbeddedModule {
        name: "hypothesis.internal.detection",
        text: include_str!("hypothesis/detection.py"),
        is_package: false,
    },
    EmbeddedModule {
        name: "hypothesis.internal.reflection",
        text: include_str!("hypothesis/reflection.py"),
        is_package: false,
    },
];
