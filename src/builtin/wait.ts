/**
 * wait: lets time pass, and shows that it does.
 * @module
 */
import { pause } from '../clock.ts'
import type { Tool } from '../tools/tool.ts'

const longestSeconds = 30

/** Makes wait. It reports `{ waited, of }` (seconds) once a second and stops when its call is aborted. */
export function waitTool(): Tool<{ seconds: number }> {
  return {
    name: 'wait',
    description: 'Waits before going on, for instance until something that was started is done.',
    inputSchema: {
      type: 'object',
      properties: {
        seconds: {
          type: 'number',
          minimum: 0,
          maximum: longestSeconds,
          description: `How long, 0 to ${longestSeconds}.`,
        },
      },
      required: ['seconds'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    dedupe: false,
    reads: () => [],
    timeout: (longestSeconds + 5) * 1_000,
    async execute({ seconds }, { signal, progress }) {
      for (let waited = 0; waited < seconds; ) {
        const step = Math.min(1, seconds - waited)
        await pause(step * 1_000, signal)
        waited += step
        progress({ waited, of: seconds })
      }
      return `waited ${seconds} s`
    },
  }
}
