/**
 * list_chatbot and send_to_chatbot: messages to the chats that the host has configured.
 * @module
 */
import { DispatchError } from '../../errors.ts'
import type { AnyTool, Tool } from '../../tools/tool.ts'
import type { ChatPlatform } from './platform.ts'

export interface ChatBotOptions {
  /** At least one; names are unique. */
  readonly platforms: readonly ChatPlatform[]
  /** A guarded fetch. */
  readonly fetch: typeof fetch
}

/**
 * Makes both tools. A message asks a person; two messages to one chat go out in the model's order. Throws
 * `THREEPASS_BAD_OPTION` without platforms or with two of one name.
 */
export function chatBotTools({ platforms, fetch }: ChatBotOptions): AnyTool[] {
  const byName = new Map(platforms.map((each) => [each.name, each]))
  if (platforms.length === 0 || byName.size !== platforms.length) {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      'chatBotTools needs platforms, one of each: [telegramBot({ token, chats })].',
    )
  }
  const names = [...byName.keys()]
  return [listTool(byName, names), sendTool(byName, names, fetch)]
}

type Platforms = ReadonlyMap<string, ChatPlatform>

function listTool(platforms: Platforms, names: string[]): Tool<{ platform: string }> {
  return {
    name: 'list_chatbot',
    description: 'Lists the chats that messages can be sent to, with their ids.',
    inputSchema: {
      type: 'object',
      properties: { platform: { enum: names } },
      required: ['platform'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    execute: ({ platform }) =>
      (platforms.get(platform)?.chats ?? []).map(({ id, name }) => ({ id, name })),
  }
}

interface SendArgs {
  readonly platform: string
  readonly target_id: string
  readonly message: string
}

function sendTool(
  platforms: Platforms,
  names: string[],
  fetch: typeof globalThis.fetch,
): Tool<SendArgs> {
  return {
    name: 'send_to_chatbot',
    description:
      'Sends a text message to a chat of list_chatbot. Plain text, no markup; mentions reach nobody.',
    inputSchema: {
      type: 'object',
      properties: {
        platform: { enum: names },
        target_id: { type: 'string', minLength: 1, maxLength: 200, description: 'Id of the chat.' },
        message: { type: 'string', minLength: 1, maxLength: 20_000, description: 'The text.' },
      },
      required: ['platform', 'target_id', 'message'],
      additionalProperties: false,
    },
    concurrent: true,
    confirm: true,
    reads: () => [],
    writes: ({ platform, target_id: id }) => [`chat:${platform}/${encodeURIComponent(String(id))}`],
    async execute({ platform: name, target_id: chatId, message }, { signal }) {
      const platform = platforms.get(name) as ChatPlatform
      if (!platform.chats.some(({ id }) => id === chatId)) {
        throw new Error(`${chatId} is no chat of ${name}: see list_chatbot`)
      }
      if (message.trim() === '') throw new Error('the message is empty')
      if (message.length > platform.maxLength) {
        throw new Error(
          `the message has ${message.length} characters, ${name} takes ${platform.maxLength}: send it in parts`,
        )
      }
      const sent = await platform.send({ chatId, text: message }, { fetch, signal })
      return { ok: true, ...sent }
    },
  }
}
