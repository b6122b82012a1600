"""`jax.shard_map`: what it takes, and what it refuses. The mapping itself is native."""

import functools
import inspect
import math

import jax
from jax._src import shards
from jax._src.mesh import AbstractMesh, AxisType, Mesh, get_abstract_mesh, get_mesh
from jax._src.shardings import PartitionSpec, names


def shard_map(f=None, /, *, out_specs, in_specs=None, mesh=None, axis_names=frozenset(), check_vma=True):
    """A function that maps `f` over the shards of its arguments."""
    if f is None:
        return lambda g: _mapped(g, mesh, in_specs, out_specs, axis_names, check_vma)
    return _mapped(f, mesh, in_specs, out_specs, axis_names, check_vma)


def experimental_shard_map(f, mesh, in_specs, out_specs, check_rep=True, auto=frozenset()):
    """`jax.experimental.shard_map.shard_map`"""
    manual = frozenset(mesh.axis_names) - frozenset(auto)
    return _mapped(f, mesh, in_specs, out_specs, manual, check_rep)


def _mapped(f, mesh, in_specs, out_specs, axis_names, check_vma):
    if not callable(f):
        raise TypeError(f"Expected a callable value, got {f}")
    if mesh is None:
        mesh = get_abstract_mesh() if get_mesh().empty else get_mesh()
        if mesh.empty:
            raise ValueError("The context mesh cannot be empty. Use `jax.set_mesh(mesh)` to enter into a mesh context")
    if not isinstance(mesh, (Mesh, AbstractMesh)):
        raise TypeError(
            "shard_map requires a `jax.sharding.Mesh` or a `jax.sharding.AbstractMesh` instance for its second "
            f"argument, but got {mesh} of type {type(mesh)}."
        )
    manual = frozenset(axis_names or mesh.axis_names)
    if not manual <= set(mesh.axis_names):
        raise ValueError(
            f"jax.shard_map requires axis_names={manual} to be a subset of mesh.axis_names="
            f"{frozenset(mesh.axis_names)}"
        )
    if in_specs is None and all(kind == AxisType.Auto for kind in mesh.axis_types):
        raise TypeError(
            "shard_map in_specs argument must be a pytree of `jax.sharding.PartitionSpec` instances, but it was `None` "
            f"when axis_names={manual} are of type AxisType.Auto"
        )
    if in_specs is not None:
        _check("in", in_specs, manual)
    _check("out", out_specs, manual)
    order = [name for name in mesh.axis_names if name in manual]
    sizes = [mesh.shape[name] for name in order]
    return shards.mapped(
        f,
        functools.partial(_in_parts, f, mesh, in_specs),
        functools.partial(_out_parts, f, mesh, order, out_specs, check_vma),
        order,
        sizes,
        bool(check_vma),
    )


def _is_spec(node):
    return node is None or isinstance(node, PartitionSpec)


def _check(which, specs, manual):
    bad = []
    for path, spec in _leaves('', specs):
        if not _is_spec(spec):
            bad.append(f"  {which}_specs{path} is {spec} of type {type(spec).__name__}, ")
    if bad:
        lines = "\n".join(bad)
        raise TypeError(
            f"shard_map {which}_specs argument must be a pytree of `jax.sharding.PartitionSpec` instances, but:\n\n"
            f"{lines}\n\nCheck the {which}_specs values passed to shard_map."
        )
    for path, spec in _leaves('', specs):
        for entry in spec or ():
            for name in names(entry):
                if name not in manual:
                    bad.append(f"  {which}_specs{path} refers to {name!r}")
    if bad:
        lines = "\n".join(bad)
        raise ValueError(
            f"shard_map {which}_specs argument must refer to an axis marked as manual ({manual}), but:\n\n{lines}\n\n"
            f"Check the {which}_specs values passed to shard_map."
        )


def _children(node):
    """The key and the value of each child of a pytree's node; `None` for a leaf."""
    if node is None:
        return []
    if isinstance(node, dict):
        return [(f"[{key!r}]", node[key]) for key in sorted(node)]
    if isinstance(node, (list, tuple)):
        if hasattr(node, "_fields"):
            return [(f".{field}", getattr(node, field)) for field in node._fields]
        return [(f"[{i}]", child) for i, child in enumerate(node)]
    is_child = lambda other: other is not node
    children = jax.tree.leaves(node, is_leaf=is_child)
    if len(children) == 1 and children[0] is node:
        return None
    return [(f"[<flat index {i}>]", child) for i, child in enumerate(children)]


