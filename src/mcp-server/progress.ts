/**
 * News of a call as progress notifications of the protocol.
 * @module
 */
import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent } from '../events.ts'
import type { Json } from '../round.ts'

const longestMessage = 500

/** `undefined` when the client has not asked for news. */
export function progressOf({
  _meta,
  notify,
}: ServerContext['mcpReq']): ((event: RunEvent) => void) | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = 0
  let counts = false
  return (event) => {
    const news = newsOf(event)
    if (!news) return
    // The protocol wants a number that grows, also beside a tool's own count.
    counts ||= news.progress !== undefined
    last = Math.max(news.progress ?? 0, last + (counts ? 0.001 : 1))
    const params = { ...news, progressToken, progress: last }
    notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

interface News {
  readonly progress?: number
  readonly total?: number
  readonly message?: string
}

function newsOf(event: RunEvent): News | undefined {
  if (event.type === 'tool_call_text') return { message: event.text.slice(0, longestMessage) }
  if (event.type !== 'tool_call_progress') return undefined
  const { value } = event
  if (typeof value === 'number') return { progress: value }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return told(value)
  const { progress, total, message } = value
  if (typeof progress !== 'number') return told(value)
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, longestMessage) }),
  }
}

function told(value: Json): News {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { message: text.slice(0, longestMessage) }
}
