/**
 * run_command: a Bash of its own over the workspace, without any machine behind it.
 * @module
 */
import type { BashOptions } from 'just-bash/browser'
import { expiring } from '../clock.ts'
import { byteLength } from '../execute/text.ts'
import { positiveInteger } from '../option.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool, ToolContext } from '../tools/tool.ts'
import { fileResources, normalisePath } from '../workspace/path.ts'
import type { Change, Workspace } from '../workspace/workspace.ts'
import { diffCommand } from './diff-command.ts'
import { isReadOnlyCommand, isReadOnlyScript } from './read-only.ts'
import { shellFetch } from './shell-fetch.ts'
import { shellFiles } from './shell-files.ts'
import { shellFileSystem } from './shell-fs.ts'

export interface RunCommandOptions {
  readonly workspace: Workspace
  /** A guarded fetch, for curl when the model asks for the network; default: there is none. */
  readonly fetch?: typeof fetch
  /** Milliseconds a command may take; default 120,000. */
  readonly timeoutMs?: number
  /** Bytes of output that are kept; default 262,144. */
  readonly maxOutputBytes?: number
  /** Bytes of all files in the shell's memory; default 33,554,432. */
  readonly maxFileBytes?: number
  /** Files that one command may change; default 200. */
  readonly maxChanges?: number
}

interface RunCommandArgs {
  readonly argv: readonly string[]
  readonly cwd?: string
  readonly write_paths?: readonly string[]
  readonly network?: boolean
}

/**
 * Makes run_command. A command line that can only look, by its syntax tree, asks nobody; everything else
 * asks, and a command with the network asks whatever the allow rules say. What a command wrote is
 * stored when it has ended, all of it or nothing, and never what one of the first kind wrote: a command
 * that runs out of time, is stopped, hits a limit of the shell, or worked on files that somebody else has
 * changed meanwhile, leaves the workspace as it was. A status other than 0 is no failure of the call.
 * Between two commands of a line the thread is let go; a single one, such as `grep -f` with two long
 * lists, holds it to its end. Throws `THREEPASS_BAD_OPTION` for a bound that is none.
 */
export function runCommandTool(options: RunCommandOptions): Tool<RunCommandArgs> {
  const bounds = {
    timeoutMs: positiveInteger('timeoutMs', options.timeoutMs ?? 120_000),
    maxOutputBytes: positiveInteger('maxOutputBytes', options.maxOutputBytes ?? 262_144),
    maxFileBytes: positiveInteger('maxFileBytes', options.maxFileBytes ?? 33_554_432),
    maxChanges: positiveInteger('maxChanges', options.maxChanges ?? 200),
  }
  return {
    name: 'run_command',
    description:
      'Runs a command in a sandboxed Bash over the files of the workspace (grep, sed, awk, jq, sort, find, diff and the like; no compilers, package managers or other machines). argv with one element is a line of shell, with pipes and loops; with more, a command and its literal arguments. Every call starts in / with nothing but the files.',
    inputSchema,
    confirm: (args) => {
      if (args.network === true) return 'always'
      return !isReadOnly(args.argv as string[])
    },
    reads: () => ['file:'],
    writes: (args) => writesOf(args as unknown as RunCommandArgs),
    timeout: bounds.timeoutMs + 5_000,
    async execute(args, context) {
      const line = args.argv.length === 1 ? (args.argv[0] ?? '') : args.argv.join(' ')
      context.progress({ running: line.slice(0, 200) })
      return run(args, context, { ...options, ...bounds })
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    argv: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      items: { type: 'string', maxLength: 100_000 },
      description:
        'One element: a line of shell. More: a command and its arguments, nothing expanded.',
    },
    cwd: { type: 'string', minLength: 1, default: '/', description: 'Where it starts.' },
    write_paths: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', minLength: 1 },
      description: 'The only files and directories it may change. Default: any.',
    },
    network: { type: 'boolean', default: false, description: 'It may use curl.' },
  },
  required: ['argv'],
  additionalProperties: false,
}

function isReadOnly(argv: readonly string[]): boolean {
  return argv.length === 1 ? isReadOnlyScript(argv[0] ?? '') : isReadOnlyCommand(argv)
}

function writesOf({ argv, write_paths: paths }: RunCommandArgs): string[] {
  if (isReadOnly(argv)) return []
  return paths ? fileResources(paths) : ['file:']
}

type Settings = RunCommandOptions & Required<Omit<RunCommandOptions, 'fetch'>>

