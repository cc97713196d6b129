/**
 * Gate 3: a deferred tool called directly, outside the loaded set, is refused.
 * @module
 */
import { findToolsName } from '../tools/registry.ts'
import { answer, type Gate, pass } from './gate.ts'

export const loaded: Gate = (call, context) => {
  if (context.exposure !== 'deferred' || call.wrapped) return pass
  const registered = context.registry.get(call.name)
  if (!registered || call.name === findToolsName || registered.tool.origin === 'client') {
    return pass
  }
  if (context.loaded.has(call.name)) return pass
  return answer({
    outcome: 'refused',
    code: 'not-loaded',
    content: `${call.name} is not loaded, so it did not run. Fetch its schema with find_tools({"query":"select:${call.name}"}), then call run_tool({"name":"${call.name}","args":{…}}).`,
  })
}
