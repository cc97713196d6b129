/**
 * One operation of a document as a definition.
 * @module
 */
import type { ApiDefinition, ApiMethod } from '../api/definition.ts'
import { readApiDefinition } from '../api/read-definition.ts'
import type { SchemaNode } from '../schema/pointer.ts'
import type { Documents, Place } from './documents.ts'
import { createArguments } from './names.ts'
import { type Reading, readParameters } from './parameters.ts'
import { readBodyInto } from './request-body.ts'
import type { Schemas } from './schemas.ts'
import { authOf } from './security.ts'
import { serverOf } from './servers.ts'
import { smaller } from './smaller.ts'

/** An operation as it stands in its document. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly name: string
  readonly given: SchemaNode
  readonly base: string
  readonly pathItem: SchemaNode
  readonly pathBase: string
}

export interface OperationContext {
  readonly documents: Documents
  readonly schemas: Schemas
  readonly document: SchemaNode
  readonly url: string
  readonly server?: string
  readonly variables: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

const longestDescription = 1_024

/** Throws, with a sentence, for an operation that a definition cannot express. */
export function definitionOf(operation: Operation, context: OperationContext): ApiDefinition {
  const { method, path, given, base, pathItem, pathBase } = operation
  const { documents, schemas, document } = context
  const reading: Reading = {
    documents,
    schemas,
    argument: createArguments(),
    needs: new Set(),
    parameters: {},
    required: [],
  }
  const lists: Place[] = [
    { value: pathItem.parameters, base: pathBase },
    { value: given.parameters, base },
  ]
  readParameters(lists, path.replace(/#.*/, ''), reading)
  const isRead = method === 'GET' || method === 'HEAD'
  const body =
    given.requestBody && !isRead ? readBodyInto({ value: given.requestBody, base }, reading) : {}
  const servers = [given.servers, pathItem.servers, document.servers]
  const server = context.server ?? serverOf(servers, context.variables, context.url)
  // A fragment tells operations apart in a document, and is never sent.
  const url = server.replace(/\/+$/, '') + path.replace(/#.*/, '')
  const security = given.security ?? document.security
  const { securitySchemes: schemes } = Object(document.components)
  const auth = authOf(security, schemes, documents, context.url, context.secrets)
  const $defs = schemas.defsOf(reading.needs)
  const definition: ApiDefinition = {
    name: operation.name,
    description: descriptionOf(operation),
    ...(isRead && { concurrent: true }),
    endpoint: { url, method: method as ApiMethod, ...body },
    ...(auth.length > 0 && { auth }),
    parameters: reading.parameters,
    ...(reading.required.length > 0 && { required: reading.required }),
    ...(Object.keys($defs).length > 0 && { $defs }),
  }
  return fitting(definition)
}

/** Schemas of hundreds of kilobytes lose their depths before an operation is lost. */
function fitting(definition: ApiDefinition): ApiDefinition {
  let problem = ''
  for (const each of smaller(definition)) {
    const read = readApiDefinition(each)
    if (read.ok) return each
    problem = read.problems.join('; ')
    if (!/larger than|alternatives/.test(problem)) break
  }
  throw new Error(problem)
}

function descriptionOf({ given, pathItem, method, path }: Operation): string {
  const own = [given.summary, given.description].filter(
    (text, index, all) => typeof text === 'string' && text.trim() && all.indexOf(text) === index,
  )
  const told = own.length > 0 ? own : [pathItem.summary ?? pathItem.description].filter(Boolean)
  const text = (told.length > 0 ? told : [`${method} ${path}`]).join('\n').trim()
  const whole = given.deprecated === true ? `Deprecated. ${text}` : text
  return whole.length > longestDescription ? `${whole.slice(0, longestDescription - 1)}…` : whole
}
