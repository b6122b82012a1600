"""absl.flags: flags that are declared where they are used."""

import sys as _sys


class Error(Exception):
    """The base of this module's exceptions."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was parsed."""


class UnrecognizedFlagError(Error):
    """A flag that nobody declared."""

    def __init__(self, flagname, flagvalue="", suggestions=None):
        self.flagname, self.flagvalue = flagname, flagvalue
        super().__init__(f"Unknown command line flag '{flagname}'")


class IllegalFlagValueError(Error):
    """A value that the flag does not take."""


class ValidationError(Error):
    """A value that a validator refuses."""


class DuplicateFlagError(Error):
    """A flag that is declared twice."""


class Flag:
    """A declared flag."""

    def __init__(self, parse, default, name, help, boolean=False, multiple=False):
        self.name, self.help, self.default, self.boolean, self.multiple = name, help, default, boolean, multiple
        self._parse = parse
        self.value = default if default is None or not isinstance(default, str) else self.parsed(default)
        self.present = 0
        self.required = False
        self.validators = []

    @property
    def parser(self):
        return _Parser(self._parse)

    def parsed(self, text):
        try:
            return self._parse(text)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: {error}") from None

    def set(self, text):
        value = self.parsed(text)
        self.value = [*self.value, *value] if self.multiple and self.present else value
        self.present += 1


class _Parser:
    """What makes a flag's value of a text."""

    def __init__(self, parse):
        self.parse = parse


class FlagHolder:
    """A flag as its declaration returns it."""

    def __init__(self, flag_values, flag):
        self._flagvalues, self._flag = flag_values, flag

    @property
    def name(self):
        return self._flag.name

    @property
    def value(self):
        return getattr(self._flagvalues, self._flag.name)

    @property
    def default(self):
        return self._flag.default

    @property
    def present(self):
        return bool(self._flag.present)

    def __class_getitem__(cls, item):
        return cls


class FlagValues:
    """All flags; each is an attribute once the command line is parsed."""

    def __init__(self):
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def __getattr__(self, name):
        flags = self.__dict__["_flags"]
        if name not in flags:
            raise AttributeError(name)
        if not self.__dict__["_parsed"]:
            raise UnparsedFlagAccessError(f"Trying to access flag --{name} before flags were parsed.")
        return flags[name].value

    def __setattr__(self, name, value):
        if name not in self.__dict__["_flags"]:
            raise UnrecognizedFlagError(name)
        self.__dict__["_flags"][name].value = value

    def __contains__(self, name):
        return name in self.__dict__["_flags"]

    def __iter__(self):
        return iter(self.__dict__["_flags"])

    def __len__(self):
        return len(self.__dict__["_flags"])

    def __getitem__(self, name):
        return self.__dict__["_flags"][name]

    def __setitem__(self, name, flag):
        self.__dict__["_flags"][name] = flag

    def is_parsed(self):
        return self.__dict__["_parsed"]

    def mark_as_parsed(self):
        self.__dict__["_parsed"] = True

    def unparse_flags(self):
        self.__dict__["_parsed"] = False

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self.__dict__["_flags"].items()}

    def set_default(self, name, value):
        flag = self.__dict__["_flags"][name]
        flag.default = value
        if not flag.present:
            flag.value = value

    def __call__(self, argv, known_only=False):
        """Parses a command line; what is no flag is returned."""
        flags, rest, position = self.__dict__["_flags"], list(argv[:1]), 1
        while position < len(argv):
            argument = argv[position]
            position += 1
            if argument == "--":
                rest.extend(argv[position:])
                break
            if not argument.startswith("-") or argument == "-":
                rest.append(argument)
                continue
            name, equals, value = argument.lstrip("-").partition("=")
            name = name.replace("-", "_") if name not in flags else name
            negated = name[2:] if name.startswith("no") and name[2:] in flags and flags[name[2:]].boolean else None
            if negated and name not in flags and not equals:
                flags[negated].set("false")
            elif name not in flags:
                if not known_only:
                    raise UnrecognizedFlagError(name, value)
                rest.append(argument)
            elif flags[name].boolean:
                flags[name].set(value if equals else "true")
            else:
                if not equals:
                    if position >= len(argv):
                        raise Error(f"Missing value for flag --{name}")
                    value = argv[position]
                    position += 1
                flags[name].set(value)
        self.__dict__["_parsed"] = True
        for name, flag in flags.items():
            if flag.required and flag.value is None:
                raise IllegalFlagValueError(f"flag --{name}=None: Flag --{name} must have a value other than None.")
            for check, message in flag.validators:
                if not check(flag.value):
                    raise IllegalFlagValueError(f"flag --{name}={flag.value}: {message}")
        return rest


