//! What a function's body says of its parameters: which are arrays, of which rank, what their dimensions are called, and
//! which dimensions are the same. Reads syntax alone, and believes what it reads: `m, k = x.shape` makes `x` a matrix.

mod equal;
mod expression;
mod launches;

use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, FunctionDef, Name, Stmt, StmtKind, UnaryOp};
use pallas_syntax::visit;
use pallas_tensor::DType;
use std::collections::HashMap;
use std::sync::Arc;

/// The functions of a module by name: what a function passes its parameters on to says something of them, too.
pub(super) type Functions = HashMap<Name, Arc<FunctionDef>>;

/// Parameters are followed through so many calls.
const DEPTH: usize = 4;

/// What is known of one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Use {
    /// It is used as an array.
    pub(super) is_array: bool,
    /// `jax.jit` takes it as static: anything but an array.
    pub(super) is_static: bool,
    /// It is used as a number: divided, compared with, or counted to.
    pub(super) is_number: bool,
    /// It is made a float: `float(temperature)`.
    pub(super) is_float: bool,
    /// What text it is compared with: `direction == "reverse"`.
    pub(super) text: Option<Arc<str>>,
    /// What it holds, where a launch says it.
    pub(super) dtype: Option<DType>,
    /// The attributes that are read of it: `config.block_q`.
    pub(super) fields: Vec<Name>,
    /// Its rank, where something says it.
    pub(super) rank: Option<usize>,
    /// At least this rank.
    pub(super) least: usize,
    /// Names of dimensions from the first one on.
    front: Vec<Option<Name>>,
    /// Names of dimensions from the last one on.
    back: Vec<Option<Name>>,
}

impl Use {
    /// The name of a dimension of an array of this rank.
    pub(super) fn dimension(&self, index: usize, rank: usize) -> Option<&Name> {
        let from_end = rank.checked_sub(index + 1)?;
        self.front.get(index).and_then(Option::as_ref).or_else(|| self.back.get(from_end)?.as_ref())
    }

    fn name(&mut self, index: i64, name: &Name) {
        let (names, index) = match usize::try_from(index) {
            Ok(index) => (&mut self.front, index),
            Err(_) => (&mut self.back, (-index - 1) as usize),
        };
        self.least = self.least.max(index + 1);
        self.is_array = true;
        if names.len() <= index {
            names.resize(index + 1, None);
        }
        if &**name != "_" && names[index].is_none() {
            names[index] = Some(name.clone());
        }
    }

    /// An attribute is read.
    fn reads(&mut self, field: &Name) {
        if !self.fields.contains(field) {
            self.fields.push(field.clone());
        }
    }

    /// Takes in what another use of the same value says.
    fn merge(&mut self, other: &Use) {
        self.is_array |= other.is_array;
        self.is_number |= other.is_number;
        self.is_float |= other.is_float;
        self.text = self.text.take().or_else(|| other.text.clone());
        self.dtype = self.dtype.or(other.dtype);
        other.fields.iter().for_each(|field| self.reads(field));
        self.rank = self.rank.or(other.rank);
        self.least = self.least.max(other.least);
        for (mine, theirs) in [(&mut self.front, &other.front), (&mut self.back, &other.back)] {
            if mine.is_empty() {
                mine.clone_from(theirs);
            }
        }
    }
}

/// What is known of the parameters of a function.
#[derive(Debug, Default)]
pub(super) struct Uses {
    params: HashMap<Name, Use>,
    /// What parameters are taken apart into (`q, k, v = residuals`); of these names the same is known as of parameters.
    unpacked: HashMap<Name, Vec<Name>>,
    /// What is made of floats is made of 16-bit floats: the function multiplies on a GPU's tensor cores.
    pub(super) halves: bool,
    /// Dimensions that are the same, by name.
    equal: Vec<(Name, Name)>,
}

impl Uses {
    /// Reads a function.
    pub(super) fn of(def: &FunctionDef, functions: &Functions) -> Uses {
        Uses::through(def, functions, DEPTH)
    }

    fn through(def: &FunctionDef, functions: &Functions, depth: usize) -> Uses {
        let params = def.params.iter().map(|param| (param.name.clone(), Use::default())).collect();
        let mut reader = Reader { uses: Uses { params, ..Uses::default() }, functions, depth };
        def.body.iter().for_each(|stmt| reader.stmt(stmt));
        reader.decorators(def);
        if depth == DEPTH {
            reader.annotated_elsewhere(def);
        }
        reader.uses
    }

    /// What is known of a parameter.
    pub(super) fn get(&self, name: &str) -> Option<&Use> {
        self.params.get(name)
    }

