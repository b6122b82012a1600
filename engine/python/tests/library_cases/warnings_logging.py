import logging
import sys
import warnings

sys.stderr = sys.stdout

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("first")
    warnings.warn("second", DeprecationWarning)
    warnings.warn(RuntimeWarning("third"))
print([(str(w.message), w.category.__name__) for w in caught])

with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("boom", UserWarning, stacklevel=2)
    except UserWarning as error:
        print("raised", error)
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="skip.*")
    warnings.warn("skip this")
with warnings.catch_warnings():
    warnings.filterwarnings("error", category=DeprecationWarning)
    try:
        warnings.warn("old", DeprecationWarning)
    except DeprecationWarning as error:
        print("raised", error)
try:
    warnings.warn("x", int)
except TypeError as error:
    print(error)

log = logging.getLogger("app.core")
log.debug("hidden")
log.warning("no handler yet %s", 1)
logging.basicConfig(level=logging.INFO, stream=sys.stdout)
log.info("hello %s %d", "world", 3)
log.debug("still hidden")
log.error("error: %r", {"a": 1})
logging.info("from root")
logging.warning("%(name)s is %(age)d", {"name": "Bo", "age": 5})
log.setLevel(logging.ERROR)
log.warning("hidden now")
log.critical("critical")
print(log.level, log.getEffectiveLevel(), log.isEnabledFor(logging.INFO), logging.getLevelName(20), logging.getLevelName("INFO"), log.name, logging.getLogger("app.core") is log, log, logging.getLogger())
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("[%(levelname)-8s] %(name)s: %(message)s"))
other = logging.getLogger("other")
other.addHandler(handler)
other.propagate = False
other.setLevel("DEBUG")
other.debug("formatted")
other.log(25, "between")
brace = logging.StreamHandler(sys.stdout)
brace.setFormatter(logging.Formatter("{levelname}|{message}", style="{"))
third = logging.getLogger("third")
third.addHandler(brace)
third.propagate = False
third.warning("braces")
logging.disable(logging.CRITICAL)
third.critical("silenced")
logging.disable(logging.NOTSET)


class ListHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append((record.levelname, record.getMessage(), record.name))


lh = ListHandler()
fourth = logging.getLogger("fourth")
fourth.addHandler(lh)
fourth.propagate = False
fourth.warning("kept %d", 7)
print(lh.records)
try:
    fourth.setLevel("NOPE")
except ValueError as error:
    print(error)
