// The names that the examples of docs/guide/typescript.md with a model take from their reader, or from the examples
// before.
declare const pool: import("pg").Pool;
declare const Memory: typeof import("memory-search").Memory;
declare const memory: import("memory-search").Memory;
declare const embeddings: import("@langchain/core/embeddings").Embeddings;
declare const builder: { compile(given: { store: import("@langchain/langgraph-checkpoint").BaseStore }): unknown };
declare const model: import("@ai-sdk/provider").LanguageModelV4;
