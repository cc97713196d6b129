/**
 * Run ids name their session, so that a run's requests find the session's object.
 * @module
 */

const runIdPattern = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})$/

export function newRunId(sessionId: string): string {
  return `${sessionId}.${crypto.randomUUID()}`
}

/** The session of a run id, `undefined` when it is none of ours. */
export function sessionOf(runId: string): string | undefined {
  return runIdPattern.exec(runId)?.[1]
}

/** A session's id, which is also its chat's. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}
