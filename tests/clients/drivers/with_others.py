"""asyncpg, pg8000, and SQLAlchemy over four drivers."""
import asyncio
import json
import urllib.parse

import asyncpg
import kinds
import pg8000.native
import sqlalchemy
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import create_async_engine


class Asyncpg:
    """Asks the server for the types of arguments, and sends all in binary. A JSON value is a text to it, or with a
    codec any value that JSON has."""

    def __init__(self, url, codec=False, **options):
        self.loop = asyncio.new_event_loop()
        self.codec = codec
        self.connection = self.loop.run_until_complete(asyncpg.connect(url, **options))
        if codec:
            self.loop.run_until_complete(self.connection.set_type_codec(
                "jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"))

    def ask(self, sql, arguments):
        values = [v if self.codec and k in ("json", "jsonb") else kinds.value(k, v) for k, v in arguments]
        return self.loop.run_until_complete(self.fetch(sql.format(*[f"${n}" for n in range(1, len(values) + 1)]), values))

    async def fetch(self, sql, values):
        transaction = self.connection.transaction()
        await transaction.start()
        try:
            return await self.connection.fetchval(sql, *values)
        finally:
            await transaction.rollback()


class Pg8000:
    """Tells the server the type that it has chosen for a value; dicts and lists of JSON are json."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        host = urllib.parse.unquote(parts.hostname)
        socket = {"unix_sock": f"{host}/.s.PGSQL.{parts.port}"}
        self.connection = pg8000.native.Connection(parts.username, database=parts.path[1:], **socket)

    def ask(self, sql, arguments):
        values = {f"a{n}": v if k in ("json", "jsonb") and isinstance(v, dict) else kinds.value(k, v)
                  for n, (k, v) in enumerate(arguments)}
        self.connection.run("START TRANSACTION")
        try:
            # A colon begins a placeholder, except in a cast.
            return self.connection.run(sql.format(*[f":{name}" for name in values]), **values)[0][0]
        finally:
            self.connection.run("ROLLBACK")


# SQLAlchemy writes the type beside a placeholder: $1::VARCHAR, $2::JSON, $3::BIGINT, $4::FLOAT[].
TYPES = {
    "bigint": sqlalchemy.BigInteger(), "json": sqlalchemy.JSON(none_as_null=True),
    "jsonb": JSONB(none_as_null=True),
    "floats": sqlalchemy.ARRAY(sqlalchemy.Float), "ints": sqlalchemy.ARRAY(sqlalchemy.Integer),
    "decimals": sqlalchemy.ARRAY(sqlalchemy.Numeric), "texts": sqlalchemy.ARRAY(sqlalchemy.String),
    "uuids": sqlalchemy.ARRAY(sqlalchemy.Uuid), "time": sqlalchemy.DateTime(timezone=True),
}


def statement(sql, arguments):
    names = [f"a{n}" for n in range(len(arguments))]
    text = sqlalchemy.text(sql.replace("::", "\\:\\:").format(*[f":{name}" for name in names]))
    bound = []
    for name, (kind, value) in zip(names, arguments):
        given = value if kind in ("json", "jsonb") else kinds.value(kind, value)
        bound.append(sqlalchemy.bindparam(name, given, TYPES.get(kind)))
    return text.bindparams(*bound)


class SqlAlchemy:
    def __init__(self, url, driver):
        parts = urllib.parse.urlsplit(url)
        host, port = urllib.parse.unquote(parts.hostname), parts.port
        query = {"pg8000": {"unix_sock": f"{host}/.s.PGSQL.{port}"}}.get(driver, {"host": host, "port": str(port)})
        self.engine = sqlalchemy.create_engine(
            sqlalchemy.URL.create(f"postgresql+{driver}", parts.username, database=parts.path[1:], query=query))

    def ask(self, sql, arguments):
        with self.engine.connect() as connection:
            return connection.execute(statement(sql, arguments)).scalar()


class AsyncSqlAlchemy(SqlAlchemy):
    def __init__(self, url):
        self.loop = asyncio.new_event_loop()
        parts = urllib.parse.urlsplit(url)
        self.engine = create_async_engine(sqlalchemy.URL.create(
            "postgresql+asyncpg", parts.username, database=parts.path[1:],
            query={"host": urllib.parse.unquote(parts.hostname), "port": str(parts.port)}))

    def ask(self, sql, arguments):
        return self.loop.run_until_complete(self.execute(statement(sql, arguments)))

    async def execute(self, asked):
        async with self.engine.connect() as connection:
            return (await connection.execute(asked)).scalar()


DRIVERS = {
    "asyncpg": (Asyncpg, {}, ""),
    "asyncpg jsonb codec": (Asyncpg, {"codec": True}, ""),
    "asyncpg no cache": (Asyncpg, {"statement_cache_size": 0}, "pooled only"),
    "pg8000": (Pg8000, {}, "pooled"),
    "sqlalchemy psycopg2": (SqlAlchemy, {"driver": "psycopg2"}, ""),
    "sqlalchemy psycopg": (SqlAlchemy, {"driver": "psycopg"}, ""),
    "sqlalchemy pg8000": (SqlAlchemy, {"driver": "pg8000"}, ""),
    "sqlalchemy asyncpg": (AsyncSqlAlchemy, {}, ""),
}
