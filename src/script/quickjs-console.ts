/**
 * What a script says: `console` in the engine, and values in words.
 * @module
 */
import type { JSValueHandle, QuickJS } from 'quickjs-wasi'
import { wellFormed } from '../execute/text.ts'
import type { Work } from './quickjs.ts'

/** A value in one line; what has no JSON by its kind. */
export function shown(vm: QuickJS, value: JSValueHandle): string {
  const kind = value.typeof
  if (kind !== 'object' && kind !== 'string') {
    return kind === 'function' || kind === 'symbol' ? `[${kind}]` : String(vm.dump(value))
  }
  try {
    return JSON.stringify(vm.dump(value))
  } catch {
    return `[${kind}]`
  }
}

const levels = ['log', 'info', 'warn', 'error', 'debug']
const mostLines = 10_000
/** A call out of the engine takes far longer than its few instructions say. */
const logsPerStep = 256

/** `console` in the engine, whose lines are kept. */
export function giveConsole(vm: QuickJS, lines: string[], most: number, work: Work): void {
  let size = 0
  let calls = 0
  const console = vm.newObject()
  const log = vm.newFunction('log', (...args) => {
    calls += 1
    if (calls % logsPerStep === 0) work.steps += 1
    if (size > most || lines.length > mostLines) return vm.undefined
    const line = args
      .map((arg) => (arg.typeof === 'string' ? arg.toString() : shown(vm, arg)))
      .join(' ')
    size += line.length + 1
    const isFull = size > most || lines.length === mostLines
    lines.push(wellFormed(isFull ? '[More is not kept.]' : line))
    return vm.undefined
  })
  for (const level of levels) vm.setProp(console, level, log)
  vm.setProp(vm.global, 'console', console)
}
