/**
 * importOpenApi: the operations of an OpenAPI document as definitions of tools.
 *
 * ```ts
 * const { definitions, problems } = await importOpenApi(text, {
 *   include: { tags: ['pets'] },
 *   secrets: { token: 'PETSTORE_TOKEN' },
 * })
 * const pets = apiSource({ definitions, fetch: guardedFetch(), secrets: (name) => env[name] })
 * ```
 * @module
 */
import type { ApiDefinition } from '../api/definition.ts'
import { methods } from '../api/read-endpoint.ts'
import { errorText } from '../execute/render-result.ts'
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { SourceProblem } from '../tools/source.ts'
import { type Documents, openDocuments, parsed } from './documents.ts'
import { chosenBy, type OperationFilter, unmatched } from './filter.ts'
import { createNames, pathName } from './names.ts'
import { definitionOf, type Operation, type OperationContext } from './operation.ts'
import { createSchemas } from './schemas.ts'

export interface ImportOptions {
  /** In front of each name: with `github` the tools are `api_github_…`. */
  readonly prefix?: string
  /** Only operations that every list given here has; default all. */
  readonly include?: OperationFilter
  /** Not those that any list given here has; default none. */
  readonly exclude?: OperationFilter
  /** Where requests go, in place of the document's servers. */
  readonly server?: string
  /** Values of the variables of the document's servers, in place of their defaults. */
  readonly variables?: Readonly<Record<string, string>>
  /** Names of the host's secrets by the names of the document's security schemes; default the same name. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Where the document is from: relative servers and references start there. */
  readonly url?: string
  /** Fetches other documents that this one refers to, a `guardedFetch`; without it none is. */
  readonly fetch?: typeof fetch
  /** Makes OpenAPI 3 of a Swagger 2.0 document, such as `upgrade` of `@scalar/openapi-upgrader`. */
  readonly upgrade?: (document: Record<string, unknown>) => unknown
}

export interface ImportedApi {
  readonly definitions: readonly ApiDefinition[]
  /** One for each operation that no definition can express, and one for a document that cannot be read. */
  readonly problems: readonly SourceProblem[]
}

/**
 * Reads an OpenAPI 3.0 or 3.1 document, as a value, JSON or YAML. Never rejects: what is wrong with the
 * document is a problem, and one operation's problem takes none of the others down.
 */
export async function importOpenApi(
  document: unknown,
  options: ImportOptions = {},
): Promise<ImportedApi> {
  try {
    const { url = '', fetch: send, server, variables = {}, secrets = {} } = options
    const main = await openApi(document, options.upgrade)
    const documents = await openDocuments(main, url, send)
    const schemas = createSchemas(documents)
    const shared = { documents, schemas, document: main, url, variables, secrets }
    return importAll(main, { ...shared, ...(server !== undefined && { server }) }, options)
  } catch (error) {
    return { definitions: [], problems: [{ definition: 'document', message: errorText(error) }] }
  }
}

async function openApi(given: unknown, upgrade: ImportOptions['upgrade']): Promise<SchemaNode> {
  let document = await parsed(given)
  if (isObject(document) && document.swagger !== undefined) {
    if (!upgrade) {
      throw new Error('it is Swagger 2.0: pass the option upgrade, or convert it to OpenAPI 3')
    }
    // It may write into what it is given.
    document = upgrade(structuredClone(document))
  }
  if (!isObject(document) || !/^3\.\d/.test(String(document.openapi))) {
    throw new Error('it is no OpenAPI 3 document: it has no field "openapi" such as "3.1.0"')
  }
  return document
}

function importAll(
  main: SchemaNode,
  context: OperationContext,
  options: ImportOptions,
): ImportedApi {
  const definitions: ApiDefinition[] = []
  const problems: SourceProblem[] = []
  const { operations, broken } = operationsOf(main, context, options.prefix ?? '')
  const chosen = operations.filter((each) => chosenBy(each, options.include, options.exclude))
  for (const operation of chosen) {
    try {
      definitions.push(definitionOf(operation, context))
    } catch (error) {
      problems.push({
        definition: `${operation.method} ${operation.path}`,
        message: errorText(error),
      })
    }
  }
  return { definitions, problems: [...broken, ...problems, ...unmatched(operations, options)] }
}

/** Every operation under a name of its own, which does not depend on what is chosen of them. */
function operationsOf(
  main: SchemaNode,
  { documents, url }: { readonly documents: Documents; readonly url: string },
  prefix: string,
): { operations: Operation[]; broken: SourceProblem[] } {
  const nameOf = createNames(prefix)
  const operations: Operation[] = []
  const broken: SourceProblem[] = []
  for (const [path, item] of Object.entries(Object(main.paths) as SchemaNode)) {
    if (path.startsWith('x-')) continue
    try {
      const { value: pathItem, base } = documents.follow({ value: item, base: url })
      if (!isObject(pathItem)) continue
      for (const [key, given] of Object.entries(pathItem)) {
        const method = key.toUpperCase()
        if (!isObject(given)) continue
        if (/^(options|trace)$/.test(key)) {
          const message = `no tool is made of the method ${method}`
          broken.push({ definition: `${method} ${path}`, message })
        }
        if (!methods.some((each) => each === method)) continue
        const { operationId: id } = given
        const name = nameOf(typeof id === 'string' ? id : '', pathName(method, path))
        const place = { given, base, pathItem, pathBase: base }
        operations.push({ method, path, name, ...place })
      }
    } catch (error) {
      broken.push({ definition: path, message: errorText(error) })
    }
  }
  return { operations, broken }
}
