//! What is renamed with a name, and what is refused. `$0` marks the cursor; a text may be several files, each after a line `#- path`, the
//! first one in the editor. Replaced text is shown between `«` and `»`.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_ide::rename::Project;
use pallas_ide::{renamable, rename};
use std::sync::Arc;

struct Files(Vec<(String, Arc<str>)>);

impl Project for Files {
    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|(path, _)| path.clone()).collect()
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.0.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone())
    }
}

fn files(text: &str) -> Vec<(String, String)> {
    if !text.starts_with("#- ") {
        return vec![("/work/main.py".to_string(), text.to_string())];
    }
    let parts = text.split("#- ").skip(1);
    parts
        .map(|part| {
            let (path, text) = part.split_once('\n').expect("a path");
            (path.to_string(), text.to_string())
        })
        .collect()
}

fn outcome(text: &str, new: &str) -> Result<String, String> {
    let mut files = files(text);
    let offset = files[0].1.find("$0").expect("a cursor") as u32;
    files[0].1 = files[0].1.replacen("$0", "", 1);
    let analysis = Analysis::new(&files[0].0, &files[0].1, &AnalysisOptions::new(Arc::new(Disk)));
    let project = Files(files.iter().map(|(path, text)| (path.clone(), text.as_str().into())).collect());
    if let Some(found) = renamable(&analysis, offset, &project)? {
        assert_eq!(found.name, analysis.source.slice(found.span));
    }
    let renamed = rename(&analysis, offset, new, &project)?;
    let mut shown = String::new();
    for (path, text) in &files {
        let mut after = text.clone();
        let edits = renamed.iter().find(|file| *file.path == **path).map_or(&[][..], |file| &file.edits);
        for (range, text) in edits.iter().rev() {
            after.replace_range(range.clone(), &format!("«{text}»"));
        }
        let head = if files.len() > 1 { format!("#- {path}\n") } else { String::new() };
        shown.push_str(&format!("{head}{after}"));
    }
    Ok(shown)
}

/// `text` with the mention at its cursor, and all others, renamed to `new`: what stands between `«` and `»` in `expected`.
#[track_caller]
fn check(text: &str, new: &str, expected: &str) {
    assert_eq!(outcome(text, new).as_deref(), Ok(expected));
}

#[track_caller]
fn refused(text: &str, new: &str, reason: &str) {
    match outcome(text, new) {
        Err(why) => assert_eq!(why, reason),
        Ok(text) => panic!("renamed:\n{text}"),
    }
}

#[test]
fn a_local_is_renamed_where_it_is_visible() {
    check(
        "x = 1\ndef kernel(x_ref, o_ref):\n  x$0 = x_ref[...]\n  def body(i, c):\n    return c + x\n  o_ref[...] = f'{x}' + body(0, x)\nprint(x)\n",
        "tile",
        "x = 1\ndef kernel(x_ref, o_ref):\n  «tile» = x_ref[...]\n  def body(i, c):\n    return c + «tile»\n  o_ref[...] = f'{«tile»}' + body(0, «tile»)\nprint(x)\n",
    );
}

