// The cases by node-postgres or postgres.js: node node.mjs pg|postgres URL [simple], cases as JSON on stdin, for each
// of them its answer or the error on stdout.
import { readFileSync } from "node:fs";

const [driver, url, way] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(0, "utf8"));

function value([kind, given]) {
  switch (kind) {
    case "bigint": return BigInt(given);
    case "time": case "naive": case "date": return new Date(kind === "time" ? given + "Z" : given);
    // An array is an array to node-postgres: JSON that is a list goes as text.
    case "json": case "jsonb": return Array.isArray(given) ? JSON.stringify(given) : given;
    default: return given;
  }
}
const numbered = (sql, count) =>
  sql.replace(/\{(\d+)\}/g, (_, place) => (Number(place) < count ? `$${Number(place) + 1}` : _)).replaceAll("{{", "{").replaceAll("}}", "}");

async function byPg() {
  const { default: pg } = await import("pg");
  const url_ = new URL(url);
  const client = new pg.Client({ host: decodeURIComponent(url_.hostname), port: Number(url_.port), user: url_.username,
    database: url_.pathname.slice(1) });
  await client.connect();
  const ask = async (sql, values, place) => {
    await client.query("BEGIN");
    try {
      const question = way === "prepared" ? { name: `case ${place}`, text: sql, values } : { text: sql, values };
      return (await client.query({ ...question, rowMode: "array" })).rows[0][0];
    } finally {
      await client.query("ROLLBACK");
    }
  };
  return [ask, () => client.end()];
}

async function byPostgres() {
  const { default: postgres } = await import("postgres");
  const url_ = new URL(url);
  const sql_ = postgres({ host: decodeURIComponent(url_.hostname), port: Number(url_.port), user: url_.username,
    path: `${decodeURIComponent(url_.hostname)}/.s.PGSQL.${url_.port}`, database: url_.pathname.slice(1), max: 1,
    prepare: way === "prepared", onnotice: () => {} });
  const ask = async (sql, values) => {
    const rollback = new Error("rollback");
    let answer;
    await sql_.begin(async (transaction) => {
      answer = Object.values((await transaction.unsafe(sql, values, { prepare: way === "prepared" }))[0])[0];
      throw rollback;
    }).catch((error) => { if (error !== rollback) throw error; });
    return answer;
  };
  return [ask, () => sql_.end()];
}

const [ask, end] = await (driver === "pg" ? byPg() : byPostgres());
const outcomes = [];
for (const [place, { sql, arguments: given }] of cases.entries()) {
  try {
    outcomes.push({ answer: await ask(numbered(sql, given.length), given.map(value), place) });
  } catch (error) {
    outcomes.push({ error: [error.code, error.message, error.hint].filter(Boolean).join(" | ") });
  }
}
await end();
console.log(JSON.stringify(outcomes));
