/**
 * The shapes of request bodies: used to check them and shown in the OpenAPI document.
 * @module
 */

export const modes = ['deferred', 'stub', 'full', 'auto'] as const

const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const

const clientTools = {
  type: 'array',
  maxItems: 64,
  description:
    "Tools whose code runs in the caller's pages. A name of the server's own is refused, as is a schema that cannot be used; the answer says which.",
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'description', 'inputSchema'],
    properties: {
      name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
      description: { type: 'string', maxLength: 4000 },
      inputSchema: { type: 'object', description: 'JSON Schema of the arguments.' },
      readOnly: { type: 'boolean', description: 'Changes nothing: nobody is asked about it.' },
      concurrent: { type: 'boolean', description: 'May run beside other calls.' },
      timeout: {
        type: 'integer',
        minimum: 1,
        maximum: 900_000,
        description: 'Milliseconds until the model is told that no page answered. Default 60,000.',
      },
    },
  },
} as const

const key = {
  type: 'string',
  maxLength: 1000,
  description: 'From the client_tool_call event: names this one execution.',
} as const

const owner = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: "The page's own name for itself, the same over a reload.",
} as const

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
      clientTools,
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
          'ask: put questions, to be answered by POST approvals; a JSON answer that would have to wait for a person or a page is a 202 with what is pending. deny: what needs a person is denied. Default: ask for an event stream, deny for JSON.',
      },
    },
  },
  chat: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'messages'],
    properties: {
      id: { ...id, description: "The chat, which is the session of its turns' runs." },
      messages: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        description:
          "UI messages of the AI SDK. The last one counts: a person's, or the assistant's with answers to questions and results of the page's tools. The chat itself is kept here.",
        items: {
          type: 'object',
          required: ['id', 'role', 'parts'],
          properties: {
            id: { type: 'string', maxLength: 200 },
            role: { type: 'string', enum: ['system', 'user', 'assistant'] },
            parts: { type: 'array', maxItems: 1000, items: { type: 'object', required: ['type'] } },
          },
        },
      },
      trigger: { type: 'string', enum: ['submit-message', 'regenerate-message'] },
      messageId: { type: 'string', maxLength: 200 },
      mode: {
        type: 'string',
        enum: [...modes],
        description: 'How schemas reach the model. Default: the TOOL_MODE variable.',
      },
      clientTools,
      follow: {
        type: 'boolean',
        description:
          'Keep the stream open while the turn waits for a person or a page, whose answers come by POST of the run. Default false: the stream ends there, and the next message goes on with it, as useChat does.',
      },
    },
  },
  leaseCall: {
    type: 'object',
    additionalProperties: false,
    required: ['key', 'owner'],
    properties: {
      key,
      owner,
      release: { type: 'boolean', description: 'Gives the lease back: the page goes away.' },
    },
  },
  answerCall: {
    type: 'object',
    additionalProperties: false,
    required: ['key'],
    oneOf: [{ required: ['result'] }, { required: ['error'] }],
    properties: {
      key,
      owner,
      result: { description: 'Any JSON: what the tool gave.' },
      error: {
        type: 'string',
        maxLength: 4000,
        description: 'Instead of a result: why it failed.',
      },
    },
  },
  createToken: {
    type: 'object',
    additionalProperties: false,
    oneOf: [{ required: ['runId'] }, { required: ['sessionId'] }],
    properties: {
      runId: { type: 'string', maxLength: 129, description: 'The one run it is good for.' },
      sessionId: { ...id, description: 'Or the session: its runs and its chat.' },
      expiresInSeconds: {
        type: 'integer',
        minimum: 1,
        maximum: 86_400,
        description: 'Default 3,600.',
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
