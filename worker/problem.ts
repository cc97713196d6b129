/**
 * Errors over HTTP: RFC 9457 problem details with the library's codes.
 * @module
 */
import { isDispatchError } from '../src/index.ts'

/** One problem with a body or a parameter. */
export interface FieldProblem {
  /** JSON pointer into the body. */
  readonly path: string
  readonly message: string
}

export interface Problem {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly errors?: readonly FieldProblem[]
  /** What became of each answer that was given. */
  readonly answers?: readonly unknown[]
}

export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const { status, code, title, detail, errors, answers } = problem
  const body = {
    type: `urn:threepass:${code}`,
    title,
    status,
    detail,
    code,
    ...(errors && { errors }),
    ...(answers && { answers }),
  }
  return Response.json(body, {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  })
}

export function notFound(what: string): Response {
  return problemResponse({ status: 404, code: 'NOT_FOUND', title: 'Not found', detail: what })
}

/** A thrown error as a response: the library's own by code, anything else as 500 without its text. */
export function errorResponse(error: unknown): Response {
  if (isDispatchError(error)) {
    const status = statuses[error.code] ?? 500
    const title = status === 500 ? 'Internal error' : 'Request refused'
    return problemResponse({ status, code: error.code, title, detail: error.message })
  }
  console.error(error)
  return problemResponse({
    status: 500,
    code: 'INTERNAL',
    title: 'Internal error',
    detail: 'The request failed for a reason that is not its own.',
  })
}

const statuses: { readonly [code: string]: number } = {
  THREEPASS_BAD_OPTION: 400,
  THREEPASS_BAD_ROUND: 400,
  THREEPASS_ROUND_MISMATCH: 409,
  THREEPASS_STORE_CONFLICT: 409,
  THREEPASS_STORE_FAILED: 503,
}
