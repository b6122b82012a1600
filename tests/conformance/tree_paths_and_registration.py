"""Paths into pytrees, registration of classes, PyTreeDef, Partial, and trees that do not match."""
import jax, collections, dataclasses, functools
from jax import tree_util as tu
def t(f):
    try: r=f(); print(repr(r))
    except Exception as e: print(type(e).__name__, str(e))
P=collections.namedtuple('P','a b')
tree={'b':[1,(2,None)], 'a':P(3,{'x':4}), 'c':()}
t(lambda: tu.tree_flatten_with_path(tree))
t(lambda: [tu.keystr(p) for p,_ in tu.tree_leaves_with_path(tree)])
t(lambda: [tu.keystr(p, simple=True, separator='/') for p,_ in tu.tree_leaves_with_path(tree)])
t(lambda: tu.tree_map_with_path(lambda p,x: (tu.keystr(p),x), tree))
t(lambda: tu.tree_map_with_path(lambda p,x,y: x+y, [1,2],[3,4]))
t(lambda: jax.tree.leaves_with_path([1,2]))
t(lambda: jax.tree.map_with_path(lambda p,x: x*2, {'q':1}))
t(lambda: tu.SequenceKey(3)); t(lambda: str(tu.SequenceKey(3))); t(lambda: tu.SequenceKey(3).idx)
t(lambda: tu.DictKey('a')); t(lambda: str(tu.DictKey('a'))); t(lambda: tu.DictKey('a').key)
t(lambda: tu.GetAttrKey('a')); t(lambda: str(tu.GetAttrKey('a'))); t(lambda: tu.GetAttrKey('a').name)
t(lambda: tu.FlattenedIndexKey(1)); t(lambda: str(tu.FlattenedIndexKey(1)));t(lambda: tu.FlattenedIndexKey(1).key)
t(lambda: tu.DictKey('a')==tu.DictKey('a')); t(lambda: hash(tu.DictKey('a'))==hash(tu.DictKey('a')))
t(lambda: isinstance(tu.DictKey('a'), tu.DictKey))
t(lambda: tu.keystr((tu.DictKey('a'),tu.SequenceKey(1),tu.GetAttrKey('z'),tu.FlattenedIndexKey(2))))
t(lambda: tu.keystr((tu.DictKey('a'),tu.SequenceKey(1),tu.GetAttrKey('z'),tu.FlattenedIndexKey(2)),simple=True,separator='.'))
@functools.partial(tu.register_dataclass, data_fields=['x','y'], meta_fields=['m'])
@dataclasses.dataclass
class D:
    x: int
    y: int
    m: str
t(lambda: tu.tree_flatten(D(1,[2,3],'hi')))
t(lambda: tu.tree_flatten_with_path(D(1,[2,3],'hi'))[0])
t(lambda: tu.tree_map(lambda v: v+1, D(1,[2,3],'hi')))
@tu.register_dataclass
@dataclasses.dataclass(frozen=True)
class D2:
    x: int
    y: int = dataclasses.field(metadata=dict(static=True), default=3)
t(lambda: tu.tree_flatten(D2(1,2)))
t(lambda: tu.tree_map(lambda v: v+1, D2(1,5)))
@tu.register_static
class S:
    def __init__(self, v): self.v=v
    def __repr__(self): return f'S({self.v})'
    def __hash__(self): return hash(self.v)
    def __eq__(self,o): return self.v==o.v
t(lambda: tu.tree_flatten([S(3),4]))
@tu.register_pytree_node_class
class N:
    def __init__(self,a,b): self.a=a; self.b=b
    def tree_flatten(self): return (self.a,self.b),'aux'
    @classmethod
    def tree_unflatten(cls,aux,ch): return cls(*ch)
    def __repr__(self): return f'N({self.a},{self.b})'
t(lambda: tu.tree_flatten_with_path(N(1,[2])))
t(lambda: tu.tree_map(lambda v:v*10, N(1,[2])))
@tu.register_pytree_with_keys_class
class K:
    def __init__(self,a,b): self.a=a; self.b=b
    def tree_flatten_with_keys(self): return ((tu.GetAttrKey('a'),self.a),(tu.GetAttrKey('b'),self.b)),None
    @classmethod
    def tree_unflatten(cls,aux,ch): return cls(*ch)
    def __repr__(self): return f'K({self.a},{self.b})'
