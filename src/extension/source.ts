/**
 * ext_*: the tools of installed extensions.
 * @module
 */
import { apiTool } from '../api/api-tool.ts'
import type { ApiSecrets } from '../api/credentials.ts'
import { positiveInteger } from '../option.ts'
import type { ScriptSandbox } from '../script/sandbox.ts'
import { scriptTool } from '../script/source.ts'
import { type LoadedSource, readSource } from '../tools/read-source.ts'
import type { SourceProblem } from '../tools/source.ts'
import type { AnyTool } from '../tools/tool.ts'
import { type Extension, integrityOf, readExtension } from './package.ts'
import type { ExtensionStore, InstalledExtension } from './store.ts'

export interface ExtensionSourceOptions {
  readonly store: ExtensionStore
  /** A guarded fetch that reaches these hosts and no other: `(hosts) => guardedFetch({ onlyHosts: hosts })`. */
  readonly fetchFor: (hosts: readonly string[]) => typeof fetch
  /** Runs script tools; without it they are left out, with a problem. */
  readonly sandbox?: ScriptSandbox
  /** Values of the secrets that an extension names among its capabilities; without it there are none. */
  readonly secrets?: ApiSecrets
  /** Most decoded bytes of an API's answer; default 1,048,576. */
  readonly maxBytes?: number
}

const prefix = 'ext_'

/**
 * A source of tools `ext_<extension>_<tool>`, and `ext_<extension>_guide` where an extension has guides. They
 * run concurrently where their definition says so; what is no GET, sends a secret, or is a script with the
 * network asks a person. An extension that cannot be used takes no other down.
 */
export function extensionSource(options: ExtensionSourceOptions): LoadedSource {
  const { store } = options
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 1_048_576)
  return readSource({
    name: 'ext',
    prefix,
    async read() {
      const problems: SourceProblem[] = []
      const tools: AnyTool[] = []
      for (const installed of await store.list()) {
        const add = (message: string) => problems.push({ definition: installed.name, message })
        const extension = await reread(installed, add)
        if (extension) tools.push(...toolsOf(extension, { ...options, maxBytes }, add))
      }
      return { tools, problems }
    },
  })
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

function toolsOf(
  extension: Extension,
  { fetchFor, sandbox, secrets, maxBytes }: ExtensionSourceOptions & { readonly maxBytes: number },
  add: (problem: string) => void,
): AnyTool[] {
  const { apis, scripts, guides, capabilities, integrity } = extension
  const own = `${prefix}${extension.name}_`
  const fetch = fetchFor(capabilities.hosts)
  const allowed: ApiSecrets = (name, use) =>
    capabilities.secrets.includes(name) ? secrets?.(name, use) : undefined
  const tools: AnyTool[] = apis.map((api) =>
    apiTool(api, {
      name: own + api.definition.name,
      fetch,
      secrets: allowed,
      maxBytes,
      trusted: false,
    }),
  )
  for (const script of scripts) {
    if (sandbox)
      tools.push(scriptTool(script, { name: own + script.definition.name, sandbox, fetch }))
    else add(`${script.definition.name} is a script, and there is no sandbox here`)
  }
  if (guides.length > 0) tools.push(guideTool(`${own}guide`, extension))
  // A tool that another version of the extension has is another tool, whatever its own text.
  return tools.map((tool) => ({ ...tool, version: `${integrity} ${tool.version ?? ''}` }))
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
