// The parts of @mastra/core that the adapter uses. The package has more than a hundred megabytes, so a build of this
// one does not need it; tests/run_mastra.sh compiles the adapter against the package itself.
declare module "@mastra/core/vector" {
  type Filter = Record<string, any> | null | undefined;
  type Metric = "cosine" | "euclidean" | "dotproduct";
  interface Sparse { indices: number[]; values: number[] }

  export interface CreateIndexParams { indexName: string; dimension: number; metric?: Metric }
  export interface DescribeIndexParams { indexName: string }
  export interface DeleteIndexParams { indexName: string }
  export interface DeleteVectorParams { indexName: string; id: string }
  export interface DeleteVectorsParams { indexName: string; ids?: string[]; filter?: Filter }
  export interface IndexStats { dimension: number; count: number; metric?: Metric }
  export interface QueryResult { id: string; score: number; metadata?: Record<string, any>; vector?: number[] }
  export interface QueryVectorParams {
    indexName: string; queryVector?: number[]; topK?: number; filter?: Filter; includeVector?: boolean;
    sparseVector?: Sparse;
  }
  export interface UpsertVectorParams {
    indexName: string; vectors: number[][]; metadata?: Record<string, any>[]; ids?: string[];
    sparseVectors?: Sparse[]; deleteFilter?: Filter;
  }
  export interface UpdateVectorParams {
    indexName: string; id?: string; filter?: Filter; update: { vector?: number[]; metadata?: Record<string, any> };
  }

  export abstract class MastraVector {
    id: string;
    constructor(given: { id: string });
    abstract createIndex(params: CreateIndexParams): Promise<void>;
    abstract listIndexes(): Promise<string[]>;
    abstract describeIndex(params: DescribeIndexParams): Promise<IndexStats>;
    abstract deleteIndex(params: DeleteIndexParams): Promise<void>;
    abstract upsert(params: UpsertVectorParams): Promise<string[]>;
    abstract query(params: QueryVectorParams): Promise<QueryResult[]>;
    abstract updateVector(params: UpdateVectorParams): Promise<void>;
    abstract deleteVector(params: DeleteVectorParams): Promise<void>;
    abstract deleteVectors(params: DeleteVectorsParams): Promise<void>;
  }
}
