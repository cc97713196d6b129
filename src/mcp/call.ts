/**
 * One call of a server's tool. A call that may have run is never sent again, unless the host trusts that
 * this does no harm.
 * @module
 */
import type { Progress, Tool } from '@modelcontextprotocol/client'
import { DispatchError } from '../errors.ts'
import type { Json, JsonObject } from '../round.ts'
import type { CompiledSchema } from '../schema/validator.ts'
import type { ToolContext } from '../tools/tool.ts'
import { type Fate, fateOf } from './fate.ts'
import type { Link } from './link.ts'
import { resultOf } from './result.ts'

export interface Calling {
  /** The open session, or a new one. Rejects with what a model can be told. */
  readonly connect: () => Promise<Link>
  /** The session is of no use any more. Resolves with what to say of it. */
  readonly drop: (link: Link, fate: Fate) => Promise<string>
}

export interface CalledTool {
  readonly tool: Tool
  readonly output: CompiledSchema | undefined
  /** Sending it twice does no harm. */
  readonly repeatable: boolean
}

/** Throws an Error for the model, or `THREEPASS_INTERRUPTED` when nobody can tell whether the tool has run. */
export async function callTool(
  { tool, output, repeatable }: CalledTool,
  args: JsonObject,
  context: ToolContext,
  { connect, drop }: Calling,
): Promise<JsonObject> {
  const { signal } = context
  const onprogress = (progress: Progress) => context.progress(progress as unknown as Json)
  for (let again = true; ; again = false) {
    const link = await connect()
    signal.throwIfAborted()
    let sent = false
    try {
      if (link.mayResend && !repeatable) await link.check(signal)
      sent = true
      return resultOf(await link.call(tool, args, { signal, onprogress }), output)
    } catch (error) {
      signal.throwIfAborted()
      const fate = fateOf(error, link)
      const ran = sent ? fate.ran : 'no'
      const why = fate.over ? await drop(link, fate) : fate.why
      const maySend = ran === 'no' ? fate.over && !fate.unauthorized : fate.broke && repeatable
      if (!maySend || !again) throw told(ran, why, repeatable)
    }
  }
}

function told(ran: Fate['ran'], why: string, repeatable: boolean): Error {
  if (ran !== 'unsure' || repeatable) return new Error(why)
  return new DispatchError(
    'THREEPASS_INTERRUPTED',
    `No answer came: ${why}. The tool may have run: check before you repeat the call.`,
  )
}
