/**
 * The page and the agents of its browser: tools that its scripts registered can be called here, and the tools
 * here can be offered to those agents.
 * @module
 */
import type { ClientTools, Dispatcher, EventListener } from '../src/index.ts'
import {
  bridgeModelContext,
  findModelContext,
  type Offer,
  offerTools,
} from '../src/webmcp/index.ts'

export interface BrowserAgents {
  /** Whether this browser has WebMCP. */
  readonly isAvailable: boolean
  readonly isOffering: () => boolean
  readonly offer: (isWanted: boolean) => void
}

export interface BrowserAgentsOptions {
  readonly tools: ClientTools
  /** In the mode `full`. */
  readonly dispatcher: () => Dispatcher
  readonly onEvent: EventListener
  readonly onChange: () => void
}

export function browserAgents(options: BrowserAgentsOptions): BrowserAgents {
  const { tools, onEvent, onChange } = options
  /** The page's own; what comes over the bridge the browser has already. */
  const own = new Set(tools.tools().map(({ name }) => name))
  bridgeModelContext(tools, { onChange })
  let offered: Offer | undefined
  return {
    isAvailable: findModelContext() !== undefined,
    isOffering: () => offered !== undefined,
    offer(isWanted) {
      offered?.close()
      offered = undefined
      if (isWanted) {
        const dispatcher = options.dispatcher()
        offered = offerTools({
          dispatcher,
          run: dispatcher.run({ onEvent }),
          include: ({ name, origin }) => origin !== 'client' || own.has(name),
        })
        void offered.ready.then(onChange)
      }
      onChange()
    },
  }
}
