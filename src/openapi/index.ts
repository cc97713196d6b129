/**
 * threepass/openapi: OpenAPI documents as definitions for `apiSource` of threepass/api.
 * @module
 */
export type { OperationFilter } from './filter.ts'
export { type ImportedApi, type ImportOptions, importOpenApi } from './import.ts'
