"""The parts that each part may name, and the exceptions with their reasons. CONTRIBUTING.md shows the exceptions."""

from dataclasses import dataclass

# The rooms of src/store, from the top down.
STORE = (
    "store",
    "store::doctor",
    "store::adopted",
    "store::schema",
    "store::rights",
    "store::transfer",
    "store::lifecycle",
    "store::writing",
    "store::reading",
    "store::links",
    "store::links::following",
    "store::recording",
    "store::statements",
    "store::predicate",
    "store::definition",
)

# The modules of src/, a layer each, and the layers below that it may name. A layer is named by its path; the longest
# that fits counts, so that store::definition is a layer of its own within store.
LAYERS = {
    "": ("api", "search", "index", *STORE, "embed", "pg"),
    "api": ("search", "index", *STORE, "embed", "pg"),
    "search": ("index", "store::links::following", "store::predicate", "store::definition", "embed", "pg"),
    "index": ("pg",),
    "store": (),
    "store::doctor": (
        "store::adopted",
        "store::schema",
        "store::writing",
        "store::recording",
        "store::predicate",
        "store::definition",
        "embed",
        "pg",
    ),
    "store::adopted": ("store::schema", "store::writing", "store::definition", "pg"),
    "store::schema": ("store::rights", "store::recording", "store::definition", "embed", "pg"),
    "store::rights": ("store::recording", "store::definition", "pg"),
    "store::transfer": ("store::writing", "store::reading", "store::links", "store::definition", "pg"),
    "store::lifecycle": (
        "store::reading",
        "store::links",
        "store::recording",
        "store::statements",
        "store::predicate",
        "store::definition",
        "pg",
    ),
    "store::writing": ("store::statements", "store::predicate", "store::definition", "embed", "pg"),
    "store::reading": ("store::recording", "store::statements", "store::predicate", "store::definition", "pg"),
    "store::links": (
        "store::links::following",
        "store::statements",
        "store::predicate",
        "store::definition",
        "pg",
    ),
    "store::links::following": ("store::predicate", "store::definition", "pg"),
    "store::recording": ("store::definition", "pg"),
    "store::statements": ("store::predicate", "store::definition", "pg"),
    "store::predicate": ("store::definition", "pg"),
    "store::definition": ("embed", "pg"),
    "embed": ("pg",),
    "pg": (),
}

# Folders that hold their own file and folders, and no file beside: each folder is a room with one purpose.
ONLY_ROOMS = ("src/store",)

# The crates, and the crates of this repository that each may depend on.
CRATES = {
    "memory_search": (
        "memory-search-core",
        "memory-search-analyzer",
        "memory-search-pgformat",
        "memory-search-index",
        "memory-search-embedder",
    ),
    "memory-search-core": ("memory-search-analyzer",),
    "memory-search-pgformat": ("memory-search-core",),
    "memory-search-index": ("memory-search-core",),
    "memory-search-analyzer": (),
    "memory-search-embedder": ("memory-search-tiles",),
    "memory-search-tiles": (),
    "memory-search-install-script": (),
    "memory-search-client": ("memory-search-core",),
    "memory-search-explore": ("memory-search-client", "memory-search-core"),
    "memory-search-metrics": ("memory-search-client",),
    "memory-search-watch": ("memory-search-metrics", "memory-search-client"),
    "memory-search-mcp": (
        "memory-search-explore",
        "memory-search-watch",
        "memory-search-metrics",
        "memory-search-client",
        "memory-search-core",
    ),
}

# These know no PostgreSQL: none of their dependencies begins so. pgrx's writer of SQL, which reads bytes, is no server.
WITHOUT_POSTGRESQL = (
    "memory-search-core",
    "memory-search-analyzer",
    "memory-search-pgformat",
    "memory-search-index",
    "memory-search-embedder",
    "memory-search-tiles",
)
OF_POSTGRESQL = ("pgrx", "postgres", "libpq")

# Folders and files whose code may say unsafe; a crate without any must say #![forbid(unsafe_code)] in its lib.rs or
# main.rs.
MAY_BE_UNSAFE = (
    "src/index",
    "src/pg",
    "crates/index/src/quantization/simd.rs",
    "crates/index/src/quantization/simd",
    "crates/tiles/src/amx",
)
FORBID_UNSAFE = (
    "crates/core",
    "crates/analyzer",
    "crates/pgformat",
    "crates/embedder",
    "crates/install_script",
    "crates/client",
    "crates/explore",
    "crates/metrics",
    "crates/watch",
    "crates/mcp",
)
# These deny it, and allow it to the modules that are named, each where it is declared: Rust's forbid takes no exception.
DENY_UNSAFE = {
    "src/lib.rs": {"src/lib.rs": ("index", "pg")},
    "crates/index/src/lib.rs": {"crates/index/src/quantization/mod.rs": ("simd",)},
    "crates/tiles/src/lib.rs": {"crates/tiles/src/lib.rs": ("amx",)},
}

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
EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        "cycle",
        "crates/index/src",
        "blob, tree",
        "tests of each check the other",
    ),
)
