/**
 * One tool in a browser's list, whichever form its API has.
 * @module
 */
import { errorText } from '../execute/render-result.ts'
import type { ModelContext, ModelContextTool } from './model-context.ts'

export interface Registration {
  /** What the browser has against it; `undefined` when it stands in the list, or was taken away before. */
  readonly refused: Promise<string | undefined>
  /** Takes this one away, and never another of its name. */
  readonly remove: () => void
}

/** Never throws: a name that somebody else has stays theirs. */
export function register(context: ModelContext, tool: ModelContextTool): Registration {
  const gone = new AbortController()
  let own: { unregister?(): void } | undefined
  let isListed = false
  let wasPromise = false
  const begin = async (): Promise<string | undefined> => {
    try {
      const answer = context.registerTool(tool, { signal: gone.signal })
      wasPromise = answer instanceof Promise
      own = Object((await answer) ?? {}) as { unregister?(): void }
      isListed = true
      if (gone.signal.aborted) takeAway()
      return undefined
    } catch (error) {
      return gone.signal.aborted ? undefined : errorText(error)
    }
  }
  const takeAway = () => {
    if (!isListed) return
    isListed = false
    try {
      // A browser whose answer is a promise knows the signal; the earlier ones do not.
      if (typeof own?.unregister === 'function') own.unregister()
      else if (!wasPromise) context.unregisterTool?.(tool.name)
    } catch {
      // It was gone already.
    }
  }
  return {
    refused: begin(),
    remove() {
      gone.abort()
      takeAway()
    },
  }
}