async function run(
  args: RunCommandArgs,
  { signal, runId, callId }: ToolContext,
  settings: Settings,
): Promise<JsonObject> {
  const { workspace, timeoutMs, maxOutputBytes, maxFileBytes } = settings
  if (args.network && !settings.fetch) throw new Error('there is no network here')
  // The shell weighs 360 KB: who never runs a command never loads it.
  const { Bash, InMemoryFs } = await import('just-bash/browser')
  const fs = shellFileSystem(InMemoryFs, maxFileBytes)
  const cwd = normalisePath(args.cwd ?? '/')
  const bash = new Bash({
    fs,
    cwd: '/',
    executionLimitProfile: 'hardened',
    executionLimits: limits(timeoutMs, maxOutputBytes),
    customCommands: [diffCommand()],
    // It patches the globals of the whole isolate, under everything else that runs in it.
    defenseInDepth: false,
    ...(args.network && settings.fetch && { fetch: shellFetch(settings.fetch, timeoutMs) }),
  })
  const files = await shellFiles(fs, workspace)
  const start = await fs.stat(cwd).catch(() => undefined)
  if (!start?.isDirectory) throw new Error(`${cwd}: there is no such directory`)
  const [name = '', ...rest] = args.argv
  const within = expiring(timeoutMs, signal)
  const until = Date.now() + timeoutMs
  const script = args.argv.length === 1 ? name : `'${name.replaceAll("'", "'\\''")}'`
  const { stdout, stderr, exitCode } = await bash.exec(script, {
    signal: within,
    rawScript: true,
    cwd,
    ...(rest.length > 0 && { args: rest }),
  })
  signal.throwIfAborted()
  // Work that never yields keeps the timer from firing: the clock says it all the same.
  if (within.aborted || Date.now() > until)
    throw new Error(`it did not end within ${timeoutMs} ms; no file was changed`)
  const changes = await files.changes()
  if (
    changes.length > 0 &&
    /executionLimits|limit exceeded|exceeds? .*(limit|maximum)/i.test(stderr)
  ) {
    throw new Error(`it hit a limit of the shell, so nothing was saved: ${cut(stderr, 500)}`)
  }
  const [changed] = changes
  // Whatever it looked like: nobody was asked.
  if (changed && isReadOnly(args.argv)) {
    throw new Error(`it would change ${changed.path}: say so more plainly, and nothing was saved`)
  }
  const origin = { tool: 'run_command', runId, callId }
  await save(changes, args, settings, origin)
  return answer({ stdout, stderr, exitCode, changes }, maxOutputBytes)
}

function limits(
  timeoutMs: number,
  maxOutputBytes: number,
): BashOptions['executionLimits'] & object {
  return {
    maxExecutionTimeMs: timeoutMs + 1_000,
    maxOutputSize: maxOutputBytes * 4,
    maxCommandCount: 50_000,
    maxLoopIterations: 50_000,
    maxLiveBytes: 67_108_864,
    maxInputBytes: 67_108_864,
    maxStringLength: 16_777_216,
  }
}

async function save(
  changes: readonly Change[],
  { write_paths: paths }: RunCommandArgs,
  { workspace, maxChanges }: Settings,
  origin: Change['origin'] & object,
): Promise<void> {
  if (changes.length > maxChanges) {
    throw new Error(`it changed ${changes.length} files, at most ${maxChanges}: nothing was saved`)
  }
  const allowed = paths?.map(normalisePath)
  const outside = changes.find(({ path }) => allowed && !allowed.some((each) => isIn(path, each)))
  if (outside) {
    throw new Error(`it changed ${outside.path}, which is not in write_paths: nothing was saved`)
  }
  if (changes.length > 0) await workspace.apply(changes.map((change) => ({ ...change, origin })))
}

function isIn(path: string, place: string): boolean {
  return place === '/' || path === place || path.startsWith(`${place}/`)
}

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly changes: readonly Change[]
}

function answer({ stdout, stderr, exitCode, changes }: Ended, maxBytes: number): JsonObject {
  const output = [stdout, stderr].filter(Boolean).join(stdout.endsWith('\n') ? '' : '\n')
  const changed = changes.map(
    ({ path, content }) => `${content === null ? 'removed' : 'wrote'} ${path}`,
  )
  const text = [
    cut(output, maxBytes).trimEnd() || '(no output)',
    ...(exitCode === 0 ? [] : [`[exit status ${exitCode}]`]),
    ...(changed.length > 0 ? [`[${changed.join(', ')}]`] : []),
  ]
  return {
    content: [{ type: 'text', text: text.join('\n') }],
    structuredContent: {
      exit_code: exitCode,
      stdout: cut(stdout, maxBytes),
      stderr: cut(stderr, maxBytes),
      changed: changes.map(({ path }) => path),
    },
  }
}

/** The end says more than the beginning: that is where errors and results stand. */
function cut(text: string, maxBytes: number): string {
  const bytes = byteLength(text)
  if (bytes <= maxBytes) return text
  const tail = new TextDecoder().decode(new TextEncoder().encode(text).slice(-maxBytes))
  return `[Cut: the last ${maxBytes} of ${bytes} bytes.]\n${tail.replace(/^�+/, '')}`
}
