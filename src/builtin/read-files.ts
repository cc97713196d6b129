/**
 * read_files: rows of workspace files.
 * @module
 */
import { base64 } from '../execute/text.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { mediaKind } from './media/media-type.ts'

interface FileRequest {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
  readonly around?: readonly number[]
  readonly context?: number
}

const defaultRows = 2_048
const defaultContext = 20
const maxImageBytes = 5_242_880

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
      'Reads files of the workspace, several at once. Each row of a text comes as its number, a tab and its text; PNG, JPEG, GIF and WebP come as images.',
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
        content: [
          { type: 'text', text: parts.map(({ text }) => text).join('\n\n') },
          ...parts.flatMap(({ image }) => image ?? []),
        ],
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
          around: {
            type: 'array',
            minItems: 1,
            maxItems: 50,
            items: { type: 'integer', minimum: 1 },
            description: 'Instead of offset and limit: windows around these rows.',
          },
          context: {
            type: 'integer',
            minimum: 0,
            maximum: 500,
            default: defaultContext,
            description: 'Rows before and behind each row of around.',
          },
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
  readonly image?: JsonObject
}

async function readPart(workspace: Workspace, request: FileRequest): Promise<Part> {
  const { path } = request
  try {
    const file = await workspace.read(path)
    if (!file) return failed(path, 'there is no such file')
    if (file.data) return dataPart(file.path, file.data, file.version)
    if (request.around) return windowsOf(file, request)
    return rowsOf(file.path, file.text, file.version, request)
  } catch (error) {
    return failed(path, error instanceof Error ? error.message : String(error))
  }
}

function failed(path: string, reason: string): Part {
  return { text: `${path}: error: ${reason}`, meta: { path, error: reason } }
}

function dataPart(path: string, data: Uint8Array, version: number): Part {
  const mimeType = mediaKind(data)?.mediaType
  if (!mimeType?.startsWith('image'))
    return failed(path, `it is a binary file of ${data.length} bytes`)
  if (data.length > maxImageBytes) {
    return failed(path, `an image of ${data.length} bytes, at most ${maxImageBytes}`)
  }
  return {
    text: `==> ${path} (version ${version}, ${mimeType}, ${data.length} bytes)`,
    meta: { path, version, mimeType, bytes: data.length },
    image: { type: 'image', data: base64(data), mimeType },
  }
}

/** Windows that meet are one; what lies between others is marked by `...`. */
function windowsOf(
  { path, text, version }: { path: string; text: string; version: number },
  { around = [], context = defaultContext }: FileRequest,
): Part {
  const rows = splitRows(text)
  const wanted = [...around].sort((a, b) => a - b).filter((row) => row <= rows.length)
  if (wanted.length === 0) return failed(path, `none of these rows is there: ${rows.length} rows`)
  const lines: string[] = []
  let last = 0
  for (const row of wanted) {
    const from = Math.max(last + 1, row - context)
    const to = Math.min(rows.length, row + context)
    if (from > last + 1) lines.push('...')
    for (let at = from; at <= to; at += 1) lines.push(`${at}\t${rows[at - 1]}`)
    last = Math.max(last, to)
  }
  if (last < rows.length) lines.push('...')
  const head = `==> ${path} (version ${version}, around ${wanted.join(', ')} of ${rows.length} rows)`
  return { text: [head, ...lines].join('\n'), meta: { path, version, rows: rows.length } }
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