FLAGS = FlagValues()


def _define(parse, name, default, help, flag_values=None, required=False, boolean=False, multiple=False):
    values = FLAGS if flag_values is None else flag_values
    flag = Flag(parse, default, name, help, boolean, multiple)
    flag.required = required
    values[name] = flag
    return FlagHolder(values, flag)


def _boolean(text):
    if isinstance(text, str):
        if text.lower() in ("true", "t", "1", "yes"):
            return True
        if text.lower() in ("false", "f", "0", "no"):
            return False
        raise ValueError("Non-boolean argument to boolean flag")
    return bool(text)


def _range(article, kind, lower, upper):
    """What values are allowed, in words."""
    if lower is not None and upper is not None:
        return f"{article} {kind} in the range [{lower}, {upper}]"
    words = {(1, None): "a positive", (None, -1): "a negative", (0, None): "a non-negative", (None, 0): "a non-positive"}
    if (lower, upper) in words:
        return f"{words[lower, upper]} {kind}"
    return f"{kind} <= {upper}" if lower is None else f"{kind} >= {lower}"


def _bounded(convert, article, kind, lower, upper):
    def parse(text):
        value = convert(text)
        if lower is not None and value < lower or upper is not None and value > upper:
            raise ValueError(f"{value} is not {_range(article, kind, lower, upper)}")
        return value

    return parse


def DEFINE_string(name, default, help, flag_values=None, required=False, **args):
    return _define(str, name, default, help, flag_values, required)


def DEFINE_bool(name, default, help, flag_values=None, module_name=None, required=False, **args):
    return _define(_boolean, name, default, help, flag_values, required, boolean=True)


DEFINE_boolean = DEFINE_bool


def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, required=False, **args):
    parse = _bounded(int, "an", "integer", lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required)


def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, required=False, **args):
    parse = _bounded(float, "a", "number", lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required)


def DEFINE_enum(name, default, enum_values, help, flag_values=None, required=False, case_sensitive=True, **args):
    def parse(text):
        for value in enum_values:
            if value == text or not case_sensitive and value.lower() == text.lower():
                return value
        raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")

    return _define(parse, name, default, help, flag_values, required)


def DEFINE_enum_class(name, default, enum_class, help, flag_values=None, case_sensitive=False, required=False, **args):
    def parse(text):
        for member in enum_class:
            if member.name == text or not case_sensitive and member.name.lower() == text.lower():
                return member
        raise ValueError(f"value should be one of <{'|'.join(member.name for member in enum_class)}>")

    return _define(parse, name, default, help, flag_values, required)


def _comma_separated(text):
    return [part.strip() for part in text.split(",")] if text else []


def DEFINE_list(name, default, help, flag_values=None, required=False, **args):
    return _define(_comma_separated, name, default, help, flag_values, required)


def DEFINE_spaceseplist(name, default, help, comma_compat=False, flag_values=None, required=False, **args):
    return _define(str.split, name, default, help, flag_values, required)


def DEFINE_multi_string(name, default, help, flag_values=None, required=False, **args):
    default = [default] if isinstance(default, str) else default
    return _define(lambda text: [text], name, default, help, flag_values, required, multiple=True)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, required=False,
                         **args):
    parse = _bounded(int, "an", "integer", lower_bound, upper_bound)
    default = [default] if isinstance(default, int) else default
    return _define(lambda text: [parse(text)], name, default, help, flag_values, required, multiple=True)


def mark_flag_as_required(flag_name, flag_values=None):
    """The flag must be given."""
    (FLAGS if flag_values is None else flag_values)[getattr(flag_name, "name", flag_name)].required = True


def mark_flags_as_required(flag_names, flag_values=None):
    """The flags must be given."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=None):
    """The flag's value must please `checker`."""
    name = getattr(flag_name, "name", flag_name)
    (FLAGS if flag_values is None else flag_values)[name].validators.append((checker, message))


def validator(flag_name, message="Flag validation failed", flag_values=None):
    """As `register_validator`, as a decorator."""

    def decorate(checker):
        register_validator(flag_name, checker, message, flag_values)
        return checker

    return decorate