#[test]
fn a_parameter_is_renamed_with_the_keywords_of_calls() {
    check(
        "\
import functools
import jax
from jax.experimental import pallas as pl

# pallas: call(x=f32[8, 128], block=8)
@functools.partial(jax.jit, static_argnames=('block', 'n'))
def run(x, *, block, n=1):
  kernel = functools.partial(body, block=bl$0ock)
  return pl.pallas_call(kernel, grid=(x.shape[0] // block,), out_shape=x)(x)

def body(x_ref, o_ref, *, block): o_ref[...] = x_ref[...] * block

fast = jax.jit(run, static_argnames='block')
run(x, block=3) + fast(x, block=4) + body(x, x, block=5)
",
        "rows",
        "\
import functools
import jax
from jax.experimental import pallas as pl

# pallas: call(x=f32[8, 128], «rows»=8)
@functools.partial(jax.jit, static_argnames=('«rows»', 'n'))
def run(x, *, «rows», n=1):
  kernel = functools.partial(body, block=«rows»)
  return pl.pallas_call(kernel, grid=(x.shape[0] // «rows»,), out_shape=x)(x)

def body(x_ref, o_ref, *, block): o_ref[...] = x_ref[...] * block

fast = jax.jit(run, static_argnames='«rows»')
run(x, «rows»=3) + fast(x, «rows»=4) + body(x, x, block=5)
",
    );
}

#[test]
fn a_keyword_of_a_partial_kernel_is_the_kernels_parameter() {
    check(
        "import functools\ndef kernel(x_ref, o_ref, *, bk): o_ref[...] = x_ref[:bk]\nk = functools.partial(kernel, b$0k=8)\n",
        "block_k",
        "import functools\ndef kernel(x_ref, o_ref, *, «block_k»): o_ref[...] = x_ref[:«block_k»]\nk = functools.partial(kernel, «block_k»=8)\n",
    );
}

#[test]
fn scratch_memory_is_named_by_keywords() {
    check(
        "def kernel(x_ref):\n  def body(acc$0, sem): acc[...] = x_ref[...]\n  pl.run_scoped(body, acc=pltpu.VMEM((8,), 'f4'), sem=s)\n",
        "total",
        "def kernel(x_ref):\n  def body(«total», sem): «total»[...] = x_ref[...]\n  pl.run_scoped(body, «total»=pltpu.VMEM((8,), 'f4'), sem=s)\n",
    );
    check(
        "@functools.partial(pl.run_scoped, acc=pltpu.VMEM((8,), 'f4'))\ndef body(a$0cc): acc[...] = 0\n",
        "total",
        "@functools.partial(pl.run_scoped, «total»=pltpu.VMEM((8,), 'f4'))\ndef body(«total»): «total»[...] = 0\n",
    );
    check(
        "def body(x, o, *, smem): o[...] = smem$0[...]\nk = plgpu.kernel(body, out_shape=o, scratch_shapes=dict(smem=plgpu.SMEM((8,), f4)))\n",
        "tile",
        "def body(x, o, *, «tile»): o[...] = «tile»[...]\nk = plgpu.kernel(body, out_shape=o, scratch_shapes=dict(«tile»=plgpu.SMEM((8,), f4)))\n",
    );
}

#[test]
fn functions_classes_and_aliases_are_renamed() {
    check(
        "__all__ = ['kernel', 'other']\ndef ker$0nel(r): pass\npl.pallas_call(kernel)\nglobals()['kernel']\n",
        "body",
        "__all__ = ['«body»', 'other']\ndef «body»(r): pass\npl.pallas_call(«body»)\nglobals()['kernel']\n",
    );
    check("class A: pass\nclass B(A$0): pass\n", "C", "class «C»: pass\nclass B(«C»): pass\n");
    check("import jax.numpy as jnp\nj$0np.ones(3)\n", "np", "import jax.numpy as «np»\n«np».ones(3)\n");
    check("from jax import lax\nl$0ax.add(1, 2)\n", "l", "from jax import «lax as l»\n«l».add(1, 2)\n");
    check("n = 0\ndef f():\n  global n\n  n$0 += 1\n", "m", "«m» = 0\ndef f():\n  global «m»\n  «m» += 1\n");
    check("lam = lambda i, j: (i, j$0)\nlam(1, j=2)\n", "k", "lam = lambda i, «k»: (i, «k»)\nlam(1, «k»=2)\n");
}

#[test]
fn methods_and_constructors_take_keywords() {
    check(
        "class A:\n  def __init__(self, blo$0ck): self.block = block\n  def run(self, block): pass\nA(block=1).run(block=2)\n",
        "rows",
        "class A:\n  def __init__(self, «rows»): self.block = «rows»\n  def run(self, block): pass\nA(«rows»=1).run(block=2)\n",
    );
    check(
        "class A:\n  def run(self, blo$0ck): return block\nA().run(block=2)\n",
        "rows",
        "class A:\n  def run(self, «rows»): return «rows»\nA().run(«rows»=2)\n",
    );
}

#[test]
fn files_that_import_a_name_follow() {
    let package = |from: &str, to: [&str; 2]| {
        let [plain, cursor] = to;
        format!(
            "#- /work/pkg/kernels.py\ndef {cursor}(x, {from}): return x + {from}\n\
             #- /work/pkg/__init__.py\nfrom .kernels import {plain}\n__all__ = ['{plain}']\n\
             #- /work/tests/test_a.py\nimport pkg.kernels\nfrom pkg import {plain}, kernels as k\n{plain}(1, {from}=2)\nk.{plain}(1, {from}=2)\npkg.kernels.{plain}(1, 2)\n\
             #- /work/other.py\nfrom pkg.kernels import {plain} as mine\ndef add(n): return mine(1, {from}=n)\n\
             #- /work/star.py\nfrom pkg import *\n{plain}(3, 4)\n\
             #- /work/apart.py\nfrom elsewhere import add\nadd(n=1)\n"
        )
    };
    check(&package("n", ["add", "ad$0d"]), "plus", &package("n", ["«plus»", "«plus»"]));
    let text = package("n", ["add", "add"]).replacen("(x, n)", "(x, n$0)", 1);
    let expected = package("«m»", ["add", "add"]);
    check(&text, "m", &expected);
}

#[test]
fn an_imported_name_is_renamed_where_it_is_defined() {
    check(
        "#- /work/a.py\nfrom b import f as g\nf = g(n$0=1)\n#- /work/b.py\ndef f(n): return n\n",
        "count",
        "#- /work/a.py\nfrom b import f as g\nf = g(«count»=1)\n#- /work/b.py\ndef f(«count»): return «count»\n",
    );
    check(
        "#- /work/a.py\nimport b\nb.f$0(1)\n#- /work/b.py\ndef f(n): return n\nf(2)\n",
        "run",
        "#- /work/a.py\nimport b\nb.«run»(1)\n#- /work/b.py\ndef «run»(n): return n\n«run»(2)\n",
    );
}

#[test]
fn what_is_not_ours_is_refused() {
    const PALLAS: &str = "import jax\nfrom jax.experimental import pallas as pl\n";
    refused(
        &format!("{PALLAS}pl.Block$0Spec((8,))\n"),
        "B",
        "`BlockSpec` is a name of `jax.experimental.pallas`, which is not part of this project",
    );
    refused(
        &format!("{PALLAS}pl.pallas_call(k, gr$0id=(1,))\n"),
        "g",
        "`grid` is a parameter of `pl.pallas_call`, which is not a function of this project that could be followed",
    );
    refused("print(le$0n([]))\n", "n", "`len` is not defined in this file: it is Python's own, or unknown");
    refused(
        "class A:\n  block$0 = 1\n",
        "n",
        "`block` is an attribute of a class: which objects have it is not known, so that it cannot be followed",
    );
    refused(
        "def f(x): return x.sha$0pe\n",
        "s",
        "`shape` is an attribute: which objects have it is not known, so that it cannot be followed",
    );
    refused(
        "x$0 = 1\ny = (\n",
        "z",
        "line 2 is not Python, so that not all mentions can be seen: '(' was never closed",
    );
    assert_eq!(outcome("x = 1$0\n", "y"), Err("there is no name here that could be renamed".to_string()));
}

#[test]
fn names_that_are_taken_are_refused() {
    refused("x$0 = 1\ny = 2\n", "y", "`y` is a name of this file already, in line 2 of main.py");
    refused("def f(a$0):\n  b = a\n", "b", "`b` is a name of this function already, in line 2 of main.py");
    refused(
        "def f(a$0):\n  return len(a)\n",
        "len",
        "`len` in line 2 of main.py means something else, and would mean this",
    );
    refused(
        "n$0 = 1\ndef f(m):\n  return n + m\n",
        "m",
        "`n` in line 3 of main.py would be another `m`, that of the function around it there",
    );
    refused("x$0 = 1\n", "lambda", "`lambda` is a word that Python keeps for itself");
    check("def f(a$0):\n  return a\ndef g(b): return b\n", "b", "def f(«b»):\n  return «b»\ndef g(b): return b\n");
}

#[test]
fn what_pytest_fills_is_refused_and_what_it_is_given_follows() {
    refused(
        "#- /work/test_a.py\ndef test_add(tmp$0_path): pass\n",
        "folder",
        "`tmp_path` is filled by pytest with the fixture of that name",
    );
    check(
        "#- /work/test_a.py\nimport pytest\n@pytest.mark.parametrize('m, n', [(1, 2)])\ndef test_add(m, n$0): assert m < n\n#- /work/b.py\n",
        "k",
        "#- /work/test_a.py\nimport pytest\n@pytest.mark.parametrize('m, «k»', [(1, 2)])\ndef test_add(m, «k»): assert m < «k»\n#- /work/b.py\n",
    );
}
