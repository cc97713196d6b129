/**
 * The API as an OpenAPI 3.1 document, made from the schemas that check the requests.
 * @module
 */
import { chatPaths } from './openapi-chat.ts'
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

/** What this document uses of OpenAPI. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly [kind: string]: { readonly [name: string]: unknown } }
}

export function openApiDocument(origin: string): OpenApi {
  return {
    openapi: '3.1.0',
    info: {
      title: 'threepass',
      version: '0.1.0',
      description:
        "Checks, runs and records rounds of an LLM's tool calls. What a model does wrong is an outcome in a 200 answer; a request that is itself wrong is a problem (RFC 9457) with a code.",
    },
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
    paths: {
      '/v1/runs': { post: createRun },
      '/v1/runs/{run}': { get: readRun, delete: cancelRun },
      '/v1/runs/{run}/rounds': { post: dispatchRound },
      '/v1/runs/{run}/events': { get: readEvents },
      '/v1/runs/{run}/approvals': { post: answerApprovals },
      '/v1/runs/{run}/calls/{call}/lease': { post: leaseCall },
      '/v1/runs/{run}/calls/{call}/result': { post: answerCall },
      '/v1/tokens': { post: createToken },
      ...chatPaths,
      '/mcp': { post: mcp },
      '/v1/tools': { get: listTools },
      '/v1/runs/{run}/tools': { get: listRunTools },
      '/healthz': { get: health },
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The API_TOKEN secret, or in a page a run token (POST /v1/tokens). Without that secret the Worker answers loopback only.',
        },
      },
      schemas: { Problem: problem, RoundResult: roundResult, ToolResult: toolResult },
    },
  }
}

const run = {
  name: 'run',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'Run id.',
}

const noRun = { '404': problemOf('There is no such run.') }

const createRun: Operation = {
  operationId: 'createRun',
  summary: 'Open a run',
  description:
    "Answers with the run's id and what to send to the model: the tools array and, in deferred mode, the block of tool names for the turn context. `refusedTools` says which client tools were left out, and why.",
  requestBody: body(bodySchemas.createRun),
  responses: { '201': json('The run.'), ...refused },
}

const readRun: Operation = {
  operationId: 'readRun',
  summary: 'Read a run',
  description:
    'State, rounds with results and history, and what waits: `pendingApprovals`, `pendingCalls`. 50 rounds a page.',
  parameters: [run, query('from', 'Index of the first round, default 0.', { type: 'integer' })],
  responses: { '200': json('The run.'), ...refused, ...noRun },
}

const cancelRun: Operation = {
  operationId: 'cancelRun',
  summary: 'Cancel a run',
  description:
    'Aborts what is under way and stops the run for good. What was recorded stays readable.',
  parameters: [run],
  responses: { '200': json('Stopped.'), ...refused, ...noRun },
}

const dispatchRound: Operation = {
  operationId: 'dispatchRound',
  summary: 'Dispatch a round',
  description:
    "One result a call, in call order. With `Accept: text/event-stream` the round's events come as they happen, then `round_result`. A roundId that was posted before gives the same results.",
  parameters: [run],
  requestBody: body(bodySchemas.dispatchRound),
  responses: {
    '200': {
      description: 'The results.',
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/RoundResult' } },
        ...eventStream,
      },
    },
    '202': json('JSON only: the round waits for people or pages; post it again for its results.'),
    '409': problemOf('This roundId came with other calls.'),
    '413': problemOf('The body is too large.'),
    ...refused,
    ...noRun,
  },
}

const readEvents: Operation = {
  operationId: 'readEvents',
  summary: "Read a run's events",
  description: 'Server-sent events from the first on, or after Last-Event-ID, then as they happen.',
  parameters: [
    run,
    { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'integer' } },
    query('after', 'The same as a parameter.', { type: 'integer' }),
    query('follow', '`false`: end after what there is.', {
      type: 'string',
      enum: ['true', 'false'],
    }),
  ],
  responses: { '200': { description: 'The events.', content: eventStream }, ...refused, ...noRun },
}

const answerApprovals: Operation = {
  operationId: 'answerApprovals',
  summary: 'Answer approvals',
  description:
    'Answers to questions of approval_requested, each with its token, in any order. The round goes on when the last is in.',
  parameters: [run],
  requestBody: body(bodySchemas.answerApprovals),
  responses: {
    '200': json('All taken, or the same answer again.'),
    '409': problemOf('A question was answered otherwise before.'),
    '410': problemOf('A question that nobody waits for any more.'),
    '422': problemOf('Edited arguments that do not fit: the question stays open.'),
    ...refused,
    '404': problemOf('No such run, or a question that was not asked.'),
  },
}

const call = {
  name: 'call',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'Call id.',
}
const noCall = {
  '404': problemOf('No such run, or no such call in it.'),
  '409': problemOf('Another page has the call, or it has its result.'),
}

const leaseCall: Operation = {
  operationId: 'leaseCall',
  summary: 'Take a client call',
  description:
    'A page says that it runs this call, or goes on running it: a lease lasts 30 seconds. A lost lease of a call that changes nothing passes on; of any other the call is interrupted.',
  parameters: [run, call],
  requestBody: body(bodySchemas.leaseCall),
  responses: { '200': json('The lease.'), ...refused, ...noCall },
}

const answerCall: Operation = {
  operationId: 'answerCall',
  summary: "Give a client call's result",
  description: 'The first valid answer is the result; the same answer again is quiet.',
  parameters: [run, call],
  requestBody: body(bodySchemas.answerCall),
  responses: { '200': json('Taken.'), ...refused, ...noCall },
}

const createToken: Operation = {
  operationId: 'createToken',
  summary: 'Make a run token',
  description:
    'For a page, so that it never holds the API token: good for one run or one session, until it expires. Needs the API token.',
  requestBody: body(bodySchemas.createToken),
  responses: {
    '201': json('`token` and `expiresAt`.'),
    ...refused,
    '403': problemOf('A run token cannot make another.'),
    '409': problemOf('API_TOKEN is not set.'),
  },
}

const mcp: Operation = {
  operationId: 'mcp',
  summary: 'Call tools by the Model Context Protocol',
  description:
    'Streamable HTTP, with GET and DELETE beside it for sessions: https://modelcontextprotocol.io/specification. A client that opens a session has files of its own.',
  parameters: [
    query('expose', '`deferred`: find_tools and run_tool alone.', {
      type: 'string',
      enum: ['all', 'deferred'],
    }),
    query('session', 'A session of the API, to share its files and tools.'),
  ],
  responses: { '200': json('A JSON-RPC answer, or a stream of them.'), ...refused },
}

const searched = query('query', 'What a tool should do; best matches first.')
const listed = json('Tools with schemas and traits; the sources they come from, and how those are.')

const listTools: Operation = {
  operationId: 'listTools',
  summary: "List or search the tools that a new session has, or a session token's own",
  parameters: [searched],
  responses: {
    '200': listed,
    ...refused,
    '403': problemOf('The run token is not good for a session.'),
  },
}

const listRunTools: Operation = {
  operationId: 'listRunTools',
  summary: "List or search a run's tools as they are now",
  parameters: [run, searched],
  responses: { '200': listed, ...noRun, ...refused },
}

const health: Operation = {
  operationId: 'health',
  summary: 'Is the Worker up?',
  responses: { '200': json('It is.') },
  security: [],
}

const outcomes = [
  'completed',
  'failed',
  'duplicate',
  'cached',
  'refused',
  'schema',
  'unknown',
  'denied',
  'invalid',
  'cancelled',
  'timed_out',
  'interrupted',
]

const toolResult = {
  type: 'object',
  required: ['callId', 'name', 'outcome', 'code', 'content'],
  properties: {
    callId: { type: 'string' },
    originalId: { type: 'string', description: "The provider's id, when it had to be replaced." },
    name: { type: 'string' },
    outcome: { type: 'string', enum: outcomes },
    code: { type: 'string', description: 'Finer than the outcome; stable.' },
    content: { type: 'string', description: 'What the model reads.' },
    value: { description: "The tool's structured answer." },
    repaired: { type: 'array', items: { type: 'string' } },
    coerced: { type: 'array', items: { type: 'object' } },
    ageMs: { type: 'number', description: 'cached: age of the answer.' },
  },
}

const roundResult = {
  type: 'object',
  required: ['roundId', 'results', 'stopped'],
  properties: {
    roundId: { type: 'string' },
    results: { type: 'array', items: { $ref: '#/components/schemas/ToolResult' } },
    stopped: { type: 'boolean', description: 'A person stopped the run.' },
  },
}

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}
