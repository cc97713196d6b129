/**
 * file_history: what became of the files of the workspace.
 * @module
 */
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { FileChange, Workspace } from '../workspace/workspace.ts'

interface FileHistoryArgs {
  readonly mode?: 'list' | 'read'
  readonly path?: string
  readonly paths?: readonly string[]
  readonly version?: number
  readonly limit?: number
  readonly before?: number
}

const mostChanges = 24

/** Makes file_history over a workspace: changes as a list, or a version with what has changed since. */
export function fileHistoryTool({
  workspace,
}: {
  readonly workspace: Workspace
}): Tool<FileHistoryArgs> {
  return {
    name: 'file_history',
    description:
      'Lists the changes of workspace files, newest first, with the version that each made (mode list), or shows a unified diff from an older version to the current one (mode read). edit_file brings a version back (mode restore).',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: ({ path, paths }) => {
      const named = pathsOf({ path, paths } as FileHistoryArgs)
      return named.length > 0 ? fileResources(named) : fileResources(['/'])
    },
    async execute(args) {
      const mode = args.mode ?? (args.version === undefined ? 'list' : 'read')
      return mode === 'list' ? list(workspace, args) : read(workspace, args)
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: { enum: ['list', 'read'], description: 'Default: read with a version, else list.' },
    path: { type: 'string', minLength: 1, description: 'The file; mode list: default all files.' },
    paths: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: { type: 'string', minLength: 1 },
      description: 'mode list: several files.',
    },
    version: { type: 'integer', minimum: 1, description: 'mode read: from the list.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: mostChanges,
      default: 3,
      description: 'mode list: most changes of each file.',
    },
    before: {
      type: 'integer',
      minimum: 1,
      description: 'mode list: only changes before this version, to page back.',
    },
  },
  additionalProperties: false,
}

function pathsOf({ path, paths = [] }: FileHistoryArgs): string[] {
  return [...(path === undefined ? [] : [path]), ...paths]
}

async function list(workspace: Workspace, args: FileHistoryArgs): Promise<JsonObject | string> {
  if (args.version !== undefined) throw new Error('mode list takes before, not version')
  const { limit = 3, before } = args
  const named = pathsOf(args)
  const asked = named.length > 0 ? named.map((path) => ({ path })) : [{}]
  const options = { limit, ...(before !== undefined && { before }) }
  const found = await Promise.all(asked.map((one) => workspace.history({ ...one, ...options })))
  const changes = found.flat().map(shown)
  return changes.length > 0 ? { changes } : 'no recorded changes'
}

function shown({ path, version, action, bytes, at, origin }: FileChange): JsonObject {
  return {
    path,
    version,
    action,
    bytes,
    changed_at: new Date(at).toISOString(),
    ...(origin?.tool !== undefined && { tool: origin.tool }),
    ...(origin?.runId !== undefined && { run_id: origin.runId }),
  }
}

async function read(workspace: Workspace, args: FileHistoryArgs) {
  const { path, version, paths } = args
  if (path === undefined || version === undefined || paths) {
    throw new Error('mode read needs one path and a version')
  }
  const [then, now] = await Promise.all([workspace.read(path, { version }), workspace.read(path)])
  if (!then)
    throw new Error(`${path}: version ${version} is not kept; mode list has those that are`)
  const head = `${then.path} version ${version}`
  if (then.data || now?.data) {
    const state = now ? `now version ${now.version}` : 'it was removed'
    return `${head}: no text, so there is no diff; ${state}.`
  }
  const { createTwoFilesPatch } = await import('diff')
  const label = now ? `version ${now.version} (now)` : 'removed'
  const diff =
    now?.version === version
      ? 'This is the file as it is now.'
      : createTwoFilesPatch(`version ${version}`, label, then.text, now?.text ?? '')
  return {
    content: [{ type: 'text', text: `${head}\n${diff}` }],
    structuredContent: { path: then.path, version, text: then.text, diff },
  }
}
