//! Tests whose launches are in other files: nothing else of a program calls what they call, and a check of the file would say nothing of
//! it. Finds which names of a module are those of other files of the program; which tests mention them is found by
//! `pallas_jax::uncalled`.

use pallas_jax::uncalled::tests;
use pallas_python::function::Code;
use pallas_python::interp::Interp;
use pallas_python::module::Module;
use pallas_python::value::Value;
use pallas_syntax::ast::{self, FunctionDef};
use pallas_syntax::{FileId, SourceFile, Span};
use std::sync::Arc;

/// What a file has that launches kernels.
const LAUNCHERS: [&str; 4] = ["pallas_call", "pl.kernel", "plgpu.kernel", "core_map"];

/// So many tests are called: each launches what may be large.
const MOST_TESTS: usize = 20;

/// Tests of what other files of the program launch, the first of them.
pub(super) fn tests_of_other_files(interp: &Interp, module: &ast::Module, main: &Module) -> Vec<Arc<FunctionDef>> {
    let is_other = |file: FileId| !module.holds(Span { file, ..Span::default() }) && !interp.is_installed(file);
    let others: Vec<Arc<SourceFile>> =
        interp.sources().into_iter().filter(|source| source.id != module.source.id && is_other(source.id)).collect();
    if !others.iter().any(|source| LAUNCHERS.iter().any(|name| source.text.contains(name))) {
        return Vec::new();
    }
    let is_foreign = |name: &str| {
        let value = main.namespace.borrow().get(name).cloned();
        value.is_some_and(|value| others.iter().any(|source| is_of(interp, &value, source)))
    };
    let mut found = tests(module, &is_foreign);
    found.truncate(MOST_TESTS);
    found
}

/// Whether a module, a function or a class is of a file; of what wraps a function, whether that is.
fn is_of(interp: &Interp, value: &Value, source: &SourceFile) -> bool {
    match value {
        Value::Module(module) => module.path.as_deref() == Some(&*source.path),
        Value::Function(function) => match &function.code {
            Code::Def(def) => def.span.file == source.id,
            Code::Lambda(lambda) => lambda.body.span.file == source.id,
        },
        Value::Class(class) => class.span.is_some_and(|span| span.file == source.id),
        Value::Object(_) => match interp.find_attr(value, "__wrapped__") {
            Ok(Some(inner @ Value::Function(_))) => is_of(interp, &inner, source),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests_of_tests {
    use crate::{Analysis, AnalysisOptions, FileSystem};
    use std::collections::HashMap;
    use std::sync::Arc;

    struct Names(HashMap<&'static str, &'static str>);

    impl FileSystem for Names {
        fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
            Ok(self.0.get(path).map(|text| (*text).into()))
        }
    }

    const KERNELS: &str = "
import jax
from jax.experimental import pallas as pl

def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]

@jax.jit
def copied(x):
    block = pl.BlockSpec((8, 128), lambda i: (i + 1, 0))
    return pl.pallas_call(copy, grid=(x.shape[0] // 8,), in_specs=[block], out_specs=block, out_shape=x)(x)
";

    #[test]
    fn a_test_of_another_file_is_called() {
        let text = "
import jax.numpy as jnp
import pytest
from kernels import copied

def test_sizes():
    assert 8 * 16 == 128

@pytest.mark.parametrize('rows', [16, 32])
def test_copied(rows):
    x = jnp.ones((rows, 128))
    assert (copied(x) == x).all()
";
        let files = Names(HashMap::from([("/work/kernels.py", KERNELS)]));
        let analysis = Analysis::new("/work/test_kernels.py", text, &AnalysisOptions::new(Arc::new(files)));
        let codes: Vec<&str> = analysis.findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&"PL120"), "{:?}", analysis.findings);
        let tests: Vec<&str> = analysis.assumed.iter().map(|assumed| &*assumed.function).collect();
        assert_eq!(tests, ["test_copied"]);
    }
}
