//! Trees of text that CPython 3.11 does not read: newer syntax, and broken code with all that could be kept of it.

use crate::common::cases::cases;
use crate::common::module;
use pallas_syntax::dump;

#[test]
fn new_syntax_and_broken_code() {
    for (name, text) in cases() {
        if name.starts_with("new_") || name.starts_with("bad_") {
            insta::assert_snapshot!(name, dump::module(&module(&text)));
        }
    }
}
