/**
 * current_time: what the clock says.
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import type { Tool } from '../tools/tool.ts'

/** Makes current_time over a clock (default the system's). */
export function currentTimeTool({ clock = systemClock }: { readonly clock?: Clock } = {}): Tool<{
  timezone?: string
}> {
  return {
    name: 'current_time',
    description: 'Tells the current date and time, in UTC and in a time zone.',
    inputSchema: {
      type: 'object',
      properties: {
        timezone: {
          type: 'string',
          minLength: 1,
          default: 'UTC',
          description: 'IANA name such as "Europe/Paris" or "Asia/Taipei".',
        },
      },
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    dedupe: false,
    reads: () => [],
    execute({ timezone = 'UTC' }) {
      const now = clock()
      return {
        utc: new Date(now).toISOString(),
        unix_seconds: Math.floor(now / 1_000),
        timezone,
        local: localTime(now, timezone),
      }
    },
  }
}

/** `Tuesday, 2026-12-01 05:00:00 GMT+01:00` */
function localTime(now: number, timeZone: string): string {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
  } catch {
    throw new Error(`unknown time zone "${timeZone}"; use an IANA name such as "Europe/Paris"`)
  }
  const part = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const get = (name: Intl.DateTimeFormatPartTypes) => part.get(name) ?? ''
  const date = `${get('year')}-${get('month')}-${get('day')}`
  const time = `${get('hour')}:${get('minute')}:${get('second')}`
  // Runtimes differ in how they write no offset.
  const zone = get('timeZoneName') === 'GMT' ? 'GMT+00:00' : get('timeZoneName')
  return `${get('weekday')}, ${date} ${time} ${zone}`
}
