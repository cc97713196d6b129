/**
 * ext_*: the tools of installed extensions.
 * @module
 */
import { apiTool } from '../api/api-tool.ts'
import type { ApiSecrets } from '../api/credentials.ts'
import { type Bucket, createBucket } from '../api/rate-limit.ts'
import type { LoadedApi } from '../api/read-definition.ts'
import { systemClock } from '../clock.ts'
import { errorText } from '../execute/render-result.ts'
import { positiveInteger } from '../option.ts'
import type { ScriptSandbox } from '../script/sandbox.ts'
import { scriptTool } from '../script/source.ts'
import { type LoadedSource, readSource } from '../tools/read-source.ts'
import type { SourceProblem } from '../tools/source.ts'
import type { AnyTool, ToolContext } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Extension, integrityOf, readExtension } from './package.ts'
import { type ExtensionStore, findInstalled, type InstalledExtension } from './store.ts'

export interface ExtensionSourceOptions {
  readonly store: ExtensionStore
  /** A guarded fetch that reaches these hosts and no other: `(hosts) => guardedFetch({ onlyHosts: hosts })`. */
  readonly fetchFor: (hosts: readonly string[]) => typeof fetch
  /** Runs script tools; without it they are left out, with a problem. */
  readonly sandbox?: ScriptSandbox
  /** Values of the secrets that an extension names among its capabilities; without it there are none. */
  readonly secrets?: ApiSecrets
  /** Files that API tools send (`file: true`); such tools are left out without it, with a problem. */
  readonly workspace?: Workspace
  /** Most decoded bytes of an API's answer; default 1,048,576. */
  readonly maxBytes?: number
}

const prefix = 'ext_'

/**
 * A source of tools `ext_<extension>_<tool>`, and `ext_<extension>_guide` where an extension has guides. They
 * run concurrently where their definition says so; what is no GET, sends a secret, or is a script with the
 * network asks a person. An extension that cannot be used takes no other down. A call whose extension is
 * another one by now, or removed, does not run, and the source is read anew.
 */
export function extensionSource(options: ExtensionSourceOptions): LoadedSource {
  const { store } = options
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 1_048_576)
  const buckets = new Map<string, Bucket>()
  const check: Check = (extension) => checkInstalled(extension, store, source)
  const source = readSource({
    name: 'ext',
    prefix,
    async read() {
      const problems: SourceProblem[] = []
      const tools: AnyTool[] = []
      for (const installed of await store.list()) {
        const add = (message: string) => problems.push({ definition: installed.name, message })
        try {
          const extension = await reread(installed, add)
          const parts = { ...options, maxBytes, buckets, check, add }
          if (extension) tools.push(...toolsOf(extension, parts))
        } catch (error) {
          add(errorText(error))
        }
      }
      return { tools, problems }
    },
  })
  return source
}

type Check = (extension: Extension) => Promise<void>

/** A store may be shared: somebody else may have removed or upgraded it. */
async function checkInstalled(
  { name, integrity }: Extension,
  store: ExtensionStore,
  source: LoadedSource,
): Promise<void> {
  const now = await findInstalled(store, name)
  if (now?.integrity === integrity) return
  await source.load()
  throw new Error(
    now
      ? `the extension ${name} has changed, so nothing ran: look at its tools' schemas again`
      : `the extension ${name} is not installed any more, so nothing ran`,
  )
}

async function reread(
  { name, text, integrity }: InstalledExtension,
  add: (problem: string) => void,
): Promise<Extension | undefined> {
  if ((await integrityOf(text)) !== integrity) {
    add('it was changed since it was installed: remove it and install it again')
    return undefined
  }
  const read = await readExtension(text)
  if (!read.ok) for (const problem of read.problems) add(problem)
  else if (read.extension.name !== name) add(`its package is named ${read.extension.name}`)
  else return read.extension
  return undefined
}

interface Parts extends ExtensionSourceOptions {
  readonly maxBytes: number
  /** They go on counting when the extension is read again. */
  readonly buckets: Map<string, Bucket>
  readonly check: Check
  readonly add: (problem: string) => void
}

function toolsOf(extension: Extension, parts: Parts): AnyTool[] {
  const { scripts, guides, capabilities, integrity } = extension
  const { fetchFor, sandbox, check, add } = parts
  const own = `${prefix}${extension.name}_`
  const fetch = fetchFor(capabilities.hosts)
  const tools = apiToolsOf(extension, fetch, parts)
  const tells = () => `uses the network: ${capabilities.hosts.join(', ')}`
  for (const script of scripts) {
    const { name, network } = script.definition
    if (!sandbox) add(`${name} is a script, and there is no sandbox here`)
    else {
      const tool = scriptTool(script, { name: own + name, sandbox, fetch })
      tools.push(network ? { ...tool, tells } : tool)
    }
  }
  if (guides.length > 0) tools.push(guideTool(`${own}guide`, extension))
  return tools.map((tool) => ({
    ...tool,
    // A tool that another version of the extension has is another tool, whatever its own text.
    version: `${integrity} ${tool.version ?? ''}`,
    async execute(args: unknown, context: ToolContext) {
      await check(extension)
      return tool.execute(args, context)
    },
  }))
}

function apiToolsOf(
  { name: extension, apis, capabilities, integrity }: Extension,
  fetch: typeof globalThis.fetch,
  { secrets, maxBytes, workspace, buckets, add }: Parts,
): AnyTool[] {
  const allowed: ApiSecrets = (name, use) =>
    capabilities.secrets.includes(name) ? secrets?.(name, use) : undefined
  const bucketOf = ({ definition: { name, rate_limit: limit } }: LoadedApi) => {
    if (!limit) return {}
    const key = `${integrity} ${name}`
    const bucket = buckets.get(key) ?? createBucket(limit, systemClock)
    buckets.set(key, bucket)
    return { bucket }
  }
  return apis.flatMap((api) => {
    const { name, read_only: readOnly, always_allow: allow } = api.definition
    if (readOnly) add(`${name}: read_only does not count in an extension`)
    if (allow) add(`${name}: always_allow does not count in an extension`)
    if (!workspace && api.parameters.some(({ file }) => file)) {
      add(`${name} sends files, and there is no workspace`)
      return []
    }
    const own = { name: `${prefix}${extension}_${name}`, fetch, secrets: allowed, maxBytes }
    const given = { ...own, ...bucketOf(api), ...(workspace && { workspace }) }
    return apiTool(api, { ...given, trusted: false })
  })
}

function guideTool(name: string, { description, guides }: Extension): AnyTool {
  const topics = guides.map(({ topic }) => topic)
  return {
    name,
    description: `Guides of the extension: ${description}`,
    inputSchema: {
      type: 'object',
      properties: { topic: { enum: topics } },
      required: ['topic'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    execute: ({ topic }: { topic: string }) =>
      guides.find((each) => each.topic === topic)?.text ?? '',
  }
}
