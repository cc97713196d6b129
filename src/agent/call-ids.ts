/**
 * Ids of a turn's calls. A model that counts anew in each answer would name two of its calls alike.
 * @module
 */
import { canonicalJson } from '../dedupe/call-key.ts'
import { toPlain } from '../execute/plain.ts'
import { callInput } from '../providers/call-input.ts'
import type { AgentMessage } from './agent-event.ts'
import type { ModelCall } from './read-answer.ts'

export interface CallIds {
  readonly has: (id: string) => boolean
  /**
   * The call under an id that no other call of an earlier round has. The same call once more keeps its
   * id: the dispatcher knows it for a replay and does not run it twice.
   */
  readonly own: (call: ModelCall) => ModelCall
  /** Of a call that the provider ran itself. */
  readonly reserve: (part: {
    readonly toolCallId: string
    readonly toolName: string
    readonly input: unknown
  }) => void
  /** Ids for the history, where none may come twice, and takes them as used. */
  readonly take: (calls: readonly ModelCall[], ids: readonly string[]) => string[]
}

export function callIds(messages: readonly AgentMessage[]): CallIds {
  const made = new Map<string, string>()
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue
    for (const part of content) {
      if (part.type === 'tool-call') made.set(part.toolCallId, digest(part.toolName, part.input))
    }
  }
  const free = (id: string) => {
    let given = id
    for (let copy = 2; made.has(given); copy += 1) given = `${id}_${copy}`
    return given
  }
  return {
    has: (id) => made.has(id),
    own(call) {
      const before = made.get(call.id)
      const same = before === undefined || before === digest(call.name, call.arguments)
      return same ? call : { ...call, id: free(call.id) }
    },
    reserve: ({ toolCallId, toolName, input }) =>
      void made.set(toolCallId, digest(toolName, input)),
    take(calls, ids) {
      return ids.map((id, index) => {
        const own = free(id)
        const { name, arguments: args } = calls[index] as ModelCall
        made.set(own, digest(name, args))
        // What the model sent may not stand for another call later either.
        made.set(calls[index]?.id ?? own, digest(name, args))
        return own
      })
    },
  }
}

function digest(name: string, input: unknown): string {
  // What a model writes may hold halves of characters.
  return canonicalJson(toPlain([name, callInput(input)]))
}
