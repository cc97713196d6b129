/** The AI SDK's own chat client against the Worker. */
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, type UIMessage } from 'ai'

type Init = NonNullable<ConstructorParameters<typeof Chat<UIMessage>>[0]>

export interface OpenChat {
  readonly chat: Chat<UIMessage>
  /** Resolves when the chat is at rest and `holds`; rejects with the chat's own error. */
  readonly until: (holds?: () => boolean) => Promise<void>
  /** Parts of the last message, without those that only mark a step. */
  readonly parts: () => UIMessage['parts']
  readonly text: () => string
}

export function openChat(
  url: string,
  {
    id,
    body,
    headers,
    fetch: own,
    ...init
  }: Partial<Init> & {
    id: string
    body?: object
    headers?: Record<string, string>
    fetch?: typeof fetch
  },
): OpenChat {
  const transport = new DefaultChatTransport({
    api: `${url}/v1/chat`,
    ...(body && { body }),
    ...(headers && { headers }),
    ...(own && { fetch: own }),
  })
  let failed: Error | undefined
  const watchers = new Set<() => void>()
  const chat = new Chat<UIMessage>({
    id,
    transport,
    ...init,
    onError: (error) => {
      failed = error
    },
  })
  const changed = () => {
    for (const watch of [...watchers]) watch()
  }
  chat['~registerMessagesCallback'](changed)
  chat['~registerStatusCallback'](changed)
  chat['~registerErrorCallback'](changed)
  const parts = () => (chat.lastMessage?.parts ?? []).filter(({ type }) => type !== 'step-start')
  return {
    chat,
    parts,
    text: () =>
      parts()
        .flatMap((part) => (part.type === 'text' ? part.text : []))
        .join(''),
    until: (holds = () => true) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const rests = chat.status === 'ready' || chat.status === 'error'
          if (chat.status === 'error') reject(failed ?? chat.error)
          else if (!rests || !holds()) return
          else resolve()
          watchers.delete(watch)
        }
        watchers.add(watch)
        watch()
      }),
  }
}
