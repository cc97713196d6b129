/**
 * Which operations of a document become tools.
 * @module
 */
import type { SourceProblem } from '../tools/source.ts'
import type { Operation } from './operation.ts'

export interface OperationFilter {
  readonly tags?: readonly string[]
  /** By `operationId`, or as `GET /pets/{id}`. */
  readonly operations?: readonly string[]
  /** `GET`, `POST`, … */
  readonly methods?: readonly string[]
}

export function chosenBy(
  operation: Operation,
  include: OperationFilter = {},
  exclude: OperationFilter = {},
): boolean {
  return matches(operation, include).every(Boolean) && !matches(operation, exclude).some(Boolean)
}

/** One answer for each list that there is. */
function matches(operation: Operation, { tags, operations, methods }: OperationFilter): boolean[] {
  const own = Array.isArray(operation.given.tags) ? operation.given.tags : []
  return [
    ...(tags ? [tags.some((tag) => own.includes(tag))] : []),
    ...(operations ? [operations.some((each) => isCalled(operation, each))] : []),
    ...(methods ? [methods.some((method) => method.toUpperCase() === operation.method)] : []),
  ]
}

function isCalled({ given, method, path }: Operation, name: string): boolean {
  return name === given.operationId || name === `${method} ${path}`
}

/** A filter that names what there is not is a slip of the pen. */
export function unmatched(
  operations: readonly Operation[],
  { include, exclude }: { readonly include?: OperationFilter; readonly exclude?: OperationFilter },
): SourceProblem[] {
  const named = [...(include?.operations ?? []), ...(exclude?.operations ?? [])]
  return named
    .filter((name) => !operations.some((operation) => isCalled(operation, name)))
    .map((name) => ({ definition: name, message: 'the document has no such operation' }))
}
