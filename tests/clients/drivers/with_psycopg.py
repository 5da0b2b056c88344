"""psycopg 2 and 3, and Django over psycopg 3."""
import kinds
import psycopg
import psycopg2
import psycopg2.extras
from psycopg.types.json import Json, Jsonb
from psycopg.types.numeric import Int8

psycopg2.extras.register_uuid()


class Psycopg2:
    """Writes values into the statement: lists of numbers as ARRAY[0.1, 0.2], which is numeric[]."""

    def __init__(self, url):
        self.connection = psycopg2.connect(url)

    def ask(self, sql, arguments):
        values = [psycopg2.extras.Json(v) if k in ("json", "jsonb") else kinds.value(k, v) for k, v in arguments]
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(sql.replace("%", "%%").format(*["%s"] * len(values)), values)
                return cursor.fetchone()[0]
        finally:
            self.connection.rollback()


def psycopg_value(kind, value):
    wrapper = {"json": Json, "jsonb": Jsonb, "bigint": Int8}.get(kind)
    return wrapper(value) if wrapper else kinds.value(kind, value)


class Psycopg:
    """Sends values beside the statement, as text or in binary; a prepared statement from the second time on."""

    def __init__(self, url, binary=False, prepare=None, cursor=psycopg.Cursor):
        # Without prepared statements where a pooler changes the server between transactions.
        self.connection = psycopg.connect(url, prepare_threshold=None if prepare is None else 0, cursor_factory=cursor)
        self.options = {"prepare": prepare} if cursor is psycopg.Cursor else {}
        if cursor is psycopg.Cursor:
            self.options["binary"] = binary
        self.placeholder = "%b" if binary else "%s"

    def ask(self, sql, arguments):
        values = [psycopg_value(*argument) for argument in arguments]
        sql = sql.replace("%", "%%").format(*[self.placeholder] * len(values))
        with self.connection.transaction(force_rollback=True):
            return self.connection.execute(sql, values, **self.options).fetchone()[0]


class Django:
    """A cursor of Django; values of its models go the same way."""

    def __init__(self, url):
        import django
        from django.conf import settings
        fields = psycopg.conninfo.conninfo_to_dict(url)
        settings.configure(DATABASES={"default": {
            "ENGINE": "django.db.backends.postgresql", "NAME": fields["dbname"], "USER": fields["user"],
            "HOST": fields["host"], "PORT": fields["port"]}}, USE_TZ=True)
        django.setup()
        from django.db import connection, transaction
        self.connection, self.transaction = connection, transaction

    def ask(self, sql, arguments):
        values = [Jsonb(v) if k == "json" else psycopg_value(k, v) for k, v in arguments]
        with self.transaction.atomic(), self.connection.cursor() as cursor:
            try:
                cursor.execute(sql.replace("%", "%%").format(*["%s"] * len(values)), values)
                return cursor.fetchone()[0]
            finally:
                self.transaction.set_rollback(True)


DRIVERS = {
    "psycopg2": (Psycopg2, {}, "pooled"),
    "psycopg": (Psycopg, {}, "pooled"),
    "psycopg binary": (Psycopg, {"binary": True}, ""),
    "psycopg prepared": (Psycopg, {"prepare": True}, ""),
    "psycopg client cursor": (Psycopg, {"cursor": psycopg.ClientCursor}, ""),
    "django": (Django, {}, ""),
}
