/** Checked by tsc: what a tool's author may and may not write. Nothing here runs. */
import { z } from 'zod'
import { createDispatcher, defineTool, type JsonObject, type Tool } from '../../src/index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<A, B>(_: Same<A, B>): void {}

// JSON Schema: the arguments are plain JSON unless their author says what they are.
const plain = defineTool({
  name: 'plain',
  description: 'Any arguments.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  execute(args, context) {
    same<typeof args, JsonObject>(true)
    same<typeof context.signal, AbortSignal>(true)
    // @ts-expect-error: a tool gets no more than its context says
    context.dispatcher
    // @ts-expect-error: a JSON value need not be a number
    return args.a + 1
  },
})
same<typeof plain, Tool<JsonObject>>(true)

defineTool<{ readonly a: number }>({
  name: 'typed',
  description: 'The author says what the arguments are.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  execute: ({ a }) => a + 1,
})

// Standard Schema: the arguments are what the schema puts out, defaults and transforms applied.
const typed = defineTool({
  name: 'typed',
  description: 'Typed by zod.',
  inputSchema: z.object({ a: z.number(), unit: z.enum(['m', 'km']).default('m') }),
  execute(args) {
    same<typeof args, { a: number; unit: 'm' | 'km' }>(true)
    // @ts-expect-error: not in the schema
    args.b
    return args.a
  },
})

// @ts-expect-error: a tool needs something to execute
defineTool({ name: 'idle', description: 'Does nothing.' })
// @ts-expect-error: and a description
defineTool({ name: 'unsaid', execute: () => '' })
defineTool({
  name: 'misspelled',
  description: 'A trait that does not exist.',
  // @ts-expect-error: the trait is readOnly
  readonly: true,
  execute: () => '',
})
defineTool({
  name: 'wrong',
  description: 'Traits of the wrong type.',
  // @ts-expect-error: milliseconds, as a number
  timeout: '5s',
  execute: () => '',
})
defineTool({
  name: 'greedy',
  description: 'Needs what no host can grant.',
  // @ts-expect-error: not one of the grants
  needs: ['database'],
  execute: () => '',
})

// Tools of any arguments go into one dispatcher, also as plain objects.
createDispatcher({
  tools: [plain, typed, { name: 'bare', description: 'A plain object.', execute: () => 1 }],
})
