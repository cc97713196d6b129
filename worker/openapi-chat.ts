/**
 * The chat's part of the OpenAPI document.
 * @module
 */
import {
  body,
  eventStream,
  json,
  type Operation,
  problemOf,
  query,
  refused,
} from './openapi-parts.ts'
import { bodySchemas } from './schemas.ts'

const chat = {
  name: 'chat',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'Chat id: the session of its turns’ runs.',
}

const stream = {
  description:
    'UI message chunks of the AI SDK as server-sent events, `[DONE]` at the end (x-vercel-ai-ui-message-stream: v1).',
  content: eventStream,
}

const sendMessage: Operation = {
  operationId: 'sendMessage',
  summary: 'Send a message to the chat',
  description:
    "What the AI SDK's `useChat` sends and reads. A person's message begins a turn and ends one under way; an assistant's message brings answers to questions and results of the page's tools, and reads on. The same message again is not run again.",
  requestBody: body(bodySchemas.chat),
  responses: {
    '200': stream,
    '409': problemOf('Nothing waits for the answers in the message; `answers` says why.'),
    '413': problemOf('The body is too large.'),
    ...refused,
  },
}

const readChat: Operation = {
  operationId: 'readChat',
  summary: 'Read a chat',
  description:
    'Its messages for `useChat({ messages })`, and whether a turn goes on (`active`, `runId`): then `GET …/stream` has the rest.',
  parameters: [chat],
  responses: { '200': json('The chat.'), ...refused },
}

const resumeChat: Operation = {
  operationId: 'resumeChat',
  summary: 'Read a turn under way',
  description: 'From its start on, after a reload or a broken connection.',
  parameters: [
    chat,
    query('follow', '`true`: stay while the turn waits for a person or a page.', {
      type: 'string',
      enum: ['true', 'false'],
    }),
  ],
  responses: { '200': stream, '204': { description: 'No turn goes on.' }, ...refused },
}

const stopChat: Operation = {
  operationId: 'stopChat',
  summary: 'Stop the turn',
  description: 'Aborts the model and the round under way; every call gets its result.',
  parameters: [chat],
  responses: { '200': json('`stopped`: whether a turn went on.'), ...refused },
}

export const chatPaths = {
  '/v1/chat': { post: sendMessage },
  '/v1/chat/{chat}': { get: readChat },
  '/v1/chat/{chat}/stream': { get: resumeChat },
  '/v1/chat/{chat}/stop': { post: stopChat },
}
