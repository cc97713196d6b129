/**
 * The AI SDK's chat client with a state that this page can draw: loaded when the chat is first used.
 * @module
 */
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  type UIMessage,
} from 'ai'

export { DefaultChatTransport }

/** `AbstractChat` is made to be extended: React, Vue and Svelte have theirs. */
export class PageChat extends AbstractChat<UIMessage> {
  /** The last stream closed before it said that its turn was over. */
  endedEarly = false

  constructor(init: ChatInit<UIMessage>, onChange: () => void) {
    super({
      ...init,
      state: stateOf(init.messages ?? [], onChange),
      onFinish: ({ finishReason, isAbort, isError }) => {
        this.endedEarly = !isAbort && !isError && finishReason === undefined
      },
    })
  }
}

function stateOf(first: UIMessage[], onChange: () => void): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: 'ready',
    error: undefined,
    messages: first,
    pushMessage(message) {
      watched.messages = [...watched.messages, message]
    },
    popMessage() {
      watched.messages = watched.messages.slice(0, -1)
    },
    replaceMessage(index, message) {
      watched.messages = watched.messages.map((each, at) => (at === index ? message : each))
    },
    snapshot: (value) => structuredClone(value),
  }
  const watched = new Proxy(state, {
    set(target, key, value) {
      Reflect.set(target, key, value)
      onChange()
      return true
    },
  })
  return watched
}
