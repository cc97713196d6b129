/**
 * Gate 2: `run_tool({ name, args })` becomes a call of the named tool.
 * @module
 */
import { runToolName } from '../tools/registry.ts'
import { type ReadArguments, readArguments } from './arguments.ts'
import { answer, type Call, type Gate, pass, type Verdict } from './gate.ts'
import { cleanName, maxArgumentDepth } from './normalise.ts'

const shape = 'run_tool takes {"name": "<tool>", "args": {…}}'

export const unwrap: Gate = (call, context) => {
  if (call.name !== runToolName) return pass
  const { name } = call.args
  if (typeof name !== 'string' || name.trim() === '') {
    return refuse('run-tool-name', `/name is missing. ${shape}.`)
  }
  if (name.trim() === runToolName) {
    return refuse(
      'run-tool-nested',
      `run_tool cannot run itself: name the tool directly. ${shape}.`,
    )
  }
  // Text is read as arguments text is, so that a JSON string, also a cut one, is judged by the same rules.
  const inner = readArguments(call.args.args, {
    cut: false,
    maxBytes: context.options.maxArgumentBytes,
    maxDepth: maxArgumentDepth,
  })
  return inner instanceof Promise
    ? inner.then((read) => finish(call, cleanName(name, context), read))
    : finish(call, cleanName(name, context), inner)
}

function finish(call: Call, name: string, read: ReadArguments): Verdict {
  call.name = name
  call.wrapped = true
  if (read.kind === 'unreadable') return refuse(read.code, `/args: ${read.message}`)
  const outer = [...call.inexact].flatMap((path) =>
    path.startsWith('/args/') ? [path.slice('/args'.length)] : [],
  )
  call.args = read.args
  call.repaired = [...call.repaired, ...read.repaired]
  call.inexact = new Set([...outer, ...read.inexact])
  return pass
}

function refuse(code: string, content: string): Verdict {
  return answer({ outcome: 'invalid', code, content: `run_tool: ${content}` })
}
