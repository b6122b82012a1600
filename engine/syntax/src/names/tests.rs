//! Variables by their mentions: each is written as `name@scope: line:column ...`, bindings with a star.

use super::*;
use crate::document::parse;
use crate::span::{FileId, SourceFile};
use std::sync::Arc;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let module = parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
    assert_eq!(module.errors, []);
    let names = Names::of(&module);
    let mut shown: Vec<String> = Vec::new();
    for variable in &names.variables {
        let places = variable.mentions.iter().map(|mention| {
            assert_eq!(&*variable.name, module.source.slice(mention.span), "a mention is the name and nothing else");
            let at = module.source.line_column(mention.span.start);
            let star = if mention.role.binds() { "*" } else { "" };
            format!("{}:{}{star}", at.line, at.column)
        });
        let places: Vec<String> = places.collect();
        shown.push(format!("{}@{}: {}", variable.name, variable.scope, places.join(" ")));
    }
    shown.sort();
    assert_eq!(shown, expected);
}

#[test]
fn functions_have_names_of_their_own() {
    check(
        "x = 1\ndef f(x, y=x):\n  return x + y + z\nf(x=x)\n",
        &["f@0: 2:5* 4:1", "x@0: 1:1* 2:12 4:5", "x@1: 2:7* 3:10", "y@1: 2:10* 3:14", "z@0: 3:18"],
    );
}

#[test]
fn nested_functions_see_those_around_but_for_classes() {
    check(
        "def f():\n  a = 1\n  class C:\n    a = 2\n    b = a\n    def g(self): return a\n  return [a for _ in a]\n",
        &[
            "C@1: 3:9*",
            "_@4: 7:17*",
            "a@1: 2:3* 6:25 7:11 7:22",
            "a@2: 4:5* 5:9",
            "b@2: 5:5*",
            "f@0: 1:5*",
            "g@2: 6:9*",
            "self@3: 6:11*",
        ],
    );
}

#[test]
fn global_and_nonlocal_reach_out() {
    check(
        "n = 0\ndef f():\n  global n\n  m = n = 1\n  def g():\n    nonlocal m\n    m += n\n",
        &["f@0: 2:5*", "g@1: 5:7*", "m@1: 4:3* 6:14 7:5*", "n@0: 1:1* 3:10 4:7* 7:10"],
    );
}

#[test]
fn a_walrus_in_a_comprehension_binds_around_it() {
    check(
        "def f(v):\n  w = [y := x for x in v if (z := x)]\n  return y, z\n",
        &["f@0: 1:5*", "v@1: 1:7* 2:24", "w@1: 2:3*", "x@2: 2:13 2:19* 2:35", "y@1: 2:8* 3:10", "z@1: 2:30* 3:13"],
    );
}

#[test]
fn names_whose_places_the_tree_does_not_keep_are_found() {
    check(
        "import a.b, c as d\nfrom e import f as g, h\ntry:\n  a\nexcept (d, OSError) as h:\n  h\n",
        &["OSError@0: 5:12", "a@0: 1:8* 4:3", "d@0: 1:18* 5:9", "g@0: 2:20*", "h@0: 2:23* 5:24* 6:3"],
    );
    check(
        "def f(*args, **more): return args, more\ntype T = int\n",
        &["T@0: 2:6*", "args@1: 1:8* 1:30", "f@0: 1:5*", "int@0: 2:10", "more@1: 1:16* 1:36"],
    );
    check(
        "match p:\n  case [q, *r]: r\n  case {'k': s, **r} | C(s=s) as t: t\n",
        &["C@0: 3:24", "p@0: 1:7", "q@0: 2:9*", "r@0: 2:13* 2:17 3:19*", "s@0: 3:14* 3:28*", "t@0: 3:34* 3:37"],
    );
}

#[test]
fn f_strings_have_names_in_them() {
    check("w = 3\nprint(f'{w=:>{w}} w')\n", &["print@0: 2:1", "w@0: 1:1* 2:10 2:15"]);
}
