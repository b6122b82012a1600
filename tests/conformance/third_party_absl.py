"""absl flags and app.run."""

from absl import app, flags, logging
FLAGS = flags.FLAGS
_SIZE = flags.DEFINE_integer("size", 128, "block size", lower_bound=1)
_NAME = flags.DEFINE_string("name", None, "a name")
flags.DEFINE_bool("verbose", False, "more")
flags.DEFINE_enum("mode", "fwd", ["fwd", "bwd"], "which")
flags.DEFINE_list("sizes", ["1", "2"], "list")
flags.DEFINE_multi_integer("m", [3], "many")
try:
    FLAGS.size
except flags.UnparsedFlagAccessError as e:
    print(type(e).__name__)
def main(argv):
    print(argv, _SIZE.value, _NAME.value, FLAGS.verbose, FLAGS.mode, FLAGS.sizes, FLAGS.m)
    logging.debug("hidden %d", 3)
    print(FLAGS(["prog", "--size=3", "--name", "n", "--verbose", "--mode=bwd", "--sizes=a,b", "--m=1", "--m=2", "rest"]))
    print(_SIZE.value, _NAME.value, FLAGS.verbose, FLAGS.mode, FLAGS.sizes, FLAGS.m, _SIZE.present)
    print(FLAGS(["prog", "--noverbose"]), FLAGS.verbose)
    for bad in (["p", "--size=0"], ["p", "--size=x"], ["p", "--unknown=1"], ["p", "--mode=q"]):
        try:
            FLAGS(bad)
        except flags.Error as e:
            print(type(e).__name__, e)
    try:
        FLAGS.nothing
    except AttributeError as e:
        print("AttributeError", e)
    holder = _SIZE._flagvalues[_SIZE.name]
    print(holder.parser.parse("5"), holder is FLAGS["size"])
    try:
        holder.parser.parse("0")
    except ValueError as e:
        print("ValueError", e)
    return None
if __name__ == "__main__":
    app.run(main, argv=["prog"])
