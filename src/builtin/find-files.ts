/**
 * find_files: what is in the workspace.
 * @module
 */
import wildcardMatch from 'wildcard-match'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources, normalisePath } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'

interface Query {
  readonly dir?: string
  readonly pattern?: string
  readonly file_pattern?: string
  readonly recursive?: boolean
}

interface FindFilesArgs {
  readonly queries: readonly Query[]
  readonly mode?: 'list' | 'glob' | 'search'
  readonly output?: 'files' | 'content'
  readonly multiline?: boolean
  readonly context?: number
  readonly offset?: number
  readonly limit?: number
}

const pageSize = 256

/** Makes find_files over a workspace. Its value is `{ matches, total, errors?, next_offset? }`. */
export function findFilesTool({
  workspace,
}: {
  readonly workspace: Workspace
}): Tool<FindFilesArgs> {
  return {
    name: 'find_files',
    description:
      'Finds files of the workspace: lists directories, finds the paths that match a glob (or hold a text), or searches what is in the files by a regular expression (RE2). Directories end with a slash.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: ({ queries }) => fileResources((queries as unknown as Query[]).map(dirOf)),
    async execute({ queries, mode, offset = 0, limit = pageSize, ...search }) {
      const way = mode ?? (queries.some(({ pattern }) => pattern !== undefined) ? 'glob' : 'list')
      const found = await Promise.all(
        queries.map((query) =>
          way === 'search' ? searched(workspace, query, search) : answer(workspace, query, way),
        ),
      )
      const errors = found.flatMap(({ error }) => (error === undefined ? [] : [error]))
      if (errors.length === queries.length) throw new Error(errors.join('; '))
      const all = [...new Set(found.flatMap(({ matches }) => matches))]
      const matches = all.slice(offset, offset + limit)
      const next = offset + matches.length
      return {
        matches,
        total: all.length,
        ...(errors.length > 0 && { errors }),
        ...(next < all.length && { next_offset: next }),
      } satisfies JsonObject
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    queries: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        properties: {
          dir: { type: 'string', default: '.', description: 'Where to look; "." is the root.' },
          pattern: {
            type: 'string',
            minLength: 1,
            maxLength: 256,
            description:
              'Glob over the path below dir ("**/*.md", "*" stays in one directory), or a text that names hold, capitals or not.',
          },
          file_pattern: {
            type: 'string',
            minLength: 1,
            maxLength: 256,
            default: '**/*',
            description: 'mode search: glob of the files to look into.',
          },
          recursive: {
            type: 'boolean',
            default: false,
            description: 'List what lies deeper too (mode list).',
          },
        },
        additionalProperties: false,
      },
    },
    mode: {
      enum: ['list', 'glob', 'search'],
      description:
        'Default: glob when there is a pattern, else list. search: the pattern is a regular expression (RE2) for the content.',
    },
    output: {
      enum: ['files', 'content'],
      default: 'files',
      description: 'mode search: paths with their number of matching rows, or the rows themselves.',
    },
    multiline: {
      type: 'boolean',
      default: false,
      description:
        'mode search: the expression may match over several rows; "." takes line breaks.',
    },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: 20,
      default: 0,
      description: 'mode search, output content: rows before and behind each match.',
    },
    offset: { type: 'integer', minimum: 0, default: 0, description: 'Matches to skip.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: pageSize,
      description: 'Most files or rows.',
    },
  },
  required: ['queries'],
  additionalProperties: false,
}

function dirOf({ dir = '.' }: Query): string {
  return dir
}

interface Found {
  readonly matches: readonly string[]
  readonly error?: string
}

/** What a directory holds, or why there is nothing to look at. */
async function pathsIn(
  workspace: Workspace,
  query: Query,
): Promise<{ paths: string[]; below: string; error?: string }> {
  const dir = normalisePath(dirOf(query))
  const below = dir === '/' ? '/' : `${dir}/`
  const paths = (await workspace.list(dir)).map(({ path }) => path)
  if (paths.includes(dir)) return { paths, below, error: `${dir} is a file` }
  const missing = paths.length === 0 && dir !== '/'
  return { paths, below, ...(missing && { error: `${dir}: there is no such directory` }) }
}

async function searched(
  workspace: Workspace,
  query: Query,
  options: Pick<FindFilesArgs, 'output' | 'multiline' | 'context'>,
): Promise<Found> {
  const { pattern, file_pattern: files = '**/*' } = query
  if (pattern === undefined) return none('every query needs a pattern when mode is search')
  try {
    const { paths, below, error } = await pathsIn(workspace, query)
    if (error !== undefined) return none(error)
    const fits = matcher(files)
    const { contentSearch } = await import('./content-search.ts')
    const search = contentSearch(pattern, options)
    const matches: string[] = []
    for (const path of paths.filter((each) => fits(each.slice(below.length)))) {
      const file = await workspace.read(path)
      if (file && !file.data) matches.push(...search(path, file.text))
    }
    return { matches }
  } catch (error) {
    return none(error instanceof Error ? error.message : String(error))
  }
}

async function answer(workspace: Workspace, query: Query, mode: 'list' | 'glob'): Promise<Found> {
  try {
    const { paths, below, error } = await pathsIn(workspace, query)
    if (error !== undefined) return none(error)
    if (mode === 'list') return { matches: listed(paths, below, query.recursive ?? false) }
    if (query.pattern === undefined) return none('every query needs a pattern when mode is glob')
    const fits = matcher(query.pattern)
    return { matches: paths.filter((path) => fits(path.slice(below.length))) }
  } catch (error) {
    return none(error instanceof Error ? error.message : String(error))
  }
}

function none(error: string): Found {
  return { matches: [], error }
}

function listed(paths: readonly string[], below: string, recursive: boolean): string[] {
  if (recursive) return [...paths]
  return [
    ...new Set(
      paths.map((path) => {
        const slash = path.indexOf('/', below.length)
        return slash === -1 ? path : path.slice(0, slash + 1)
      }),
    ),
  ]
}

/** A pattern without a wildcard is a text to look for; one without a slash is tried on the bare name. */
function matcher(pattern: string): (path: string) => boolean {
  const name = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  if (!/[*?]/.test(pattern)) {
    const wanted = pattern.toLowerCase()
    const whole = pattern.includes('/')
    return (path) => (whole ? path : name(path)).toLowerCase().includes(wanted)
  }
  const fits = wildcardMatch(pattern.replace(/^\.?\//, ''), { separator: '/' })
  return pattern.includes('/') ? fits : (path) => fits(name(path))
}
