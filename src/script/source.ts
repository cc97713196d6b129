/**
 * script_*: scripts as tools.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { type LoadedSource, readSource } from '../tools/read-source.ts'
import type { SourceProblem } from '../tools/source.ts'
import type { AnyTool, Tool, ToolContext } from '../tools/tool.ts'
import type { LoadedScript, ScriptDefinition, Scripts } from './definition.ts'
import type { ScriptSandbox } from './sandbox.ts'

export interface ScriptSourceOptions {
  readonly sandbox: ScriptSandbox
  /** Where scripts are kept, such as `workspaceScripts(workspace)`. */
  readonly scripts: Scripts
  /** A guarded fetch for scripts that say `network`; without it they are left out, with a problem. */
  readonly fetch?: typeof fetch
  /**
   * The definitions are the host's own: `readOnly` counts also for scripts with the network, and such ask
   * nobody. Default false: a model may have written them.
   */
  readonly trusted?: boolean
}

const prefix = 'script_'

/**
 * A source of `script_<name>` tools. `load` reads the scripts anew. A call whose definition has changed since
 * then, or whose code when it has the network, does not run, and the source is read anew. Scripts run serially
 * unless they say `concurrent`. One without the network can change nothing, and asks nobody.
 */
export function scriptSource(options: ScriptSourceOptions): LoadedSource {
  const { scripts } = options
  const source = readSource({
    name: 'script',
    prefix,
    async read() {
      const problems: SourceProblem[] = []
      const tools: AnyTool[] = []
      for (const name of await scripts.names()) {
        const read = await scripts.read(name)
        if (!read?.ok) {
          for (const message of read?.problems ?? []) problems.push({ definition: name, message })
        } else if (read.script.definition.network && !options.fetch) {
          const message = 'it wants the network, which is not granted here'
          problems.push({ definition: name, message })
        } else {
          const current = () => currentScript(read.script, scripts, source)
          const reads = scripts.resource ? [scripts.resource(name)] : []
          tools.push(scriptTool(read.script, { ...options, name: prefix + name, current, reads }))
        }
      }
      return { tools, problems }
    },
  })
  return source
}

/**
 * The script as it is now. Other code under the same definition runs, unless it has the network: then a
 * person has approved what it was.
 */
async function currentScript(
  script: LoadedScript,
  scripts: Scripts,
  source: LoadedSource,
): Promise<LoadedScript> {
  const { definition, version } = script
  const now = await scripts.read(definition.name)
  if (now?.ok && now.script.version === version) return script
  await source.load()
  if (now?.ok && !definition.network && isSame(now.script.definition, definition)) return now.script
  if (now?.ok) {
    throw new Error(
      'the script has changed, so it did not run: look at its schema again, and call it again',
    )
  }
  const what = now ? `cannot be used: ${now.problems.join('; ')}` : 'is gone'
  throw new Error(`the script ${what}, so it did not run`)
}

function isSame(one: ScriptDefinition, other: ScriptDefinition): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export interface ScriptToolOptions
  extends Pick<ScriptSourceOptions, 'sandbox' | 'fetch' | 'trusted'> {
  /** The whole name of the tool. */
  readonly name: string
  /** Gives the script as it is now; rejects when it must not run any more. */
  readonly current?: () => Promise<LoadedScript>
  /** Resources whose change may change the script; default none. */
  readonly reads?: readonly string[]
}

/** One script as a tool. */
export function scriptTool(script: LoadedScript, options: ScriptToolOptions): Tool {
  const { sandbox, name, current, reads = [], trusted = false } = options
  const { definition, version } = script
  const { description, parameters, concurrent = false, network = false } = definition
  const fetch = network ? options.fetch : undefined
  return {
    name,
    description,
    version,
    trust: 'external',
    concurrent,
    readOnly: !network || (trusted && definition.readOnly === true),
    timeout: (definition.timeout ?? 60) * 1_000,
    ...(parameters && { inputSchema: parameters }),
    ...(network && { tells: () => 'uses the network' }),
    // Without the network it is a function of its input and its own files.
    ...(!network && { reads: () => reads }),
    async execute(input, context) {
      const { code } = (await current?.()) ?? script
      const { signal } = context
      return answer(await sandbox.run({ code, input, signal, ...(fetch && { fetch }) }), context)
    },
  }
}

const mostLogShown = 4_000

function answer(
  { output, error, logs }: Awaited<ReturnType<ScriptSandbox['run']>>,
  { text }: ToolContext,
): Json {
  const logged = logs.join('\n')
  if (logged !== '') text(`${logged.slice(0, mostLogShown)}\n`)
  if (error === undefined) return valueOnly(output ?? null)
  // What it said last tells most of why it failed.
  const told = logged === '' ? '' : `\n\nIt logged:\n${logged.slice(-mostLogShown)}`
  const failed: JsonObject = { content: [{ type: 'text', text: error + told }], isError: true }
  return failed
}

/** An object whose members would be taken for an MCP result is what it is. */
function valueOnly(output: Json): Json {
  const isLike = ['content', 'isError', 'structuredContent', 'error'].some((name) =>
    Object.hasOwn(Object(output), name),
  )
  if (!isLike || Array.isArray(output) || typeof output === 'string') return output
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
}
