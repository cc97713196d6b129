/**
 * manage_extensions: looks at, installs, upgrades and removes extensions, in the open.
 * @module
 */
import { request } from '../net/request.ts'
import type { Json, JsonObject } from '../round.ts'
import type { LoadedSource } from '../tools/read-source.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Capabilities, capabilitiesJson } from './capabilities.ts'
import { installExtension, installedVersion } from './install.ts'
import { type Extension, integrityOf, mostPackageBytes, readExtension } from './package.ts'
import type { ExtensionStore } from './store.ts'

export interface ExtensionsToolOptions {
  readonly store: ExtensionStore
  /** Read anew after each change. */
  readonly source: LoadedSource
  /** A guarded fetch for packages at a URL; without it they come from the workspace alone. */
  readonly fetch?: typeof fetch
  /** Where packages that are files lie. */
  readonly workspace?: Workspace
}

interface ExtensionsArgs {
  readonly mode: 'list' | 'look' | 'install' | 'upgrade' | 'remove'
  readonly from?: string
  readonly integrity?: string
  readonly capabilities?: Partial<Capabilities>
  readonly name?: string
}

const timeoutMs = 30_000

/**
 * Makes manage_extensions. To install or upgrade, a call repeats the integrity and the capabilities that
 * `look` has told, so that the person who is asked, every time, sees what they agree to and it is bound to it.
 */
export function extensionsTool(options: ExtensionsToolOptions): Tool<ExtensionsArgs> {
  const { store, source } = options
  return {
    name: 'manage_extensions',
    description:
      'Manages extensions, packages of tools. list: what is installed. look: what a package at a URL or path of the workspace holds, its integrity and the capabilities that it asks for. install, upgrade: with from, integrity and capabilities exactly as look told them; a person decides. remove: by name.',
    inputSchema,
    dedupe: false,
    confirm: ({ mode }) => (mode === 'list' || mode === 'look' ? false : 'always'),
    reads: ({ from }) => ['ext:', ...(isPath(from) ? fileResources([from]) : [])],
    writes: ({ mode }) => (mode === 'list' || mode === 'look' ? [] : ['ext:']),
    timeout: timeoutMs + 10_000,
    async execute(args, { signal }) {
      const { mode, from = '' } = args
      if (mode === 'list') return list(store)
      if (mode === 'remove') return remove(args.name ?? '', store, source)
      const text = await packageAt(from, options, signal)
      if (mode === 'look') return look(text, store)
      const { integrity = '', capabilities = {} } = args
      const agreed = { integrity, capabilities, from, mode }
      const extension = await installExtension(store, text, agreed)
      await source.load()
      return { ...about(extension), done: mode }
    },
  }
}

const names: JsonSchema = { type: 'array', items: { type: 'string' }, maxItems: 100 }
const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: { enum: ['list', 'look', 'install', 'upgrade', 'remove'] },
    from: {
      type: 'string',
      minLength: 1,
      maxLength: 8_192,
      description: 'look, install, upgrade: an https URL, or a path of the workspace.',
    },
    integrity: {
      type: 'string',
      maxLength: 100,
      description: 'install, upgrade: as look told it.',
    },
    capabilities: {
      type: 'object',
      properties: { hosts: names, secrets: names },
      additionalProperties: false,
      description: 'install, upgrade: as look told them.',
    },
    name: { type: 'string', maxLength: 200, description: 'remove: the extension.' },
  },
  required: ['mode'],
  additionalProperties: false,
}

function isPath(from: unknown): from is string {
  return typeof from === 'string' && !/^[a-z]+:\/\//i.test(from)
}

async function packageAt(
  from: string,
  { fetch, workspace }: ExtensionsToolOptions,
  signal: AbortSignal,
): Promise<string> {
  if (from === '') throw new Error('from must say where the package is')
  if (isPath(from)) {
    const file = await workspace?.read(from)
    if (!file) throw new Error(`${from}: there is no such file`)
    return file.text
  }
  if (!fetch) throw new Error('packages at URLs are not read here')
  const bounds = { timeoutMs, maxBytes: mostPackageBytes + 1, signal }
  const { response, body } = await request(fetch, from, {}, bounds)
  if (!response.ok) throw new Error(`${from} answered ${response.status}`)
  if (body.text === undefined) throw new Error(`${from} is not text`)
  if (body.cutBy && body.cutBy !== 'size') throw new Error(`${from} did not come whole`)
  return body.text
}

async function list(store: ExtensionStore): Promise<Json> {
  const installed = await store.list()
  return Promise.all(
    installed.map(async ({ name, text, integrity, from, installedAt }): Promise<Json> => {
      const read = await readExtension(text)
      const isOwn = (await integrityOf(text)) === integrity
      const problems = isOwn ? (read.ok ? [] : [...read.problems]) : [changedSince]
      const own = isOwn && read.ok ? about(read.extension) : { name, problems }
      return { ...own, from, installed_at: new Date(installedAt).toISOString() }
    }),
  )
}

const changedSince = 'it was changed since it was installed: remove it and install it again'

async function look(text: string, store: ExtensionStore): Promise<Json> {
  const read = await readExtension(text)
  if (!read.ok) throw new Error(`the package cannot be used: ${read.problems.join('; ')}`)
  const installed = await installedVersion(store, read.extension.name)
  return { ...about(read.extension), ...(installed !== undefined && { installed }) }
}

async function remove(name: string, store: ExtensionStore, source: LoadedSource): Promise<Json> {
  if (!(await store.remove(name))) throw new Error(`${JSON.stringify(name)} is not installed`)
  await source.load()
  return { name, done: 'remove' }
}

function about(extension: Extension): JsonObject {
  const { name, version, description, capabilities, apis, scripts, guides, integrity } = extension
  const tool = (definition: { readonly name: string; readonly description: string }): Json => ({
    name: `ext_${name}_${definition.name}`,
    description: definition.description,
  })
  return {
    name,
    version,
    description,
    integrity,
    capabilities: capabilitiesJson(capabilities),
    tools: [...apis, ...scripts].map(({ definition }) => tool(definition)),
    guides: guides.map(({ topic }) => topic),
  }
}
