// The names that the example of docs/guide/typescript.md takes from its reader, or from the examples before.
declare const pool: import("pg").Pool;
declare const storage: import("@mastra/core/storage").MastraCompositeStore;
declare const embedder: import("@mastra/core/vector").MastraEmbeddingModel<string>;
