"""Checks inside of functions; they are not provided."""


def check(pred, msg, *fmt_args, debug=False, **fmt_kwargs):
    raise NotImplementedError("checkify.check is not provided")


def checkify(f, errors=None):
    raise NotImplementedError("checkify.checkify is not provided")


user_checks = frozenset(["user_checks"])
nan_checks = frozenset(["nan_checks"])
index_checks = frozenset(["index_checks"])
div_checks = frozenset(["div_checks"])
float_checks = nan_checks | div_checks
automatic_checks = float_checks | index_checks
all_checks = automatic_checks | user_checks
