/**
 * Gate 5: called before its schema was fetched: the schema is the answer, and the model calls again.
 * @module
 */
import { findToolsName, type RegisteredTool } from '../tools/registry.ts'
import { answer, type Call, type Gate, type PreflightContext, pass, type Verdict } from './gate.ts'

export const schemaFirst: Gate = (call, context) => {
  const { registered } = call
  if (!registered || context.exposure === 'full') return pass
  if (call.name === findToolsName || registered.tool.origin === 'client') return pass
  return judge(call, registered, context)
}

async function judge(
  call: Call,
  registered: RegisteredTool,
  context: PreflightContext,
): Promise<Verdict> {
  const shown = context.loaded.get(call.name)
  if (shown !== undefined && shown === (await registered.fingerprint())) return pass
  const again =
    call.wrapped || context.exposure === 'deferred'
      ? `run_tool({"name":${JSON.stringify(call.name)},"args":{…}})`
      : call.name
  const why =
    shown === undefined
      ? 'was called before its schema was fetched'
      : 'has changed since its schema was fetched'
  return answer({
    outcome: 'schema',
    code: shown === undefined ? 'schema-first' : 'schema-changed',
    content: `${call.name} ${why}, so it did not run. Its schema follows; call ${again} again with arguments that fit it.\n${schemaText(registered)}`,
    shows: [call.name],
  })
}

/** A tool as the model is shown it. */
export function schemaText({ name, tool, inputSchema }: RegisteredTool): string {
  return JSON.stringify({ name, description: tool.description, inputSchema })
}
