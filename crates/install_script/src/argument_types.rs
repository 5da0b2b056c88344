//! The types of arguments that accept the types that drivers send: each has the layout of a PostgreSQL type, and is
//! made from others by implicit casts. A function with such arguments calls the C function that reads the type with
//! that layout (ADR-0030).

/// A type of arguments.
pub struct ArgumentType {
    /// The type with the same layout, by its name in `pg_catalog`. Its own name is that with `memory_` before it.
    like: &'static str,
    /// The script's spellings of the arguments that use it.
    spelled: &'static [&'static str],
    /// That type's category. In the same category as the type in the other overload, it never makes a literal
    /// ambiguous.
    category: char,
    input: &'static str,
    input_arguments: &'static str,
    output: &'static str,
    volatility: &'static str,
    /// Types with the same layout.
    same: &'static [&'static str],
    /// Types converted by a function of `pg_catalog`, which has the name of its result type.
    converted: &'static [&'static str],
    /// Types read from their text.
    read: &'static [&'static str],
    /// The purpose of the type.
    comment: &'static str,
}

const CSTRING: &str = "pg_catalog.cstring";

/// All argument types.
pub const ARGUMENT_TYPES: &[ArgumentType] = &[
    ArgumentType {
        like: "text",
        spelled: &["TEXT"],
        category: 'S',
        input: "textin",
        input_arguments: CSTRING,
        output: "textout",
        volatility: "IMMUTABLE",
        same: &["text", "varchar"],
        converted: &["bpchar", "name"],
        read: &["uuid", "int2", "int4", "int8"],
        comment: "An id argument: pass text, a uuid or a whole number",
    },
    ArgumentType {
        like: "jsonb",
        spelled: &["jsonb"],
        category: 'U',
        input: "jsonb_in",
        input_arguments: CSTRING,
        output: "jsonb_out",
        volatility: "IMMUTABLE",
        same: &["jsonb"],
        converted: &[],
        read: &["json", "text", "varchar"],
        comment: "A JSON argument: pass jsonb, json or text",
    },
    ArgumentType {
        like: "int4",
        spelled: &["INT"],
        category: 'N',
        input: "int4in",
        input_arguments: CSTRING,
        output: "int4out",
        volatility: "IMMUTABLE",
        same: &["int4"],
        converted: &["int2"],
        read: &["int8", "numeric", "float4", "float8", "text", "varchar"],
        comment: "A whole number: pass an integer of any size, a number without a fraction, or text",
    },
    ArgumentType {
        like: "uuid",
        spelled: &["uuid", "uuid[]"],
        category: 'U',
        input: "uuid_in",
        input_arguments: CSTRING,
        output: "uuid_out",
        volatility: "IMMUTABLE",
        same: &["uuid"],
        converted: &[],
        read: &["text", "varchar"],
        comment: "An id of an entry or context: pass a uuid or text",
    },
    ArgumentType {
        like: "timestamptz",
        spelled: &["timestamp with time zone"],
        category: 'D',
        input: "timestamptz_in",
        input_arguments: "pg_catalog.cstring, pg_catalog.oid, pg_catalog.int4",
        output: "timestamptz_out",
        volatility: "STABLE",
        same: &["timestamptz"],
        converted: &["timestamp", "date"],
        read: &["text", "varchar"],
        comment: "A time: pass a timestamp with or without time zone, a date or text",
    },
];

/// The name of the type that accepts more than `spelled` does, if there is one.
pub fn wider(spelled: &str) -> Option<String> {
    let found = ARGUMENT_TYPES.iter().find(|type_| type_.spelled.contains(&spelled))?;
    let array = if spelled.ends_with("[]") { "[]" } else { "" };
    Some(format!("{}{array}", found.name()))
}

/// The SQL that makes all of them.
pub fn sql() -> String {
    let types: String = ARGUMENT_TYPES.iter().map(ArgumentType::sql).collect();
    format!("\n-- The types of arguments that take what drivers send (ADR-0030).\n{types}")
}

impl ArgumentType {
    fn name(&self) -> String {
        format!("@extschema@.memory_{}", self.like)
    }

    fn sql(&self) -> String {
        let Self { like, category, input, input_arguments, output, volatility, comment, .. } = self;
        let name = self.name();
        let mut sql = format!(
            "CREATE TYPE {name};
CREATE FUNCTION {name}_in({input_arguments})
  RETURNS {name} LANGUAGE internal {volatility} STRICT PARALLEL SAFE AS '{input}';
CREATE FUNCTION {name}_out({name})
  RETURNS pg_catalog.cstring LANGUAGE internal {volatility} STRICT PARALLEL SAFE AS '{output}';
CREATE TYPE {name} (
  INPUT = {name}_in, OUTPUT = {name}_out,
  LIKE = pg_catalog.{like}, CATEGORY = '{category}', PREFERRED = false
);
COMMENT ON TYPE {name} IS
  '{comment}';
COMMENT ON FUNCTION {name}_in({input_arguments}) IS
  'Input function of memory_{like}: that of {like}';
COMMENT ON FUNCTION {name}_out({name}) IS
  'Output function of memory_{like}: that of {like}';
"
        );
        for source in self.same {
            sql += &self.cast(source, "WITHOUT FUNCTION");
        }
        for source in self.converted {
            sql += &self.cast(source, &format!("WITH FUNCTION pg_catalog.{like}(pg_catalog.{source})"));
        }
        for source in self.read {
            sql += &self.cast(source, "WITH INOUT");
        }
        sql
    }

    fn cast(&self, source: &str, how: &str) -> String {
        let name = self.name();
        format!(
            "CREATE CAST (pg_catalog.{source} AS {name})
  {how} AS IMPLICIT;
COMMENT ON CAST (pg_catalog.{source} AS {name}) IS
  'Lets an argument of type memory_{} take {source}';
",
            self.like
        )
    }
}
