/**
 * The shapes of request bodies: used to check them and shown in the OpenAPI document.
 * @module
 */
import { modes } from './env.ts'

const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const

export const bodySchemas = {
  createRun: {
    type: 'object',
    additionalProperties: false,
    properties: {
      sessionId: {
        ...id,
        description: 'The conversation, 1 to 64 of A-Z a-z 0-9 _ -. Default: a fresh one.',
      },
      mode: {
        type: 'string',
        enum: [...modes],
        description: 'How schemas reach the model. Default: the TOOL_MODE variable.',
      },
    },
  },
  dispatchRound: {
    type: 'object',
    additionalProperties: false,
    properties: {
      roundId: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Yours: the same round posted again gives the same results. Default: fresh.',
      },
      calls: {
        type: 'array',
        maxItems: 1000,
        description: "The model's calls, in its order.",
        // Described, not required: what a model does wrong is an outcome, not a bad request.
        items: {
          properties: {
            id: { description: "The provider's call id, a text. Default: a fresh one." },
            name: { description: "The tool's name, a text." },
            arguments: { description: 'JSON text as the model wrote it, or an object.' },
          },
        },
      },
      message: {
        description:
          'Instead of calls: a raw assistant message or response of OpenAI (Chat Completions, Responses), Anthropic or Gemini.',
      },
      finishReason: {
        type: 'string',
        description:
          'The finish reason. After "length" the last call may be cut off and is not trusted.',
      },
      approvals: {
        type: 'string',
        enum: ['ask', 'deny'],
        description:
          'ask: wait for answers to POST approvals. deny: what needs a person is denied. Default: ask for an event stream, deny for JSON.',
      },
    },
  },
  answerApprovals: {
    type: 'object',
    additionalProperties: false,
    required: ['answers'],
    properties: {
      answers: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['callId', 'token', 'decision'],
          properties: {
            callId: { type: 'string' },
            token: { type: 'string', description: 'From the approval_requested event.' },
            decision: {
              type: 'string',
              enum: ['approve', 'approve-for-run', 'approve-and-remember', 'deny', 'stop'],
            },
            arguments: { type: 'object', description: 'approve: run with these instead.' },
            pattern: {
              type: 'object',
              description: 'approve-and-remember: arguments that the rule covers.',
            },
            reason: { type: 'string', maxLength: 2000 },
          },
        },
      },
    },
  },
} as const

export type BodyName = keyof typeof bodySchemas