    /// What the body calls the elements of a parameter that is a tuple.
    pub(super) fn unpacked(&self, name: &Name) -> Option<&[Name]> {
        self.unpacked.get(name).map(Vec::as_slice)
    }

    /// The one name of all dimensions that are the same as this.
    pub(super) fn representative(&self, name: &Name) -> Name {
        let mut name = name.clone();
        // Each step leads to a smaller name, so it ends.
        while let Some(smaller) =
            self.equal.iter().filter_map(|(a, b)| partner(a, b, &name)).filter(|n| *n < name).min()
        {
            name = smaller;
        }
        name
    }
}

fn partner(a: &Name, b: &Name, name: &Name) -> Option<Name> {
    if a == name {
        Some(b.clone())
    } else if b == name {
        Some(a.clone())
    } else {
        None
    }
}

/// `int`, `int | None`, `Optional[int]`
fn is_int(annotation: &Expr) -> bool {
    match &annotation.kind {
        ExprKind::Name(name) => &**name == "int",
        ExprKind::BinOp { left, right, .. } => is_int(left) && matches!(right.kind, ExprKind::Constant(Constant::None)),
        ExprKind::Subscript { value, index } => {
            let form = match &value.kind {
                ExprKind::Name(name) | ExprKind::Attribute { name, .. } => &**name,
                _ => return false,
            };
            form == "Optional" && is_int(index)
        }
        _ => false,
    }
}

struct Reader<'a> {
    uses: Uses,
    functions: &'a Functions,
    depth: usize,
}

