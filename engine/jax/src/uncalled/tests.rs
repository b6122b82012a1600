//! Tests of what is in other files: functions `test_*` that mention names of theirs. Evaluates nothing.

use super::cases::cases;
use super::reach::leading_to;
use pallas_syntax::ast::{FunctionDef, Module};
use std::sync::Arc;

/// The tests of a module that mention a name of other files, themselves or through functions of the module, and that take nothing but
/// what their decorators give.
pub fn tests(module: &Module, is_foreign: &dyn Fn(&str) -> bool) -> Vec<Arc<FunctionDef>> {
    let takes_nothing = |def: &FunctionDef| def.params.iter().all(|param| param.default.is_some());
    let is_test =
        |def: &Arc<FunctionDef>| def.name.starts_with("test") && (takes_nothing(def) || cases(module, def).is_some());
    leading_to(module, is_foreign).into_iter().filter(is_test).collect()
}

#[cfg(test)]
mod tests_of_tests {
    use super::*;
    use pallas_syntax::{FileId, SourceFile};

    #[test]
    fn tests_are_those_that_mention_other_files_and_take_what_is_given() {
        let text = "
def run(n): return kernels.add(n)
def test_sum(): run(1)
def test_other(): assert True
def test_fixture(array): run(array)
@pytest.mark.parametrize('n', [1])
def test_cases(n): run(n)
";
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let names: Vec<String> =
            tests(&module, &|name| name == "kernels").iter().map(|def| def.name.to_string()).collect();
        assert_eq!(names, ["test_sum", "test_cases"]);
    }
}