def _leaves(path, node):
    """The leaves of a pytree with their paths; specs are leaves."""
    children = None if _is_spec(node) else _children(node)
    if children is None:
        return [(path, node)]
    return [leaf for key, child in children for leaf in _leaves(path + key, child)]


def _spread(what, prefix, tree, path="", spec_path=""):
    """For each leaf of `tree`: its path, the path of its spec, its spec, and the leaf."""
    if _is_spec(prefix):
        below = [] if tree is None else _leaves(path, tree)
        return [(leaf_path, spec_path, prefix, leaf) for leaf_path, leaf in below]
    mismatch = _mismatch(what, spec_path, prefix, tree)
    if mismatch:
        raise ValueError(mismatch)
    pairs = zip(_children(prefix) or [], _children(tree) or [])
    return [
        leaf
        for (key, child), (_, other) in pairs
        for leaf in _spread(what, child, other, path + key, spec_path + key)
    ]


def _mismatch(what, path, prefix, tree):
    where = f"pytree structure error: {{}} at key path\n    {what}{path}\nAt that key path, the prefix pytree "
    where += f"{what}{path} has a subtree of type"
    if type(prefix) is not type(tree):
        return where.format("different types") + (
            f"\n    {type(prefix)}\nbut at the same key path the full pytree has a subtree of different type\n    "
            f"{_type_text(tree)}."
        )
    if isinstance(prefix, (list, tuple)) and len(prefix) != len(tree):
        kind = type(prefix).__name__
        return where.format(f"different lengths of {kind}") + (
            f" {kind} of length {len(prefix)}, but the full pytree has a subtree of the same type but of length "
            f"{len(tree)}."
        )
    if isinstance(prefix, dict) and set(prefix) != set(tree):
        keys = tuple(sorted(prefix)), tuple(sorted(tree))
        return where.format("different pytree metadata") + (
            f"\n    {type(prefix)}\nwith metadata\n    {keys[0]}\nbut at the same key path the full pytree has a subtree "
            f"of the same type but with metadata\n    {keys[1]}"
        )
    return None


def _type_text(node):
    return type(node) if _children(node) is not None else "<class 'jax._src.shard_map.ShardMapTracer'>"


def _bullets(messages):
    return messages[0] if len(messages) == 1 else "\n\n".join("* " + message for message in messages)


def _bound(f, path):
    """Which parameter of `f` an argument is bound to."""
    index = int(path[1 : path.index("]")])
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return ""
    plain = [each for each in parameters if each.kind not in (each.KEYWORD_ONLY, each.VAR_KEYWORD)]
    if not plain:
        return ""
    if index >= len(plain) or plain[index].kind == plain[index].VAR_POSITIONAL:
        return (
            f", where args[{index}] is the index {index - len(plain) + 1} component of {_name(f)}'s varargs parameter "
            f"'{plain[-1].name}',"
        )
    return f", where args[{index}] is bound to {_name(f)}'s parameter '{plain[index].name}',"


def _name(f):
    return getattr(f, "__name__", None) or str(f)


def _type(leaf):
    return f"{leaf.dtype.name}[{','.join(str(extent) for extent in leaf.shape)}]"


def _parts(spec):
    return [names(entry) for entry in spec or ()]


def _mesh_text(mesh):
    return (
        f"The mesh given has shape {tuple(mesh.shape.values())} with corresponding axis names {mesh.axis_names}.\n\n"
    )


def _in_parts(f, mesh, in_specs, args):
    """For each leaf of the arguments the axes that divide each of its dimensions."""
    if in_specs is None:
        leaves = jax.tree.leaves(args)
        return [_parts(getattr(getattr(leaf, "sharding", None), "spec", None)) for leaf in leaves]
    spread = _spread("shard_map in_specs", in_specs, args)
    too_long = [
        f"in_specs{spec_path} is {spec} which has length {len(spec)}, but the passed args{path}{_bound(f, path)} has "
        f"shape {_type(leaf)}, which has rank {leaf.ndim} (and {leaf.ndim} < {len(spec)})"
        for path, spec_path, spec, leaf in spread
        if spec is not None and len(spec) > leaf.ndim
    ]
    if too_long:
        raise ValueError(_rank_error("in", _name(f), too_long, any(leaf.ndim == 0 for *_, leaf in spread)))
    uneven = []
    for path, spec_path, spec, leaf in spread:
        for axis, along in enumerate(_parts(spec)):
            size = math.prod(mesh.shape[name] for name in along)
            if leaf.shape[axis] % size:
                several = len(along) > 1
                onto = f"axes {along}" if several else f"axis {along[0]!r}"
                uneven.append(
                    f"the passed args{path} of shape {_type(leaf)}{_bound(f, path)} corresponds to in_specs{spec_path} of "
                    f"value {spec}, which maps array axis {axis} (of size {leaf.shape[axis]}) to mesh {onto} (of "
                    f"{'total ' if several else ''}size {size}), but {size} does not evenly divide {leaf.shape[axis]}"
                )
    if uneven:
        raise ValueError(
            f"shard_map applied to the function '{_name(f)}' was given argument arrays with axis sizes that are not "
            f"evenly divisible by the corresponding mesh axis sizes:\n\n{_mesh_text(mesh)}{_bullets(uneven)}\n\nArray "
            "arguments' axis sizes must be evenly divisible by the mesh axis or axes indicated by the corresponding "
            "elements of the argument's in_specs entry. Consider checking that in_specs are correct, and if so consider "
            f"changing the mesh axis sizes or else padding the input and adapting '{_name(f)}' appropriately."
        )
    return [_parts(spec) for _, _, spec, _ in spread]


