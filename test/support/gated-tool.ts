/** A tool whose calls start and finish on the test's command. */
import type { AnyTool, JsonObject, ToolContext } from '../../src/index.ts'

export interface GatedTool {
  readonly tool: AnyTool
  /** Labels (`args.n`) of the calls that have started, in order. */
  readonly started: string[]
  /** Contexts by label. */
  readonly contexts: Map<string, ToolContext>
  /** Most calls under way at once. */
  readonly peak: () => number
  /** Resolves when so many calls have started. */
  readonly whenStarted: (count: number) => Promise<void>
  readonly finish: (label: string, value?: unknown) => void
  readonly fail: (label: string, error: unknown) => void
}

export function gatedTool(name: string, traits: Partial<AnyTool> = {}): GatedTool {
  const started: string[] = []
  const open = new Map<
    string,
    { resolve: (value: unknown) => void; reject: (error: unknown) => void }
  >()
  const contexts = new Map<string, ToolContext>()
  const watchers = new Set<() => void>()
  let peak = 0
  const tool: AnyTool = {
    name,
    description: name,
    ...traits,
    execute(args: JsonObject, context: ToolContext) {
      const label = String(args.n)
      started.push(label)
      contexts.set(label, context)
      return new Promise((resolve, reject) => {
        open.set(label, { resolve, reject })
        peak = Math.max(peak, open.size)
        for (const watch of [...watchers]) watch()
      })
    },
  }
  const settle = (label: string) => {
    const call = open.get(label)
    if (!call) throw new Error(`call ${label} is not under way`)
    open.delete(label)
    return call
  }
  return {
    tool,
    started,
    contexts,
    peak: () => peak,
    whenStarted: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (started.length < count) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    finish: (label, value = `done ${label}`) => settle(label).resolve(value),
    fail: (label, error) => settle(label).reject(error),
  }
}

/** Lets everything that is ready go on, without waiting for time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export function callOf(
  id: string,
  name: string,
  args: unknown = {},
): { id: string; name: string; arguments: unknown } {
  return { id, name, arguments: args }
}
