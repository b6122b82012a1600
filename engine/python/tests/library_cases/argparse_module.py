import argparse
import sys

sys.stderr = sys.stdout


def attempt(parser, words):
    try:
        print(parser.parse_args(words))
    except SystemExit as error:
        print("exit", error.code)


parser = argparse.ArgumentParser(prog="tool", description="Runs a kernel on some blocks and prints what it did to every one of them, in order.", epilog="The end.")
parser.add_argument("path", help="the file")
parser.add_argument("extra", nargs="*", type=int, help="numbers")
parser.add_argument("-v", "--verbose", action="store_true", help="say more")
parser.add_argument("-q", action="count", default=0)
parser.add_argument("--size", type=int, default=128, metavar="N", help="block size (default: %(default)s)")
parser.add_argument("--mode", choices=["fast", "slow"], default="fast")
parser.add_argument("--shape", nargs=2, type=int)
parser.add_argument("--tags", nargs="+", default=["x"])
parser.add_argument("--opt", nargs="?", const="C", default="D")
parser.add_argument("--item", action="append")
parser.add_argument("--no-cache", dest="cache", action="store_false")
parser.add_argument("--rate", type=float, required=False)
attempt(parser, ["a.py"])
attempt(parser, ["a.py", "1", "2", "-v", "-qq", "--size", "64", "--mode=slow", "--shape", "3", "4", "--tags", "p", "q", "--opt", "--item", "i", "--item", "j", "--no-cache", "--rate", "0.5"])
attempt(parser, ["--size=32", "a.py", "--opt", "given"])
attempt(parser, ["a.py", "--verb", "--si", "9"])
attempt(parser, ["-vq", "a.py"])
attempt(parser, ["a.py", "--rate", "-1.5"])
attempt(parser, ["a.py", "--", "5"])
attempt(parser, [])
attempt(parser, ["a.py", "--size", "big"])
attempt(parser, ["a.py", "--mode", "medium"])
attempt(parser, ["a.py", "--unknown", "1"])
attempt(parser, ["a.py", "--size"])
attempt(parser, ["a.py", "--shape", "1"])
attempt(parser, ["a.py", "x"])
attempt(parser, ["a.py", "--verbose=1"])
attempt(parser, ["-h"])
print(parser.format_usage())
print(parser.parse_known_args(["a.py", "--zzz", "7", "-v"]))
args = parser.parse_args(["b.py"])
print(args.path, args.cache, vars(args)["size"], args == parser.parse_args(["b.py"]), "path" in args)

small = argparse.ArgumentParser(prog="small", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
small.add_argument("--n", type=int, default=3, help="count")
group = small.add_mutually_exclusive_group(required=True)
group.add_argument("--cpu", action="store_true")
group.add_argument("--gpu", action="store_true")
named = small.add_argument_group("output", "where results go")
named.add_argument("-o", "--output", default="-", help="file")
small.add_argument("--version", action="version", version="%(prog)s 1.0")
attempt(small, ["--cpu"])
attempt(small, ["--cpu", "--gpu"])
attempt(small, [])
attempt(small, ["--version"])
attempt(small, ["--help"])

commands = argparse.ArgumentParser(prog="git")
commands.add_argument("--debug", action="store_true")
sub = commands.add_subparsers(dest="command", required=True, help="what to do")
add = sub.add_parser("add", help="adds files")
add.add_argument("files", nargs="+")
add.set_defaults(func="run_add")
commit = sub.add_parser("commit", help="commits")
commit.add_argument("-m", "--message", required=True)
attempt(commands, ["--debug", "add", "a", "b"])
attempt(commands, ["commit", "-m", "hi"])
attempt(commands, ["commit"])
attempt(commands, ["push"])
attempt(commands, [])
attempt(commands, ["--help"])
attempt(commands, ["add", "-h"])


def positive(text):
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


typed = argparse.ArgumentParser(prog="typed", add_help=False)
typed.add_argument("--n", type=positive, default="7")
typed.add_argument("--flag", action=argparse.BooleanOptionalAction, default=True)
typed.add_argument("--const", action="store_const", const=42)
attempt(typed, [])
attempt(typed, ["--n", "-3", "--no-flag"])
attempt(typed, ["--n", "5", "--no-flag", "--const"])
