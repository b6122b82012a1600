"""`datetime`: dates, times of a day and the spans between them, in UTC: the host has a clock, and no time zone."""
import functools
import time as _time

__all__ = ["date", "datetime", "timedelta", "timezone", "MINYEAR", "MAXYEAR", "UTC"]

MINYEAR = 1
MAXYEAR = 9999

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MICROSECONDS = {"microseconds": 1, "milliseconds": 1000, "seconds": 10**6, "minutes": 60 * 10**6, "hours": 3600 * 10**6,
                 "days": 86400 * 10**6, "weeks": 7 * 86400 * 10**6}
_DAY = 86400 * 10**6


def _nearest(value):
    """Rounded half to even, as spans are."""
    return round(value)


def _divide(value, by):
    """The nearest integer to a quotient of integers, half to even."""
    quotient, rest = divmod(value, by)
    twice = 2 * rest
    beyond = twice > by if by > 0 else twice < by
    return quotient + 1 if beyond or (twice == by and quotient % 2 == 1) else quotient


@functools.total_ordering
class timedelta:
    """A span of time, to the microsecond."""

    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        given = {"days": days, "seconds": seconds, "microseconds": microseconds, "milliseconds": milliseconds,
                 "minutes": minutes, "hours": hours, "weeks": weeks}
        whole = sum(value * _MICROSECONDS[name] for name, value in given.items() if isinstance(value, int))
        parts = sum(value * _MICROSECONDS[name] for name, value in given.items() if not isinstance(value, int))
        self._all = whole + _nearest(parts)
        if abs(self.days) > 999999999:
            raise OverflowError(f"days={self.days}; must have magnitude <= 999999999")

    @property
    def days(self):
        return self._all // _DAY

    @property
    def seconds(self):
        return self._all % _DAY // 10**6

    @property
    def microseconds(self):
        return self._all % 10**6

    def total_seconds(self):
        return self._all / 10**6

    def _of(value):
        return timedelta(microseconds=value)

    def __add__(self, other):
        return timedelta._of(self._all + other._all) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return timedelta._of(self._all - other._all) if isinstance(other, timedelta) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, int):
            return timedelta._of(self._all * other)
        if isinstance(other, float):
            numerator, denominator = other.as_integer_ratio()
            return timedelta._of(_divide(self._all * numerator, denominator))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._all / other._all
        if isinstance(other, int):
            return timedelta._of(_divide(self._all, other))
        if isinstance(other, float):
            numerator, denominator = other.as_integer_ratio()
            return timedelta._of(_divide(self._all * denominator, numerator))
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._all // other._all
        return timedelta._of(self._all // other) if isinstance(other, int) else NotImplemented

    def __mod__(self, other):
        return timedelta._of(self._all % other._all) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self):
        return timedelta._of(-self._all)

    def __abs__(self):
        return timedelta._of(abs(self._all))

    def __bool__(self):
        return self._all != 0

    def __eq__(self, other):
        return self._all == other._all if isinstance(other, timedelta) else NotImplemented

    def __lt__(self, other):
        return self._all < other._all if isinstance(other, timedelta) else NotImplemented

    def __hash__(self):
        return hash(self._all)

    def __repr__(self):
        parts = [f"{name}={getattr(self, name)}" for name in ("days", "seconds", "microseconds") if getattr(self, name)]
        return f"datetime.timedelta({', '.join(parts) or '0'})"

    def __str__(self):
        minutes, seconds = divmod(self.seconds, 60)
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}:{minutes:02d}:{seconds:02d}"
        if self.days:
            text = f"{self.days} day{'' if abs(self.days) == 1 else 's'}, {text}"
        return text + (f".{self.microseconds:06d}" if self.microseconds else "")


timedelta.resolution = timedelta(microseconds=1)
timedelta.min = timedelta(-999999999)
timedelta.max = timedelta(days=999999999, hours=23, minutes=59, seconds=59, microseconds=999999)


class timezone:
    """A fixed distance from UTC."""

    def __init__(self, offset, name=None):
        self._offset, self._name = offset, name

    def utcoffset(self, dt):
        return self._offset

    def tzname(self, dt):
        if self._name is not None:
            return self._name
        return f"UTC{_offset_text(self._offset)}" if self._offset else "UTC"

    def __eq__(self, other):
        return self._offset == other._offset if isinstance(other, timezone) else NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def __repr__(self):
        if self is timezone.utc:
            return "datetime.timezone.utc"
        return f"datetime.timezone({self._offset!r}{'' if self._name is None else f', {self._name!r}'})"

    def __str__(self):
        return self.tzname(None)


timezone.utc = UTC = timezone(timedelta(0))


