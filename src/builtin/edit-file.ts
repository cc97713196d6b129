/**
 * edit_file: writes, patches and removes files of the workspace.
 * @module
 */
import { byteLength } from '../execute/text.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { ChangeOrigin, Workspace } from '../workspace/workspace.ts'
import { type PatchTarget, patchText } from './patch.ts'

interface EditFileArgs {
  readonly mode: 'write' | 'patch' | 'remove' | 'restore'
  readonly path: string
  readonly content?: string
  readonly targets?: readonly PatchTarget[]
  readonly version?: number
}

const maxFileBytes = 1_048_576

/**
 * Makes edit_file over a workspace. It asks a person (for `remove` and `restore` whatever the allow rules say). A patch
 * is all or nothing: each anchor must be found, once unless `replace_all`, and none may overlap another.
 */
export function editFileTool({ workspace }: { readonly workspace: Workspace }): Tool<EditFileArgs> {
  return {
    name: 'edit_file',
    description:
      'Changes one file of the workspace. mode write: the whole content, also of a new file. mode patch: replaces exact pieces of text, all of them or none. mode remove: deletes the file. mode restore: brings a version of file_history back.',
    inputSchema,
    confirm: ({ mode }) => (mode === 'remove' || mode === 'restore' ? 'always' : true),
    reads: () => [],
    writes: ({ path }) => fileResources([path]),
    async execute(args, { runId, callId }) {
      return modes[args.mode]({ ...args, workspace, origin: { tool: 'edit_file', runId, callId } })
    },
  }
}

interface Edit extends EditFileArgs {
  readonly workspace: Workspace
  readonly origin: ChangeOrigin
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: { enum: ['write', 'patch', 'remove', 'restore'] },
    path: { type: 'string', minLength: 1, description: 'Path in the workspace.' },
    content: { type: 'string', description: 'mode write: the whole new text.' },
    targets: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'mode patch: the replacements, all looked up in the file as it is now.',
      items: {
        type: 'object',
        properties: {
          old_string: {
            type: 'string',
            minLength: 1,
            description: 'Exact text in the file, with enough around it to be found only once.',
          },
          new_string: { type: 'string', description: 'What replaces it; may be empty.' },
          replace_all: { type: 'boolean', default: false, description: 'Replace every place.' },
        },
        required: ['old_string', 'new_string'],
        additionalProperties: false,
      },
    },
    version: {
      type: 'integer',
      minimum: 0,
      description:
        'mode restore: the version to bring back. Else the version that you have read (0: there is no file yet); the call fails when the file has changed since.',
    },
  },
  required: ['mode', 'path'],
  additionalProperties: false,
}

const modes: { readonly [Mode in EditFileArgs['mode']]: (edit: Edit) => Promise<JsonObject> } = {
  async write(edit) {
    if (edit.content === undefined) throw new Error('mode write needs content')
    if (edit.targets) throw new Error('mode write takes content, not targets')
    return save(edit, edit.content, edit.version)
  },
  async patch(edit) {
    const { workspace, path, content, targets, version } = edit
    if (!targets) throw new Error('mode patch needs targets')
    if (content !== undefined) throw new Error('mode patch takes targets, not content')
    const file = await workspace.read(path)
    if (!file) throw new Error(`${path}: there is no such file`)
    if (file.data) throw new Error(`${path} is no text`)
    const { text, replaced } = patchText(file.text, targets)
    if (text === '') throw new Error('the patch would leave nothing; use mode write or remove')
    return save(edit, text, version ?? file.version, `, ${replaced} replaced`)
  },
  async remove({ workspace, path, content, targets, version, origin }) {
    if (content !== undefined || targets) throw new Error('mode remove takes only a path')
    const removed = await workspace.remove(path, { ...ifVersion(version), origin })
    if (!removed) throw new Error(`${path}: there is no such file`)
    return { content: [{ type: 'text', text: `removed ${path}` }], structuredContent: { path } }
  },
  async restore(edit) {
    const { workspace, path, content, targets, version } = edit
    if (content !== undefined || targets) throw new Error('mode restore takes a path and a version')
    if (version === undefined) throw new Error('mode restore needs a version of file_history')
    const file = await workspace.read(path, { version })
    if (!file) throw new Error(`${path}: version ${version} is not kept, or removed the file`)
    return save(edit, file.data ?? file.text, undefined, `, as in version ${version}`)
  },
}

function ifVersion(version: number | undefined): { ifVersion?: number } {
  return version === undefined ? {} : { ifVersion: version }
}

async function save(
  { workspace, path, origin }: Edit,
  content: string | Uint8Array,
  version: number | undefined,
  note = '',
): Promise<JsonObject> {
  const bytes = typeof content === 'string' ? byteLength(content) : content.byteLength
  if (bytes > maxFileBytes) throw new Error(`too large: ${bytes} bytes, at most ${maxFileBytes}`)
  const file = await workspace.write(path, content, { ...ifVersion(version), origin })
  const text = `saved ${file.path}: ${bytes} bytes, version ${file.version}${note}`
  return {
    content: [{ type: 'text', text }],
    structuredContent: { path: file.path, bytes, version: file.version },
  }
}
