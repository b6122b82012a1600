//! What others take for the same work: `benches/gpu/peers.py`, where a Python environment has them.

use super::child::{Ended, listen};
use crate::corpus::root;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What was heard of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peers {
    /// Work, who, microseconds.
    pub times: Vec<(String, String, f64)>,
    /// What is not compared, and why: a sentence each.
    pub absent: Vec<String>,
}

impl Peers {
    /// How long somebody takes.
    pub fn time(&self, work: &str, peer: &str) -> Option<f64> {
        self.times.iter().find(|(name, who, _)| name == work && who == peer).map(|(.., time)| *time)
    }

    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["time", work, peer, time] => {
                self.times.extend(time.parse().ok().map(|time| (work.to_string(), peer.to_string(), time)));
            }
            ["absent", work, peer, why] => self.absent.push(format!("{peer}, {work}: {why}")),
            _ => {}
        }
    }
}

/// Asks a Python environment about some work. Who takes too long is ended, and what was said until then counts.
pub fn peers(python: Option<&Path>, work: &[&str], patience: Duration) -> Peers {
    let mut peers = Peers::default();
    let Some(python) = python else {
        peers.absent.push("torch, Triton and JAX: no --python names an environment that has them".to_string());
        return peers;
    };
    let mut command = Command::new(python);
    command.arg("peers.py").args(work).current_dir(root().join("benches/gpu"));
    // JAX would take most of the memory at once, beside torch.
    command.env("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
    match listen(command, patience, &mut |line| peers.hear(line)) {
        Ended::Well => {}
        Ended::Late => peers.absent.push(format!(
            "others took more than {} seconds, and were ended; what they said until then counts",
            patience.as_secs()
        )),
        Ended::Failed(how) => peers.absent.push(format!("peers.py ended before it was done: {how}")),
        Ended::NotStarted(why) => peers.absent.push(why),
    }
    peers
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_others_said_counts_and_what_is_missing_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let python = folder.path().join("python");
        let text = "#!/bin/sh\nprintf 'time\\tsoftmax\\ttorch\\t150.25\\na warning\\nabsent\\tsoftmax\\tTriton\\tno such module\\n'\nexit 1\n";
        std::fs::write(&python, text).expect("written");
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
        let found = peers(Some(&python), &["softmax"], Duration::from_secs(60));
        assert_eq!((found.time("softmax", "torch"), found.time("softmax", "Triton")), (Some(150.25), None));
        let ended = "peers.py ended before it was done: exit status: 1";
        assert_eq!(found.absent, ["Triton, softmax: no such module", ended]);
        let nobody = peers(Some(Path::new("/nowhere/python")), &[], Duration::from_secs(60));
        assert!(nobody.absent[0].contains("/nowhere/python cannot be run"), "{nobody:?}");
        assert!(peers(None, &[], Duration::ZERO).absent[0].contains("--python"));
    }
}