impl Reader<'_> {
    /// A parameter that says nothing of itself is a number where every function that annotates one of its name says so.
    fn annotated_elsewhere(&mut self, def: &FunctionDef) {
        for param in def.params.iter().filter(|param| param.annotation.is_none() && param.default.is_none()) {
            let Some(used) = self.uses.params.get_mut(&param.name) else { continue };
            let mut elsewhere = self
                .functions
                .values()
                .flat_map(|function| function.params.iter())
                .filter_map(|other| other.annotation.as_ref().filter(|_| other.name == param.name));
            if !used.is_array && elsewhere.next().is_some_and(is_int) && elsewhere.all(is_int) {
                used.is_number = true;
            }
        }
    }

    /// `@partial(jax.jit, static_argnames=("causal",))`, `static_argnums=(3, 4)`, and `nondiff_argnums`.
    fn decorators(&mut self, def: &FunctionDef) {
        let positional: Vec<&Name> =
            def.params.positional_only.iter().chain(&def.params.positional).map(|param| &param.name).collect();
        for decorator in &def.decorators {
            let ExprKind::Call { args, .. } = &decorator.kind else { continue };
            for arg in args {
                let Arg::Keyword(keyword, value, _) = arg else { continue };
                if !matches!(&**keyword, "static_argnames" | "static_argnums" | "nondiff_argnums") {
                    continue;
                }
                let parts = match &value.kind {
                    ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => &parts[..],
                    _ => std::slice::from_ref(value),
                };
                for part in parts {
                    let name = match &part.kind {
                        ExprKind::Constant(Constant::Str(name)) => Some(Name::clone(name)),
                        _ => integer(part)
                            .and_then(|index| usize::try_from(index).ok())
                            .and_then(|index| Some((*positional.get(index)?).clone())),
                    };
                    if let Some(used) = name.and_then(|name| self.uses.params.get_mut(&name)) {
                        used.is_static = true;
                    }
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => targets.iter().for_each(|target| self.assign(target, value)),
            StmtKind::FunctionDef(def) => def.body.iter().for_each(|stmt| self.stmt(stmt)),
            // What follows holds where the test does not: `if k != k2: raise`.
            StmtKind::If { test, body, .. } if matches!(body.last().map(|s| &s.kind), Some(StmtKind::Raise { .. })) => {
                self.holds(test, false);
            }
            StmtKind::Assert { test, .. } => self.holds(test, true),
            _ => {}
        }
        visit::expressions(stmt, &mut |expr| self.expr(expr));
        visit::blocks(stmt, &mut |block| block.iter().for_each(|stmt| self.stmt(stmt)));
    }

    fn assign(&mut self, target: &Expr, value: &Expr) {
        match (&target.kind, &value.kind) {
            (ExprKind::Tuple(targets) | ExprKind::List(targets), ExprKind::Tuple(values)) => {
                targets.iter().zip(values).for_each(|(target, value)| self.assign(target, value));
            }
            (ExprKind::Tuple(targets) | ExprKind::List(targets), ExprKind::Subscript { value, index }) => {
                let ExprKind::Slice { lower, upper, step: None } = &index.kind else { return };
                let bound = |bound: &Option<Box<Expr>>| bound.as_ref().and_then(|bound| integer(bound));
                let from = match (lower, bound(lower), bound(upper)) {
                    (None, None, Some(upper)) if upper > 0 => 0,
                    (Some(_), Some(lower), None) => lower,
                    _ => return,
                };
                if let Some(array) = self.shape_of(value) {
                    targets.iter().zip(from..).for_each(|(target, index)| array.name(index, &target_name(target)));
                }
            }
            (ExprKind::Tuple(targets) | ExprKind::List(targets), ExprKind::Name(name))
                if self.uses.params.contains_key(name) =>
            {
                let names: Vec<Name> = targets.iter().map(target_name).collect();
                for name in &names {
                    self.uses.params.entry(name.clone()).or_default();
                }
                self.uses.unpacked.insert(name.clone(), names);
            }
            (ExprKind::Tuple(targets) | ExprKind::List(targets), _) => {
                let Some(array) = self.shape_of(value) else { return };
                let star = targets.iter().position(|target| matches!(target.kind, ExprKind::Starred(_)));
                let count = targets.len() as i64;
                for (target, index) in targets.iter().zip(0..) {
                    match star {
                        Some(star) if index == star as i64 => {}
                        Some(star) if index > star as i64 => array.name(index - count, &target_name(target)),
                        _ => array.name(index, &target_name(target)),
                    }
                }
                match star {
                    None => array.rank = array.rank.or(Some(targets.len())),
                    Some(_) => array.least = array.least.max(targets.len() - 1),
                }
            }
            (ExprKind::Name(name), ExprKind::Subscript { value, index }) => {
                if let (Some(index), Some(array)) = (integer(index), self.shape_of(value)) {
                    array.name(index, name);
                }
            }
            _ => {}
        }
    }

    fn param(&mut self, expr: &Expr) -> Option<&mut Use> {
        self.uses.params.get_mut(param_name(expr)?)
    }

    /// The parameter that an expression is the shape of.
    fn shape_of(&mut self, expr: &Expr) -> Option<&mut Use> {
        match &expr.kind {
            ExprKind::Attribute { value, name, .. } if &**name == "shape" => self.param(value),
            _ => None,
        }
    }

    /// The parameter that an expression is the rank of: `x.ndim`, `len(x.shape)`.
    fn rank_of(&mut self, expr: &Expr) -> Option<&mut Use> {
        match &expr.kind {
            ExprKind::Attribute { value, name, .. } if &**name == "ndim" => self.param(value),
            ExprKind::Call { function, args } => match (&function.kind, args.as_slice()) {
                (ExprKind::Name(name), [Arg::Positional(shape)]) if &**name == "len" => self.shape_of(shape),
                _ => None,
            },
            _ => None,
        }
    }
}

fn param_name(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}

fn target_name(target: &Expr) -> Name {
    param_name(target).cloned().unwrap_or_else(|| Name::from("_"))
}

/// An integer as it is written, with its sign.
pub(super) fn integer(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Constant(Constant::Int(value)) => Some(*value),
        ExprKind::UnaryOp { op: UnaryOp::Neg, operand } => Some(-integer(operand)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::{FileId, SourceFile};

    fn uses(text: &str) -> Uses {
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let functions: Functions = module
            .body
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::FunctionDef(def) => Some((def.name.clone(), def.clone())),
                _ => None,
            })
            .collect();
        Uses::of(&functions["f"], &functions)
    }

    fn ranks(text: &str, names: &str) -> Vec<Option<usize>> {
        let uses = uses(text);
        names.split(' ').map(|name| uses.get(name).and_then(|used| used.rank)).collect()
    }

    #[test]
    fn unpacked_shapes_tell_rank_and_names() {
        let uses = uses("def f(x, y):\n m, k = x.shape\n k2, n = y.shape\n assert k == k2\n");
        let x = uses.get("x").expect("a parameter");
        assert_eq!((x.rank, x.is_array), (Some(2), true));
        assert_eq!(x.dimension(1, 2).map(|name| &**name), Some("k"));
        assert_eq!(&*uses.representative(&"k2".into()), "k");
    }

    #[test]
    fn ranks_come_from_what_is_done() {
        assert_eq!(ranks("def f(x):\n assert x.ndim == 3\n", "x"), [Some(3)]);
        assert_eq!(ranks("def f(x):\n if len(x.shape) != 1: raise E\n", "x"), [Some(1)]);
        assert_eq!(ranks("def f(q, k):\n return jnp.einsum('bhqd,bkd->bhqk', q, k)\n", "q k"), [Some(4), Some(3)]);
        let spec = "pl.pallas_call(a, in_specs=[pl.BlockSpec((8, 8), i), pl.BlockSpec(block_shape=(8,))])(x, y)";
        assert_eq!(ranks(&format!("def f(x, y):\n return {spec}\n"), "x y"), [Some(2), Some(1)]);
        let equal = "def f(x, y):\n if not (len(x.shape) == len(y.shape) == 3): raise E\n";
        assert_eq!(ranks(equal, "x y"), [Some(3), Some(3)]);
        let same = "def f(x, y, n):\n if x.shape != y.shape or n.shape != (1,): raise E\n a, b = y.shape\n";
        assert_eq!(ranks(same, "y n"), [Some(2), Some(1)]);
        assert_eq!(ranks("def g(a, *, b):\n p, q, r = b.shape\ndef f(x):\n return g(1, b=x)\n", "x"), [Some(3)]);
    }

    #[test]
    fn what_a_tuple_is_taken_apart_into_is_known_as_parameters_are() {
        let uses = uses("def f(res, do):\n q, k = res\n m, d = q.shape\n");
        let names: Vec<&str> = uses.unpacked(&"res".into()).expect("taken apart").iter().map(|name| &**name).collect();
        assert_eq!((names, uses.get("q").and_then(|used| used.rank)), (vec!["q", "k"], Some(2)));
    }

    #[test]
    fn fetched_scalars_are_integers_that_index_maps_and_the_kernel_read() {
        let spec =
            "grid_spec=g.Spec(num_scalar_prefetch=2, in_specs=[pl.BlockSpec((8, 8), lambda i, g, t: (g[i], 0))])";
        let text = format!(
            "def k(g_ref, t_ref, x_ref, o_ref): v = t_ref[0, 1]\ndef f(g, t, x): pl.pallas_call(k, {spec})(g, t, x)\n"
        );
        assert_eq!(ranks(&text, "g t x"), [Some(1), Some(2), Some(2)]);
        let dtypes = ["g", "t", "x"].map(|name| uses(&text).get(name).and_then(|used| used.dtype));
        assert_eq!(dtypes, [Some(DType::I32), Some(DType::I32), None]);
    }

    #[test]
    fn products_in_the_kernel_tell_what_their_factors_hold() {
        let kernel = "def k(x_ref, s_ref, w_ref, o_ref): dot(x_ref[...], w_ref[...], preferred_element_type=jnp.int32)";
        let text = format!("{kernel}\ndef f(x, s, w): pl.pallas_call(partial(k, a=1), in_specs=[])(x, s, w)\n");
        let dtypes = ["x", "s", "w"].map(|name| uses(&text).get(name).and_then(|used| used.dtype));
        assert_eq!(dtypes, [Some(DType::I8), None, Some(DType::I8)]);
        let kernel = "def k(a, b, o):\n def step(_, x, y): p.wgmma(o, x, y)\n";
        assert!(uses(&format!("{kernel}def f(a, b): p.kernel(k, out_shape=1)(a, b)\n")).halves);
        assert!(!uses("def f(a, b): return jnp.dot(a, b)\n").halves);
    }

    #[test]
    fn numbers_and_texts_are_told_by_what_is_done_with_them() {
        let uses = uses(
            "def g(*, mode): return mode == 'a'\ndef f(x, k, t, mode): zeros((8, k)); float(t); partial(g, mode=mode)\n",
        );
        let get = |name| uses.get(name).cloned().unwrap_or_default();
        assert!(get("k").is_number && get("t").is_float);
        assert_eq!(get("mode").text.as_deref(), Some("a"));
    }

    #[test]
    fn static_arguments_are_no_arrays() {
        let uses = uses("@partial(jit, static_argnames=['a'], static_argnums=(2,))\ndef f(x, a, b): return x\n");
        let is_static = |name| uses.get(name).map(|used: &Use| used.is_static);
        assert_eq!([is_static("x"), is_static("a"), is_static("b")], [Some(false), Some(true), Some(true)]);
    }

    #[test]
    fn parts_of_shapes_tell_at_least_so_many_dimensions() {
        let uses = uses("def f(x, y, z, n):\n b = x.shape[2]\n *_, d = y.shape\n z[:, None, 0]\n w = 8 // n\n");
        let least = |name| uses.get(name).map(|used: &Use| used.least);
        assert_eq!([least("x"), least("y"), least("z")], [Some(3), Some(1), Some(2)]);
        assert_eq!(uses.get("y").and_then(|y| y.dimension(3, 4)).map(|name| &**name), Some("d"));
        assert!(uses.get("n").is_some_and(|n| n.is_number && !n.is_array));
    }
}