t(lambda: tu.tree_flatten_with_path(K(1,[2])))
t(lambda: tu.tree_flatten(K(1,[2])))
class Q:
    def __init__(self,a,b): self.a=a; self.b=b
    def __repr__(self): return f'Q({self.a},{self.b})'
tu.register_pytree_with_keys(Q, lambda q: (((tu.DictKey('A'),q.a),(tu.DictKey('B'),q.b)),'m'), lambda m,c: Q(*c))
t(lambda: tu.tree_flatten_with_path(Q(1,[2])))
t(lambda: tu.tree_leaves(Q(1,[2])))
p=tu.Partial(lambda a,b,c=1:(a,b,c), 1, c=5)
t(lambda: p(2)); t(lambda: [type(x).__name__ for x in tu.tree_leaves(p)]); t(lambda: isinstance(p, functools.partial)); t(lambda: p.args); t(lambda: p.keywords)
t(lambda: tu.tree_map(lambda x:x+1,p)(2))
s=tu.tree_structure([1,(2,3),{'a':None}])
t(lambda: s); t(lambda: s.num_leaves); t(lambda: s.num_nodes); t(lambda: s.children()); t(lambda: tu.treedef_children(s)); t(lambda: tu.treedef_is_leaf(tu.tree_structure(1))); t(lambda: s.node_data())
t(lambda: tu.treedef_tuple([s,tu.tree_structure(1)]))
t(lambda: tu.all_leaves([1,2,3])); t(lambda: tu.all_leaves([1,[2]]))
t(lambda: tu.tree_broadcast([1,{'a':2}],[[1,2],{'a':(3,4)}]))
t(lambda: jax.tree.broadcast(1,[3,4]))
t(lambda: tu.tree_reduce_associative(lambda a,b:a+b,[1,2,3,4]))
t(lambda: tu.tree_reduce(lambda a,b:a+b,[1,2,3,4],10))
t(lambda: tu.tree_transpose(tu.tree_structure([0,0]), tu.tree_structure({'a':0,'b':0}), [{'a':1,'b':2},{'a':3,'b':4}]))
t(lambda: jax.tree.transpose(tu.tree_structure([0,0]), None, [(1,2),(3,4)]))
t(lambda: tu.tree_map(lambda a,b:(a,b), [1,2],[[3],4]))
t(lambda: tu.tree_map(lambda a,b:a+b, [1,2],[3]))
t(lambda: tu.tree_map(lambda a,b:a+b, [1,2],(3,4)))
t(lambda: tu.tree_map(lambda a,b:a+b, P(1,2),P(3,4)))
t(lambda: tu.tree_map(lambda a,b:a+b, None,1))
t(lambda: tu.tree_map(lambda a: a, [1,None,2], is_leaf=lambda x: x is None))
t(lambda: tu.tree_leaves([1,None,(2,)], is_leaf=lambda x: isinstance(x,tuple)))
t(lambda: tu.tree_unflatten(s,[1,2])); t(lambda: tu.tree_unflatten(s,[1,2,3,4]))
t(lambda: tu.tree_all([True,1,[]])); t(lambda: jax.tree.all({'a':0}))
t(lambda: tu.tree_structure(collections.OrderedDict(b=1,a=2))); t(lambda: tu.tree_flatten(collections.defaultdict(int,{'b':1,'a':2})))
t(lambda: tu.tree_leaves(collections.deque([1,2])))
t(lambda: tu.tree_structure([1])==tu.tree_structure([2])); t(lambda: hash(tu.tree_structure([1]))==hash(tu.tree_structure([2])))
t(lambda: tu.tree_structure([1]).unflatten([7])); t(lambda: tu.tree_structure([1,2]).flatten_up_to([[1],{'a':2}])); t(lambda: s.compose(tu.tree_structure([1,2])))
t(lambda: tu.register_pytree_node(N, lambda n: ((),None), lambda a,c: N(1,2)))
t(lambda: tu.tree_leaves({2:1,'a':2}))
t(lambda: jax.tree.flatten_with_path({'a':(1,2)}, is_leaf=lambda x: isinstance(x,tuple)))
t(lambda: jax.tree.reduce(max,[3,1,2])); t(lambda: jax.tree.reduce(max,[]))
t(lambda: tu.flatten_one_level([1,[2]])); 
