//! Which names JAX and numpy have: what is missing here is told from what is missing everywhere. The table is made by
//! `tests/goldens/names.py`; a line is a module, or the class of arrays, with its names.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

static TABLE: &str = include_str!("names.txt");

/// Modules that a name may be looked for in vain in and be found in another, those that are meant most often first.
const NEIGHBOURS: [&str; 11] = [
    "jax.numpy",
    "jax.lax",
    "jax.nn",
    "jax.experimental.pallas",
    "jax.experimental.pallas.tpu",
    "jax.experimental.pallas.mosaic_gpu",
    "jax.experimental.pallas.triton",
    "jax",
    "jax.random",
    "jax.scipy.special",
    "jax.tree",
];

/// The module that has a name that `owner`, a neighbour of it, has not.
pub fn elsewhere(owner: &str, name: &str) -> Option<&'static str> {
    let is_neighbour = NEIGHBOURS.contains(&owner);
    NEIGHBOURS.into_iter().find(|module| is_neighbour && *module != owner && is_known(module, name))
}

/// Python's own modules, by the name of their line.
const STANDARD: &str = "standard";

/// Whether JAX's, numpy's or Python's `owner` has `name`. Of private modules, and those of Python that are listed without their names,
/// nobody knows, and any may be meant.
pub fn is_known(owner: &str, name: &str) -> bool {
    static NAMES: OnceLock<HashMap<&str, HashSet<&str>>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        TABLE.lines().filter_map(|line| line.split_once(": ")).map(|(o, n)| (o, n.split(' ').collect())).collect()
    });
    let root = owner.split('.').next().unwrap_or(owner);
    let is_bare = !names.contains_key(root) && names.get(STANDARD).is_some_and(|standard| standard.contains(root));
    if is_bare || owner.starts_with("jax._src.") {
        return !name.starts_with("__");
    }
    names.get(owner).is_some_and(|names| names.contains(name)) || names.contains_key(format!("{owner}.{name}").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_by_owner() {
        for (owner, name) in [
            ("jax.numpy", "fromfile"),
            ("numpy", "fromfile"),
            ("jax", "vmap"),
            ("ArrayImpl", "at"),
            ("jax", "ad_checkpoint"),
            ("jax._src.api_util", "fun_sourceinfo"),
            ("standard", "csv"),
            ("csv", "DictReader"),
            ("xml.etree", "ElementTree"),
            ("os", "fork"),
        ] {
            assert!(is_known(owner, name), "{owner}.{name}");
        }
        for (owner, name) in
            [("jax.numpy", "rsqrt"), ("jax.experimental.pallas", "program_ids"), ("jaxx", "jit"), ("os", "forks")]
        {
            assert!(!is_known(owner, name), "{owner}.{name}");
        }
        assert_eq!(elsewhere("jax.numpy", "softmax"), Some("jax.nn"));
        assert_eq!(elsewhere("jax.experimental.pallas", "VMEM"), Some("jax.experimental.pallas.tpu"));
        assert_eq!(elsewhere("jax.numpy", "softmacks"), None);
        assert_eq!(elsewhere("my.module", "softmax"), None);
    }
}
