"""What the standard modules do with values that analysis cannot know: no error may come of them."""

import torch
import math, functools, re, json, random, itertools, statistics, operator, textwrap, copy, argparse, logging, time, os, string, heapq, bisect, fractions, collections, enum, typing, contextlib, warnings, dataclasses, inspect, pathlib
from dataclasses import dataclass
u = torch.x

def check(name, f):
    try:
        r = f()
        print(name, type(r).__name__)
    except BaseException as e:
        print(name, "RAISED", type(e).__name__, e)

check("ceil", lambda: math.ceil(u))
check("sqrt", lambda: math.sqrt(u))
check("log2", lambda: math.log2(u))
check("log", lambda: math.log(u, 2))
check("prod", lambda: math.prod(u))
check("prod2", lambda: math.prod([u, 2]))
check("gcd", lambda: math.gcd(u, 2))
check("comb", lambda: math.comb(u, 2))
check("hypot", lambda: math.hypot(u, 2))
check("fsum", lambda: math.fsum([u]))
check("partial", lambda: functools.partial(u, 1))
check("partial()", lambda: functools.partial(u, 1)())
check("wraps", lambda: functools.wraps(u)(check))
check("wraps2", lambda: functools.wraps(check)(u))
check("reduce", lambda: functools.reduce(u, [1, 2]))
check("reduce2", lambda: functools.reduce(lambda a, b: a, u))
check("lru", lambda: functools.lru_cache(u))
check("lru2", lambda: functools.lru_cache(u)(check))
check("cache", lambda: functools.cache(u)(3))
check("re", lambda: re.match(u, "a"))
check("re2", lambda: re.findall("a", u))
check("re3", lambda: re.sub("a", u, "banana"))
check("re4", lambda: re.sub("a", "b", u))
check("re5", lambda: re.compile("a", u))
check("json", lambda: json.dumps({"a": u}))
check("json2", lambda: json.loads(u))
check("random", lambda: random.randint(0, u))
check("random2", lambda: random.choice(u))
check("random3", lambda: random.seed(u))
check("random4", lambda: random.uniform(u, 1))
check("random5", lambda: random.shuffle(u))
check("product", lambda: list(itertools.product(u, [1])))
check("repeat", lambda: list(itertools.repeat(1, u)))
check("islice", lambda: list(itertools.islice([1], u)))
check("chain", lambda: list(itertools.chain(u, [1])))
check("combinations", lambda: list(itertools.combinations([1], u)))
check("mean", lambda: statistics.mean(u))
check("median", lambda: statistics.median([u, 1]))
check("itemgetter", lambda: operator.itemgetter(u)([1]))
check("attrgetter", lambda: operator.attrgetter(u))
check("index", lambda: operator.index(u))
check("dedent", lambda: textwrap.dedent(u))
check("indent", lambda: textwrap.indent(u, "x"))
check("fill", lambda: textwrap.fill("a", u))
check("deepcopy", lambda: copy.deepcopy([u]))
check("sleep", lambda: time.sleep(u))
check("join", lambda: os.path.join(u, "a"))
check("basename", lambda: os.path.basename(u))
check("split", lambda: os.path.split(u))
check("exists", lambda: os.path.exists(u))
check("getenv", lambda: os.getenv(u))
check("environ", lambda: os.environ[u])
check("environ=", lambda: os.environ.__setitem__("a", u) if False else os.environ.setdefault("q", u))
check("heappush", lambda: heapq.heappush(u, 1))
check("bisect", lambda: bisect.bisect(u, 1))
check("Fraction", lambda: fractions.Fraction(u))
check("namedtuple", lambda: collections.namedtuple(u, "a"))
check("namedtuple2", lambda: collections.namedtuple("A", u))
check("defaultdict", lambda: collections.defaultdict(u))
check("Counter", lambda: collections.Counter(u))
check("deque", lambda: collections.deque(u))
check("deque2", lambda: collections.deque([1], u))
check("OrderedDict", lambda: collections.OrderedDict(u))
check("Optional", lambda: typing.Optional[u])
check("Union", lambda: typing.Union[u, int])
check("Callable", lambda: typing.Callable[[u], u])
check("Literal", lambda: typing.Literal[u])
check("NewType", lambda: typing.NewType("A", u))
check("TypeVar", lambda: typing.TypeVar("A", bound=u))
check("hints", lambda: typing.get_type_hints(u))
check("cast", lambda: typing.cast(u, u))
check("suppress", lambda: contextlib.suppress(u).__enter__())
check("nullcontext", lambda: contextlib.nullcontext(u).__enter__())
check("warn", lambda: warnings.warn(u))
check("dataclass", lambda: dataclass(u))
check("fields", lambda: dataclasses.fields(u))
check("asdict", lambda: dataclasses.asdict(u))
check("replace", lambda: dataclasses.replace(u, a=1))
check("signature", lambda: inspect.signature(u))
check("Path", lambda: pathlib.Path(u))
check("Path/", lambda: pathlib.Path("a") / u)
check("getLogger", lambda: logging.getLogger(u))
check("setLevel", lambda: logging.getLogger("q").setLevel(u))
check("info", lambda: logging.info(u))
check("argparse", lambda: argparse.ArgumentParser(u).parse_args(u))
check("strftime", lambda: time.strftime(u))
check("Template", lambda: string.Template(u))

@dataclass
class A(torch.Base):
    x: torch.T
    y: int = torch.y
    z: torch.T = dataclasses.field(default_factory=torch.f)
check("A", lambda: A(1))
class E(enum.Enum):
    P = torch.p
    Q = torch.q
    R = enum.auto()
check("E", lambda: E.P)
check("E2", lambda: E(u))
class N(typing.NamedTuple):
    a: torch.T
    b: int = torch.b
check("N", lambda: N(u))
@contextlib.contextmanager
def cm():
    yield u
def use():
    with cm() as c:
        return c
check("cm", use)
def use2():
    with contextlib.ExitStack() as s:
        return s.enter_context(u)
check("stack", use2)