def _offset_text(offset):
    sign, offset = ("-", -offset) if offset.days < 0 else ("+", offset)
    minutes, seconds = divmod(offset.seconds, 60)
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")


def _parsed(text):
    """The parts of a moment in ISO 8601, in its extended form: any one letter between day and time."""
    if not text[4:5] == text[7:8] == "-" or len(text) == 11:
        raise ValueError(text)
    day = [int(text[:4]), int(text[5:7]), int(text[8:10])]
    clock, zone = text[11:], None
    if clock.endswith("Z"):
        clock, zone = clock[:-1], timezone.utc
    for sign in "+-":
        if sign in clock:
            clock, offset = clock.split(sign)
            hours, minutes, seconds, _ = _clock(offset)
            zone = timezone(timedelta(hours=hours, minutes=minutes, seconds=seconds) * (1 if sign == "+" else -1))
            zone = timezone.utc if zone == timezone.utc else zone
    return [*day, *(_clock(clock) if clock else (0, 0, 0, 0)), zone]


def _clock(text):
    whole, _, fraction = text.replace(",", ".").partition(".")
    parts = whole.split(":")
    if not all(len(part) == 2 for part in parts) or len(parts) > 3 or fraction and len(parts) != 3:
        raise ValueError(text)
    return (*[int(part) for part in parts], 0, 0)[:3] + (int(fraction[:6].ljust(6, "0")) if fraction else 0,)


