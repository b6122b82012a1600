"""Exceptions of hypothesis."""


class HypothesisException(Exception):
    """Their base."""


class UnsatisfiedAssumption(HypothesisException):
    """`assume` was not satisfied: the example does not count."""


class InvalidArgument(HypothesisException, TypeError):
    """A strategy or decorator was used wrongly."""


class NoSuchExample(HypothesisException):
    """`find` found nothing."""


class Unsatisfiable(HypothesisException):
    """Hardly any example satisfies the assumptions."""


class StopTest(BaseException):
    """An example asked for more than it may."""


class HypothesisWarning(HypothesisException, Warning):
    """A generic warning."""


class NonInteractiveExampleWarning(HypothesisWarning):
    """`.example()` in a program."""
