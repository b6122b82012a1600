//! What lies around a document: its project's settings, and the Python environment whose packages it imports. Looked for once
//! for each folder and kept, since an edit changes neither; forgotten when a file around changes.

use crate::settings::EditorSettings;
use pallas_engine::environment::{Environment, Wanted};
use pallas_engine::{Disk, FileSystem, Settings, SettingsFile};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was found around a folder.
pub(crate) struct Surroundings {
    /// The project's settings under those of the editor.
    pub(crate) settings: Settings,
    /// The file that says them.
    pub(crate) file: Option<SettingsFile>,
    /// The environment.
    pub(crate) environment: Environment,
    /// Whether JAX is among its packages.
    pub(crate) has_jax: bool,
    /// The files that were asked for.
    pub(crate) asked: HashSet<String>,
}

/// What was found so far. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Known(Arc<Mutex<HashMap<String, Arc<Surroundings>>>>);

impl Known {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Surroundings>>> {
        // Single operations of the map: a panic elsewhere has not damaged it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything is looked for again.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    /// What lies around a script.
    pub(crate) fn of(&self, files: &Arc<dyn FileSystem>, script: &str, editor: &EditorSettings) -> Arc<Surroundings> {
        let folder = script.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
        if let Some(known) = self.lock().get(&folder) {
            return known.clone();
        }
        let found = Arc::new(find(files, script, editor));
        self.lock().insert(folder, found.clone());
        found
    }
}

fn find(files: &Arc<dyn FileSystem>, script: &str, editor: &EditorSettings) -> Surroundings {
    let recorder = Recorder::new(files.clone());
    let file = Settings::find(&recorder, script);
    let of_project = file.as_ref().map(|file| file.settings.clone()).unwrap_or_default();
    let settings = editor.engine.clone().over(of_project);
    let active = std::env::var("VIRTUAL_ENV").ok().filter(|folder| !folder.is_empty());
    let wanted = Wanted { python: settings.python.as_deref(), virtual_env: active.as_deref(), script };
    let environment = Environment::find(&Disk, &wanted);
    let has_jax = environment.paths.iter().any(|folder| Disk.list(&format!("{folder}/jax")).is_some());
    Surroundings { settings, file, environment, has_jax, asked: recorder.take() }
}

/// Whether a file is one of those that say settings.
pub(crate) fn is_settings_file(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("pallas.toml" | "pyproject.toml"))
}

/// Remembers what was asked for: who asked depends on these files, also on those that are not there.
pub(crate) struct Recorder {
    under: Arc<dyn FileSystem>,
    asked: Mutex<HashSet<String>>,
}

impl Recorder {
    pub(crate) fn new(under: Arc<dyn FileSystem>) -> Self {
        Recorder { under, asked: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked for so far; it is forgotten.
    pub(crate) fn take(&self) -> HashSet<String> {
        std::mem::take(&mut *self.lock())
    }
}

impl FileSystem for Recorder {
    fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
        self.lock().insert(path.to_string());
        self.under.read(path)
    }

    fn list(&self, folder: &str) -> Option<Vec<String>> {
        self.under.list(folder)
    }

    fn absolute(&self, path: &str) -> String {
        self.under.absolute(path)
    }
}
