"""`datetime` and `contextvars`: what programs that measure kernels write down."""
import contextvars
import datetime

span = datetime.timedelta(days=1, hours=2, milliseconds=3.5)
print(span, repr(span), span.total_seconds(), span.days, span.seconds, span.microseconds)
print(span / datetime.timedelta(milliseconds=1), span // datetime.timedelta(hours=1), span % datetime.timedelta(hours=1))
print(span / 3, span * 2, -span, abs(-span), span * 0.1, span / 0.7, 2 * span - span)
print(datetime.timedelta(microseconds=1.5), datetime.timedelta(0), repr(datetime.timedelta(0)), bool(datetime.timedelta(0)))
print(sorted([datetime.timedelta(2), datetime.timedelta(1)]), datetime.timedelta(seconds=-1))
print(sum([span, span], datetime.timedelta()))

moment = datetime.datetime(2026, 2, 28, 23, 59, 59, 250000)
print(moment, repr(moment), moment + datetime.timedelta(seconds=1), moment - span)
print(moment.isoformat(timespec="milliseconds"), moment.strftime("%Y%m%d_%H%M%S.%f %a %b %j %I%p"))
print(f"{moment:%d.%m.%y}", moment.date(), moment.weekday(), moment.replace(year=2024) + datetime.timedelta(1))
aware = datetime.datetime.fromtimestamp(1_700_000_000.25, datetime.timezone.utc)
print(aware, aware.timestamp(), aware.tzname(), aware - datetime.datetime(2023, 1, 1, tzinfo=datetime.timezone.utc))
india = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
print(aware.astimezone(india), aware == aware.astimezone(india), repr(india), india)
print(datetime.date(2024, 2, 29) - datetime.date(2023, 2, 28), datetime.date.fromordinal(738000), datetime.date(1, 1, 1).toordinal())
print(datetime.date.fromisoformat("2024-12-31") + datetime.timedelta(days=1), datetime.date(2024, 3, 1).isoweekday())
for wrong in (lambda: datetime.date(2023, 2, 29), lambda: aware - moment, lambda: aware < moment):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)

depth: contextvars.ContextVar[int] = contextvars.ContextVar("depth", default=0)
label = contextvars.ContextVar("label")
print(depth.name, depth.get(), depth.get(5), label.get("none"))
token = depth.set(1)
print(depth.get(), token.old_value is contextvars.Token.MISSING, token.var is depth)
copied = contextvars.copy_context()


def inside():
    depth.set(depth.get() + 10)
    return depth.get()


print(copied.run(inside), depth.get(), copied[depth], depth in copied, label in copied)
depth.reset(token)
print(depth.get())
for wrong in (lambda: depth.reset(token), label.get, lambda: label.reset(depth.set(3))):
    try:
        wrong()
    except (RuntimeError, LookupError, ValueError) as error:
        print(type(error).__name__)

# Moments from their text, in ISO 8601.
import datetime

for text in ["2024-01-02", "2024-01-02T03:04", "2024-01-02 03:04:05.123", "2024-01-02T03:04:05.123456-05:30", "2024-01-02T03:04:05Z",
             "2024-01-02T03", "2024-01-02T03:04:05+00:00", "2024-01-02T3:04", "hello", "2024-01-02T", "2024-13-02T03:04:05"]:
  try:
    print(repr(datetime.datetime.fromisoformat(text)))
  except ValueError as error:
    print(error)
since = datetime.datetime(2024, 1, 6, tzinfo=datetime.timezone.utc) - datetime.timedelta(days=3)
print(datetime.datetime.fromisoformat("2024-01-02T03:04:05Z".replace("Z", "+00:00")) >= since)