def _is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_length(year, month):
    return 29 if month == 2 and _is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _ordinal(year, month, day):
    """The number of a day; 1 is the first of January of the year 1."""
    before = (year - 1) * 365 + (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
    return before + sum(_month_length(year, earlier) for earlier in range(1, month)) + day


def _civil(ordinal):
    """The year, month and day of a number."""
    year = max(1, ordinal // 366)
    while _ordinal(year + 1, 1, 1) <= ordinal:
        year += 1
    month = 1
    while month < 12 and _ordinal(year, month + 1, 1) <= ordinal:
        month += 1
    return year, month, ordinal - _ordinal(year, month, 1) + 1


@functools.total_ordering
class date:
    """A day."""

    def __init__(self, year, month, day):
        self._set_day(year, month, day)

    def _set_day(self, year, month, day):
        if not MINYEAR <= year <= MAXYEAR:
            raise ValueError(f"year {year} is out of range")
        if not 1 <= month <= 12:
            raise ValueError("month must be in 1..12")
        if not 1 <= day <= _month_length(year, month):
            raise ValueError("day is out of range for month")
        self.year, self.month, self.day = year, month, day

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, timestamp):
        return cls.fromordinal(int(timestamp // 86400) + _EPOCH)

    @classmethod
    def fromordinal(cls, n):
        return cls(*_civil(n))

    @classmethod
    def fromisoformat(cls, date_string):
        try:
            year, month, day = (int(part) for part in date_string.split("-"))
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {date_string!r}") from None
        return cls(year, month, day)

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def replace(self, year=None, month=None, day=None):
        return type(self)(year or self.year, month or self.month, day or self.day)

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def strftime(self, format):
        return _strftime(self, format)

    __str__ = isoformat

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"

    def __add__(self, other):
        return type(self).fromordinal(self.toordinal() + other.days) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return type(self).fromordinal(self.toordinal() - other.days)
        return timedelta(self.toordinal() - other.toordinal()) if isinstance(other, date) else NotImplemented

    def __eq__(self, other):
        return self.toordinal() == other.toordinal() if type(other) is date else NotImplemented

    def __lt__(self, other):
        return self.toordinal() < other.toordinal() if type(other) is date else NotImplemented

    def __hash__(self):
        return hash(self.toordinal())


_EPOCH = _ordinal(1970, 1, 1)


@functools.total_ordering
class datetime(date):
    """A moment."""

    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        self._set_day(year, month, day)
        for value, limit, name in ((hour, 24, "hour"), (minute, 60, "minute"), (second, 60, "second")):
            if not 0 <= value < limit:
                raise ValueError(f"{name} must be in 0..{limit - 1}")
        if not 0 <= microsecond < 10**6:
            raise ValueError("microsecond must be in 0..999999")
        self.hour, self.minute, self.second, self.microsecond = hour, minute, second, microsecond
        self.tzinfo, self.fold = tzinfo, fold

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(_time.time())

    today = utcnow

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        offset = tz.utcoffset(None) if tz is not None else timedelta(0)
        return cls._at(_nearest(timestamp * 10**6) + _EPOCH * _DAY + offset._all, tz)

    @classmethod
    def _at(cls, microseconds, tzinfo):
        days, rest = divmod(microseconds, _DAY)
        seconds, microsecond = divmod(rest, 10**6)
        return cls(*_civil(days), seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond, tzinfo)

    @classmethod
    def fromisoformat(cls, date_string):
        try:
            parts = _parsed(date_string)
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {date_string!r}") from None
        return cls(*parts)

    @classmethod
    def combine(cls, date, time, tzinfo=None):
        raise NotImplementedError("datetime.combine is not provided by the workbench")

    @classmethod
    def strptime(cls, date_string, format):
        raise NotImplementedError("datetime.strptime is not provided by the workbench")

    def _local(self):
        seconds = self.hour * 3600 + self.minute * 60 + self.second
        return self.toordinal() * _DAY + seconds * 10**6 + self.microsecond

    def _moment(self):
        offset = self.utcoffset()
        return self._local() - (offset._all if offset is not None else 0)

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(self)

    def tzname(self):
        return None if self.tzinfo is None else self.tzinfo.tzname(self)

    def timestamp(self):
        return (self._moment() - _EPOCH * _DAY) / 10**6

    def astimezone(self, tz=None):
        tz = timezone.utc if tz is None else tz
        return type(self)._at(self._moment() + tz.utcoffset(None)._all, tz)

    def date(self):
        return date(self.year, self.month, self.day)

    def replace(self, **changes):
        names = ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo")
        return type(self)(**{name: getattr(self, name) for name in names} | changes)

    def isoformat(self, sep="T", timespec="auto"):
        text = f"{date.isoformat(self)}{sep}{self.hour:02d}:{self.minute:02d}:{self.second:02d}"
        if timespec == "microseconds" or timespec == "auto" and self.microsecond:
            text += f".{self.microsecond:06d}"
        elif timespec == "milliseconds":
            text += f".{self.microsecond // 1000:03d}"
        offset = self.utcoffset()
        return text if offset is None else text + _offset_text(offset)

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        parts = [self.year, self.month, self.day, self.hour, self.minute]
        if self.second or self.microsecond:
            parts.append(self.second)
        if self.microsecond:
            parts.append(self.microsecond)
        zone = "" if self.tzinfo is None else f", tzinfo={self.tzinfo!r}"
        return f"datetime.datetime({', '.join(map(str, parts))}{zone})"

    def __add__(self, other):
        return type(self)._at(self._local() + other._all, self.tzinfo) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return type(self)._at(self._local() - other._all, self.tzinfo)
        if not isinstance(other, datetime):
            return NotImplemented
        if (self.tzinfo is None) != (other.tzinfo is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        return timedelta(microseconds=self._moment() - other._moment())

    def __eq__(self, other):
        if not isinstance(other, datetime):
            return NotImplemented
        return (self.tzinfo is None) == (other.tzinfo is None) and self._moment() == other._moment()

    def __lt__(self, other):
        if not isinstance(other, datetime):
            return NotImplemented
        if (self.tzinfo is None) != (other.tzinfo is None):
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return self._moment() < other._moment()

    def __hash__(self):
        return hash(self._moment())


_FORMATS = {
    "Y": lambda t: f"{t.year}", "m": lambda t: f"{t.month:02d}", "d": lambda t: f"{t.day:02d}",
    "y": lambda t: f"{t.year % 100:02d}", "b": lambda t: _MONTHS[t.month - 1][:3], "B": lambda t: _MONTHS[t.month - 1],
    "a": lambda t: _DAYS[t.weekday()][:3], "A": lambda t: _DAYS[t.weekday()], "F": lambda t: date.isoformat(t),
    "j": lambda t: f"{t.toordinal() - _ordinal(t.year, 1, 1) + 1:03d}",
    "H": lambda t: f"{getattr(t, 'hour', 0):02d}", "M": lambda t: f"{getattr(t, 'minute', 0):02d}",
    "S": lambda t: f"{getattr(t, 'second', 0):02d}", "f": lambda t: f"{getattr(t, 'microsecond', 0):06d}",
    "I": lambda t: f"{(getattr(t, 'hour', 0) + 11) % 12 + 1:02d}", "p": lambda t: "PM" if getattr(t, "hour", 0) > 11 else "AM",
    "T": lambda t: _strftime(t, "%H:%M:%S"), "Z": lambda t: getattr(t, "tzname", str)() or "",
    "s": lambda t: str(int(t.timestamp())), "%": lambda t: "%",
}


def _strftime(moment, format):
    parts, letters = [], iter(format)
    for letter in letters:
        if letter == "%":
            code = next(letters, "")
            if code not in _FORMATS:
                raise NotImplementedError(f"%{code} in strftime is not provided by the workbench")
            letter = _FORMATS[code](moment)
        parts.append(letter)
    return "".join(parts)
