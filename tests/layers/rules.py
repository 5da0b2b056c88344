"""Which part may know which, and what may be otherwise for a reason. CONTRIBUTING.md shows the exceptions."""

from dataclasses import dataclass

# The modules of src/, a layer each, and the layers below that it may name. A layer is named by its path; the longest
# that fits counts, so that store::definition is a layer of its own within store.
LAYERS = {
    "": ("api", "search", "store", "store::definition", "embed", "pg"),
    "api": ("search", "store", "store::definition", "embed", "pg"),
    "search": ("store::definition", "embed", "pg"),
    "store": ("store::definition", "embed", "pg"),
    "store::definition": ("embed", "pg"),
    "embed": ("pg",),
    "pg": (),
}

# The crates, and the crates of this repository that each may depend on.
CRATES = {
    "memory_search": ("memory-search-core", "memory-search-pgformat", "memory-search-embedder"),
    "memory-search-core": (),
    "memory-search-pgformat": ("memory-search-core",),
    "memory-search-embedder": (),
    "memory-search-install-script": (),
}

# These know no PostgreSQL: none of their dependencies begins so. pgrx's writer of SQL, which reads bytes, is no server.
WITHOUT_POSTGRESQL = ("memory-search-core", "memory-search-pgformat", "memory-search-embedder")
OF_POSTGRESQL = ("pgrx", "postgres", "libpq")

# Folders whose code may say unsafe; whoever else must say #![forbid(unsafe_code)] in its lib.rs or main.rs.
UNSAFE_FOLDERS = ("src/pg",)
FORBID_UNSAFE = ("crates/core", "crates/pgformat", "crates/embedder", "crates/install_script")
# The extension denies it and allows it to one module, for Rust's forbid takes no exception.
DENY_UNSAFE = ("src/lib.rs", "pg")

LONGEST_FILE = 600  # lines
WRITTEN_BY_HAND = ("src", "crates", "sql/schema", "tests", "benches", "demo", "pgrx-config")
ENDINGS = (".rs", ".sql", ".sh", ".py", ".spec")


@dataclass(frozen=True)
class Exception_:
    """One thing that may be otherwise: rule is layer, cycle, crate, unsafe or length."""

    rule: str
    where: str  # the file; of a cycle the folder; of a crate its name
    what: str  # the module or crate that is named; of a cycle its members; of unsafe and length nothing
    reason: str


# Empty is best. One that nothing needs any more is an error too.
EXCEPTIONS = (
    Exception_(
        "cycle",
        "src/pg",
        "catalog, shards, store_cache",
        "a store is read, its shards are found and it is kept in turn; the three leave pg for store::definition",
    ),
    Exception_(
        "cycle",
        "src/store",
        "add, context",
        "an entry brings a context with it; a context gets its embedding as an entry does",
    ),
    Exception_(
        "cycle",
        "src/store/doctor",
        "indexes, mod.rs, older, recall, rows, settings",
        "mod.rs defines what a check gives and runs the checks",
    ),
    Exception_(
        "cycle",
        "crates/core/src",
        "bm25, nearby",
        "scoring asks for what neighbours lend, in the loop that both tick in",
    ),
    Exception_("cycle", "crates/core/src", "options, preset", "an option names a preset, a preset sets options"),
    Exception_(
        "cycle",
        "crates/embedder/src",
        "bpe, tokenizer",
        "both read fields of tokenizer.json, one for the other",
    ),
)
