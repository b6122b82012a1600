//! What the process remembers of devices that were lost to it. A context in which a kernel has failed answers every call with that
//! failure until the process ends, and behind a kernel that does not end every copy stands for ever: so a device is not opened a
//! second time after that, unless what was given up has ended since.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why a device is lost.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    /// What was said of it then.
    pub(crate) why: String,
    /// The context and the event behind the kernel that does not end, as numbers.
    pub(crate) behind: Option<(usize, usize)>,
}

static LOST: Mutex<BTreeMap<i32, Loss>> = Mutex::new(BTreeMap::new());

fn lost() -> MutexGuard<'static, BTreeMap<i32, Loss>> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers the first failure of a device.
pub(crate) fn remember(ordinal: i32, failure: &Failure, behind: Option<(usize, usize)>) {
    let words = failure.to_string();
    // That it is lost is what this is about.
    let ends = ["; the device is lost", ", and is lost"].into_iter().filter_map(|end| words.find(end));
    let why = words[..ends.min().unwrap_or(words.len())].to_string();
    lost().entry(ordinal).or_insert(Loss { why, behind });
}

/// Whether a device is lost. `has_ended` says of a context and an event in it whether what stands before the event is over.
///
/// # Errors
/// It is.
pub(crate) fn check(ordinal: i32, has_ended: impl FnOnce((usize, usize)) -> bool) -> Result<(), Failure> {
    let mut lost = lost();
    match lost.get(&ordinal) {
        None => Ok(()),
        Some(loss) if loss.behind.is_some_and(has_ended) => {
            lost.remove(&ordinal);
            Ok(())
        }
        Some(loss) => Err(Failure::LostBefore(loss.why.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_was_lost_stays_so_unless_what_was_given_up_has_ended() {
        let (dead, hanging) = (1001, 1002);
        assert_eq!(check(dead, |_| true), Ok(()));
        remember(dead, &Failure::IllegalAccess("illegal address".to_string()), None);
        remember(dead, &Failure::Lost, None);
        let said = check(dead, |_| true).expect_err("lost").to_string();
        assert!(said.ends_with("in which the kernel accessed memory that is not its own (illegal address)"), "{said}");
        remember(hanging, &Failure::Hang(30), Some((1, 2)));
        assert!(matches!(check(hanging, |at| at != (1, 2)), Err(Failure::LostBefore(_))));
        assert_eq!(check(hanging, |_| true), Ok(()));
        assert_eq!(check(hanging, |_| false), Ok(()), "it was forgotten");
    }
}
