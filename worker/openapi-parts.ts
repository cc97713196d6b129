/**
 * Pieces of the OpenAPI document.
 * @module
 */

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly unknown[]
  readonly requestBody?: unknown
  readonly responses: { readonly [status: string]: unknown }
  readonly security?: readonly unknown[]
}

export function query(
  name: string,
  description: string,
  schema: object = { type: 'string' },
): unknown {
  return { name, in: 'query', required: false, schema, description }
}

export function body(schema: object): unknown {
  return { required: true, content: { 'application/json': { schema } } }
}

export function json(description: string, schema: object = { type: 'object' }): unknown {
  return { description, content: { 'application/json': { schema } } }
}

export function problemOf(description: string): unknown {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description, content: { 'application/problem+json': { schema } } }
}

export const refused = {
  '400': problemOf('The request is not right; `errors` names each place.'),
  '401': problemOf('No bearer token, or a wrong one.'),
}
export const eventStream = { 'text/event-stream': { schema: { type: 'string' } } }
