/**
 * read_files: rows of workspace files.
 * @module
 */
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'

interface FileRequest {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
}

const defaultRows = 2_048

/**
 * Makes read_files over a workspace. A file that cannot be read is reported in its place; the call
 * fails only when none could.
 */
export function readFilesTool({
  workspace,
}: {
  readonly workspace: Workspace
}): Tool<{ files: FileRequest[] }> {
  return {
    name: 'read_files',
    description:
      'Reads text files of the workspace, several at once. Each row comes as its number, a tab and its text.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: ({ files }) =>
      fileResources((files as unknown as FileRequest[]).map(({ path }) => path)),
    async execute({ files }) {
      const parts = await Promise.all(files.map((file) => readPart(workspace, file)))
      if (parts.every(({ meta }) => 'error' in meta)) {
        throw new Error(parts.map(({ text }) => text).join('; '))
      }
      return {
        content: [{ type: 'text', text: parts.map(({ text }) => text).join('\n\n') }],
        structuredContent: { files: parts.map(({ meta }) => meta) },
      }
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    files: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, description: 'Path in the workspace.' },
          offset: { type: 'integer', minimum: 1, default: 1, description: 'First row.' },
          limit: { type: 'integer', minimum: 1, default: defaultRows, description: 'Most rows.' },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
  },
  required: ['files'],
  additionalProperties: false,
}

interface Part {
  readonly text: string
  /** `{ path, version, rows, from, to }` or `{ path, error }`. */
  readonly meta: JsonObject
}

async function readPart(workspace: Workspace, request: FileRequest): Promise<Part> {
  const { path } = request
  try {
    const file = await workspace.read(path)
    if (!file) return failed(path, 'there is no such file')
    return rowsOf(file.path, file.text, file.version, request)
  } catch (error) {
    return failed(path, error instanceof Error ? error.message : String(error))
  }
}

function failed(path: string, reason: string): Part {
  return { text: `${path}: error: ${reason}`, meta: { path, error: reason } }
}

function rowsOf(
  path: string,
  text: string,
  version: number,
  { offset = 1, limit = defaultRows }: FileRequest,
): Part {
  const rows = splitRows(text)
  if (rows.length === 0) {
    return { text: `${path} is empty`, meta: { path, version, rows: 0, from: 1, to: 0 } }
  }
  if (offset > rows.length) {
    return failed(path, `offset ${offset} is past the end: ${rows.length} rows`)
  }
  const to = Math.min(rows.length, offset - 1 + limit)
  const numbered = rows.slice(offset - 1, to).map((row, index) => `${offset + index}\t${row}`)
  const more = to < rows.length ? [`[${rows.length - to} rows follow: offset ${to + 1}]`] : []
  const head = `==> ${path} (version ${version}, rows ${offset}-${to} of ${rows.length})`
  return {
    text: [head, ...numbered, ...more].join('\n'),
    meta: { path, version, rows: rows.length, from: offset, to },
  }
}

/** A last newline ends a row and opens none. */
function splitRows(text: string): string[] {
  const rows = text.split(/\r?\n/)
  if (rows.at(-1) === '') rows.pop()
  return rows
}