def _rank_error(which, name, messages, scalars):
    text = (
        f"shard_map applied to the function '{name}' was given an {which}_specs entry which is too long to be compatible "
        f"with the corresponding {which}put value from the function:\n\n{_bullets(messages)}\n\nEntries in {which}_specs "
        f"must be of length no greater than the number of axes in the corresponding {which}put value.\n\nEither revise "
        f"the spec to be shorter, or modify '{name}' so that its {which}puts have sufficient rank."
    )
    if scalars:
        text += (
            f"\n\nFor scalar values (rank 0), consider using an {which}_specs entry of `P()`, where `P = "
            "jax.sharding.PartitionSpec`."
        )
        if which == "out":
            text += (
                " In particular, for rank 0 outputs which are not constant over the mesh, add at least one (singleton) "
                "axis to them so that they can be concatenated using out_specs."
            )
    return text


def _out_parts(f, mesh, order, out_specs, check_vma, result, varying):
    """For each leaf of the result the axes that divide its dimensions, and its sharding. `varying` says for each along
    which axes it may differ."""
    from jax._src.shardings import NamedSharding

    spread = _spread("shard_map out_specs", out_specs, result)
    too_long = [
        (
            f"out_specs{spec_path} is {spec} which has length {len(spec)}, but {_name(f)}(*args){path} has shape "
            f"{_type(leaf)}, which has rank {leaf.ndim} (and {leaf.ndim} < {len(spec)})",
            leaf,
        )
        for path, spec_path, spec, leaf in spread
        if spec is not None and len(spec) > leaf.ndim
    ]
    if too_long:
        scalars = any(leaf.ndim == 0 for _, leaf in too_long)
        raise ValueError(_rank_error("out", _name(f), [message for message, _ in too_long], scalars))
    differing = []
    for (_, spec_path, spec, _), along in zip(spread, varying):
        spec_path = "" if shards.is_eager() else spec_path
        mentioned = {name for part in _parts(spec) for name in part}
        missing = [name for name in mesh.axis_names if name not in mentioned]
        wrong = [name for name in missing if name in along]
        if not (check_vma and wrong):
            continue
        if len(missing) > 1:
            need = ",".join(name for name in order if name in mentioned)
            differing.append(
                f"out_specs{spec_path} is {spec} which implies that the corresponding output value is only varying "
                f"across mesh axes {{{need}}} and not {{{','.join(wrong)}}}, but it was inferred to be possibly varying "
                f"over {{{','.join(along)}}}"
            )
        else:
            differing.append(
                f"out_specs{spec_path} is {spec} which implies that the corresponding output value is replicated across "
                f"mesh axis '{wrong[0]}', but could not infer replication over any axes"
            )
    if differing:
        name = _name(f)
        if shards.is_eager():
            # Outside of jit the results are looked at one by one, in a function of JAX's own.
            name, differing = "_rem_singleton", differing[:1]
        raise ValueError(
            f"shard_map applied to the function '{name}' was given out_specs which require replication which can't be "
            f"statically inferred given the mesh:\n\n{_mesh_text(mesh)}{_bullets(differing)}\n\nCheck if these output "
            "values are meant to be replicated over those mesh axes. If not, consider revising the corresponding out_specs "
            "entries. If so, consider disabling the check by passing the check_vma=False argument to `jax.shard_map`."
        )
    return [
        (_parts(spec), NamedSharding(mesh, PartitionSpec() if spec is None else spec)) for _, _, spec, _ in spread
    ]
