/**
 * Sessions in memory: bounded, and never stale for it.
 * @module
 */
import {
  applySessionChange,
  newSessionState,
  type SessionChange,
  type SessionState,
} from './run-state.ts'

export interface MemorySessions {
  find(sessionId: string): SessionState | undefined
  apply(sessionId: string, change: SessionChange): void
}

/**
 * Least recently used goes first. Generations are part of cache keys, so a session that comes back after
 * it was forgotten must not count from 0 again: it would be given answers from before its own writes.
 * Once sessions were forgotten, an unknown one therefore starts above every generation ever forgotten.
 */
export function createMemorySessions(maxSessions: number): MemorySessions {
  const sessions = new Map<string, SessionState>()
  let floor = 0

  const find = (sessionId: string): SessionState | undefined => {
    const session = sessions.get(sessionId)
    if (session !== undefined) {
      sessions.delete(sessionId)
      sessions.set(sessionId, session)
      return session
    }
    if (floor === 0) return undefined
    return { ...newSessionState(sessionId), generation: floor, generations: [['*', floor]] }
  }

  return {
    find,
    apply(sessionId, change) {
      const next = applySessionChange(find(sessionId) ?? newSessionState(sessionId), change)
      sessions.delete(sessionId)
      sessions.set(sessionId, next)
      for (const [oldest, { generation }] of sessions) {
        if (sessions.size <= maxSessions) break
        sessions.delete(oldest)
        // At least 1: also a session without writes may have had answers.
        floor = Math.max(floor, generation + 1)
      }
    },
  }
}
