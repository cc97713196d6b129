/**
 * edit_file: writes, patches and removes files of the workspace.
 * @module
 */
import { byteLength } from '../execute/text.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type PatchTarget, patchText } from './patch.ts'

interface EditFileArgs {
  readonly mode: 'write' | 'patch' | 'remove'
  readonly path: string
  readonly content?: string
  readonly targets?: readonly PatchTarget[]
}

const maxFileBytes = 1_048_576

/**
 * Makes edit_file over a workspace. It asks a person (for `remove` whatever the allow rules say). A patch
 * is all or nothing: each anchor must be found, once unless `replace_all`, and none may overlap another.
 */
export function editFileTool({ workspace }: { readonly workspace: Workspace }): Tool<EditFileArgs> {
  return {
    name: 'edit_file',
    description:
      'Changes one file of the workspace. mode write: the whole content, also of a new file. mode patch: replaces exact pieces of text, all of them or none. mode remove: deletes the file.',
    inputSchema,
    confirm: ({ mode }) => (mode === 'remove' ? 'always' : true),
    reads: () => [],
    writes: ({ path }) => fileResources([path]),
    async execute(args) {
      if (args.mode === 'write') return write(workspace, args)
      return args.mode === 'patch' ? patch(workspace, args) : remove(workspace, args)
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: { enum: ['write', 'patch', 'remove'] },
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
  },
  required: ['mode', 'path'],
  additionalProperties: false,
}

async function write(workspace: Workspace, { path, content, targets }: EditFileArgs) {
  if (content === undefined) throw new Error('mode write needs content')
  if (targets) throw new Error('mode write takes content, not targets')
  return save(workspace, path, content)
}

async function patch(workspace: Workspace, { path, content, targets }: EditFileArgs) {
  if (!targets) throw new Error('mode patch needs targets')
  if (content !== undefined) throw new Error('mode patch takes targets, not content')
  const file = await workspace.read(path)
  if (!file) throw new Error(`${path}: there is no such file`)
  const { text, replaced } = patchText(file.text, targets)
  if (text === '') throw new Error('the patch would leave nothing; use mode write or remove')
  return save(workspace, path, text, file.version, `, ${replaced} replaced`)
}

async function remove(workspace: Workspace, { path, content, targets }: EditFileArgs) {
  if (content !== undefined || targets) throw new Error('mode remove takes only a path')
  if (!(await workspace.remove(path))) throw new Error(`${path}: there is no such file`)
  return { content: [{ type: 'text', text: `removed ${path}` }], structuredContent: { path } }
}

async function save(
  workspace: Workspace,
  path: string,
  text: string,
  ifVersion?: number,
  note = '',
): Promise<JsonObject> {
  const bytes = byteLength(text)
  if (bytes > maxFileBytes) throw new Error(`too large: ${bytes} bytes, at most ${maxFileBytes}`)
  const file = await workspace.write(path, text, ifVersion === undefined ? {} : { ifVersion })
  const { version } = file
  return {
    content: [
      { type: 'text', text: `saved ${file.path}: ${bytes} bytes, version ${version}${note}` },
    ],
    structuredContent: { path: file.path, bytes, version },
  }
}
