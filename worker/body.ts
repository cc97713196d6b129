/**
 * Request bodies, checked against the same JSON Schemas that the OpenAPI document shows.
 * @module
 */

import type { JsonObject } from '../src/index.ts'
import { cfworkerValidator } from '../src/schema/cfworker.ts'
import { type FieldProblem, problemResponse } from './problem.ts'
import { type BodyName, bodySchemas } from './schemas.ts'
import { maxBodyBytes } from './security.ts'

const validator = cfworkerValidator()
const compiled = new Map(
  Object.entries(bodySchemas).map(([name, schema]) => [name, validator.compile(schema, 'author')]),
)

/** The body as an object that fits its schema, or the response that says what is wrong with it. */
export async function readBody(request: Request, name: BodyName): Promise<JsonObject | Response> {
  const text = await readText(request)
  if (text === undefined) return tooLarge()
  let body: unknown
  try {
    body = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    return invalid([{ path: '', message: 'must be JSON' }])
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalid([{ path: '', message: 'must be a JSON object' }])
  }
  // Nothing is coerced: a client's mistake should be seen by the client.
  const checked = compiled.get(name)?.check(frame(body as JsonObject), { coerce: false })
  return checked?.ok ? (body as JsonObject) : invalid(checked?.issues ?? [])
}

export function tooLarge(): Response {
  return problemResponse({
    status: 413,
    code: 'BODY_TOO_LARGE',
    title: 'Body too large',
    detail: `A body may have at most ${maxBodyBytes} bytes.`,
  })
}

function invalid(errors: readonly FieldProblem[]): Response {
  const detail = errors.map(({ path, message }) => `${path || '(body)'}: ${message}`).join('; ')
  return problemResponse({
    status: 400,
    code: 'BAD_BODY',
    title: 'The body does not fit',
    detail: detail.slice(0, 1_000),
    errors,
  })
}

/** Reads at most `maxBodyBytes`, whatever content-length says; `undefined` for more. */
export async function readText(request: Request): Promise<string | undefined> {
  if (!request.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // The rest is read and dropped: a proxy in between would take a body left alone for a crash.
    if (bytes <= maxBodyBytes) text += decoder.decode(chunk, { stream: true })
  }
  return bytes > maxBodyBytes ? undefined : text + decoder.decode()
}

/** The body without what a model wrote: that is judged call by call, whatever it holds. */
function frame(body: JsonObject): JsonObject {
  const { calls, message } = body
  return {
    ...body,
    ...(Array.isArray(calls) && { calls: calls.map(() => ({})) }),
    ...(message !== undefined && { message: null }),
  }
}
