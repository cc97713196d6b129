/**
 * read_result: pages through an answer that was too long to give whole.
 * @module
 */
import type { JsonObject, ToolResult } from '../round.ts'
import type { RunStore } from '../run-state/store.ts'
import type { Tool } from '../tools/tool.ts'

const pageCharacters = 16_000
const roundsPerLook = 50

/**
 * Makes read_result over the run store of the dispatcher. When it is registered, the notice in a cut
 * result says how to call it. It reads results of the same run only.
 */
export function readResultTool({ store }: { readonly store: RunStore }): Tool {
  return {
    name: 'read_result',
    description:
      'Reads on in an earlier tool result of this run that was cut because it was too long.',
    inputSchema: {
      type: 'object',
      properties: {
        call_id: { type: 'string', description: 'Id of the call whose result was cut.' },
        offset: { type: 'integer', minimum: 0, description: 'Character to start at, default 0.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: pageCharacters,
          description: `Most characters to return, default ${pageCharacters}.`,
        },
      },
      required: ['call_id'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    maxResultBytes: pageCharacters * 4,
    async execute(args, { runId }) {
      const result = await findResult(store, runId, String(args.call_id))
      if (!result) throw new Error(`there is no result of a call "${args.call_id}" in this run`)
      return page(wholeText(result), args)
    },
  }
}

/** The last result of this call id. */
async function findResult(
  store: RunStore,
  runId: string,
  callId: string,
): Promise<ToolResult | undefined> {
  let found: ToolResult | undefined
  for (let from = 0; ; from += roundsPerLook) {
    const rounds = await store.listRounds(runId, from, roundsPerLook)
    for (const { results } of rounds) {
      found = results.find((each) => each.callId === callId) ?? found
    }
    if (rounds.length < roundsPerLook) return found
  }
}

function wholeText({ value, content, truncated }: ToolResult): string {
  if (!truncated || value === undefined) return content
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function page(text: string, args: JsonObject): string {
  const offset = typeof args.offset === 'number' ? args.offset : 0
  const limit = typeof args.limit === 'number' ? args.limit : pageCharacters
  if (offset >= text.length) return `[offset ${offset} is past the end: ${text.length} characters]`
  const end = Math.min(text.length, offset + limit)
  const more = end < text.length ? `\n[${text.length - end} characters follow: offset ${end}]` : ''
  return text.slice(offset, end) + more
}
