//! A host that collects output and reads modules from the folder of the cases.

use pallas_python::host::Host;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// A host that collects output and reads modules from the folder of the cases.
pub(crate) struct TestHost {
    stdout: RefCell<String>,
    pub(crate) stderr: RefCell<String>,
}

/// A host that only collects.
pub(crate) fn quiet_host() -> Rc<TestHost> {
    Rc::new(TestHost { stdout: RefCell::default(), stderr: RefCell::default() })
}

impl TestHost {
    /// What was printed.
    pub(crate) fn stdout(&self) -> String {
        self.stdout.borrow().clone()
    }
}

impl Host for TestHost {
    fn write_stdout(&self, text: &str) {
        self.stdout.borrow_mut().push_str(text);
    }

    fn write_stderr(&self, text: &str) {
        self.stderr.borrow_mut().push_str(text);
    }

    fn read_line(&self) -> Option<String> {
        None
    }

    fn read_source(&self, path: &str) -> Result<Option<String>, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(path);
        if !path.is_file() {
            return Ok(None);
        }
        std::fs::read_to_string(&path).map(Some).map_err(|error| error.to_string())
    }

    fn list_folder(&self, path: &str) -> Option<Vec<String>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(path);
        let entries = std::fs::read_dir(path).ok()?;
        Some(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
    }

    fn import_paths(&self) -> Vec<String> {
        vec![String::new()]
    }

    fn arguments(&self) -> Vec<String> {
        vec!["case.py".to_owned()]
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
