/**
 * The dispatcher's tools, offered to agents in the browser: their calls go through all three passes.
 * @module
 */
import type { Dispatcher, Run } from '../dispatcher.ts'
import { DispatchError } from '../errors.ts'
import type { ToolResult } from '../round.ts'
import type { CatalogueEntry } from '../tools/catalogue.ts'
import type { SourceProblem } from '../tools/source.ts'
import { findModelContext, type ModelContext, offeredTo } from './model-context.ts'
import { register } from './register.ts'

export interface OfferOptions {
  readonly dispatcher: Dispatcher
  /** Whose calls they are; default: a fresh run. */
  readonly run?: Run
  /** Which tools; default all but the page's own, which the browser has from the page. */
  readonly include?: (tool: CatalogueEntry) => boolean
  /** Default: the page's, where there is one. */
  readonly modelContext?: ModelContext | undefined
}

export interface Offer {
  readonly isAvailable: boolean
  /** Names that the browser has taken; resolves when it has answered for each. */
  readonly ready: Promise<readonly string[]>
  /** Tools that could not be offered. */
  readonly problems: () => readonly SourceProblem[]
  /** Takes them away again. */
  readonly close: () => void
}

const mostCharacters = 128

/**
 * Registers the dispatcher's tools as they are now, each under its own name. What a person has to be asked is
 * asked by the dispatcher's approver. Throws `THREEPASS_BAD_OPTION` for a dispatcher whose mode is not `full`:
 * agents in the browser are told every schema.
 */
export function offerTools(options: OfferOptions): Offer {
  const { dispatcher, modelContext: context = findModelContext() } = options
  if (dispatcher.exposure !== 'full') {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      "offerTools: the dispatcher must have the mode 'full': create one for it, with the same tools and stores.",
    )
  }
  const problems: SourceProblem[] = []
  if (!context) {
    return {
      isAvailable: false,
      ready: Promise.resolve([]),
      problems: () => problems,
      close: () => {},
    }
  }
  const run = options.run ?? dispatcher.run()
  const include = options.include ?? (({ origin }: CatalogueEntry) => origin !== 'client')
  const own = offeredTo(context)
  const removals: (() => void)[] = []
  let isClosed = false
  const offerOne = async (tool: CatalogueEntry): Promise<string[]> => {
    const { name } = tool
    const refuse = (message: string) => {
      problems.push({ definition: name, message })
      return []
    }
    if (!/^[A-Za-z0-9_.-]+$/.test(name) || name.length > mostCharacters) {
      return refuse('browsers take 1 to 128 letters, digits, dots, dashes and underscores')
    }
    if (own.has(name)) return refuse('it is offered already')
    own.add(name)
    const { refused, remove } = register(context, {
      name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      annotations: { readOnlyHint: tool.readOnly },
      execute: (input, client) => call(run, name, input, client?.signal),
    })
    removals.push(() => {
      remove()
      own.delete(name)
    })
    const message = await refused
    if (isClosed) return []
    if (message === undefined) return [name]
    own.delete(name)
    return refuse(message)
  }
  const offered = dispatcher.catalogue
    .filter((tool) => tool.name !== 'find_tools' && include(tool))
    .map(offerOne)
  return {
    isAvailable: true,
    ready: Promise.all(offered).then((names) => names.flat()),
    problems: () => problems,
    close() {
      isClosed = true
      for (const remove of removals) remove()
      removals.length = 0
    },
  }
}

async function call(
  run: Run,
  name: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const calls = [{ id: crypto.randomUUID(), name, arguments: input ?? {} }]
  const { results } = await run.dispatch(calls, signal ? { signal } : {})
  return answerOf(results[0] as ToolResult)
}

/** The browser tells an agent no more of a throw than that there was one: what went wrong is an answer too. */
function answerOf({ outcome, content, value }: ToolResult): unknown {
  const isDone = ['completed', 'duplicate', 'cached'].includes(outcome)
  return isDone ? (value ?? content) : { error: content, outcome }
}
