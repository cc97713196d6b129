/**
 * Tools and calls of the project's own, for when the shared catalogue is not there: the same kinds
 * of schemas (`$ref`, unions, formats, patterns, drafts) and the same four kinds of wrong calls.
 * @module
 */
import type { JsonObject } from '../../src/round.ts'
import type { JsonSchema } from '../../src/tools/tool.ts'

/** One tool with a call that fits its schema. */
export interface OwnTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly valid: JsonObject
}

/** A call with one rule broken, at `path`. */
export interface OwnInvalidCall {
  readonly name: string
  readonly args: JsonObject
  readonly reason: 'missing required' | 'wrong type' | 'bad enum' | 'extra property'
  readonly path: string
}

const text = { type: 'string' }
const draft7 = 'http://json-schema.org/draft-07/schema#'
const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

function tool(name: string, inputSchema: JsonSchema, valid: JsonObject): OwnTool {
  return { name, description: `Does ${name.replaceAll(/[._-]/g, ' ')}.`, inputSchema, valid }
}

/** Twelve tools. */
export const ownTools: readonly OwnTool[] = [
  tool('ping', { type: 'object', properties: {} }, {}),
  tool(
    'math.area',
    {
      type: 'object',
      properties: { width: { type: 'number' }, height: { type: 'integer' } },
      required: ['width', 'height'],
    },
    { width: 1.5, height: 2 },
  ),
  tool(
    'list_issues',
    {
      type: 'object',
      properties: {
        state: { ...text, enum: ['open', 'closed'] },
        labels: { type: 'array', items: text },
        page: { type: 'integer', minimum: 1, default: 1 },
      },
      required: ['state'],
      additionalProperties: false,
    },
    { state: 'open', labels: ['bug'], page: 2 },
  ),
  tool(
    'create-page',
    {
      $schema: draft2020,
      type: 'object',
      $defs: {
        parent: {
          type: 'object',
          properties: { id: { ...text, format: 'uuid' } },
          required: ['id'],
        },
      },
      properties: { parent: { $ref: '#/$defs/parent' }, title: { ...text, minLength: 1 } },
      required: ['parent', 'title'],
    },
    { parent: { id: '123e4567-e89b-42d3-a456-426614174000' }, title: 'x' },
  ),
  tool(
    'findDocuments',
    {
      $schema: draft7,
      type: 'object',
      definitions: {
        filter: {
          type: 'object',
          properties: { field: text, value: { type: ['string', 'number', 'null'] } },
          required: ['field'],
          additionalProperties: false,
        },
      },
      properties: {
        filters: { type: 'array', items: { $ref: '#/definitions/filter' }, minItems: 1 },
      },
      required: ['filters'],
    },
    { filters: [{ field: 'a', value: null }, { field: 'b' }] },
  ),
  tool(
    'schedule',
    {
      type: 'object',
      properties: {
        at: { ...text, format: 'date-time' },
        every: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
      required: ['at'],
    },
    { at: '2026-01-31T09:30:00Z', every: null },
  ),
  tool(
    'draw',
    {
      type: 'object',
      properties: {
        shape: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'circle' }, r: { type: 'number' } },
              required: ['kind', 'r'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'box' }, w: { type: 'number' }, h: { type: 'number' } },
              required: ['kind', 'w', 'h'],
            },
          ],
        },
      },
      required: ['shape'],
    },
    { shape: { kind: 'box', w: 1, h: 2 } },
  ),
  tool(
    'set_level',
    {
      type: 'object',
      properties: { level: { type: 'integer', enum: [1, 2, 4] } },
      required: ['level'],
    },
    { level: 4 },
  ),
  tool(
    'tag',
    {
      type: 'object',
      properties: { name: { ...text, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' } },
      required: ['name'],
    },
    { name: 'a-b' },
  ),
  tool(
    'headers',
    {
      type: 'object',
      properties: {
        map: { type: 'object', additionalProperties: text, propertyNames: { maxLength: 20 } },
      },
      required: ['map'],
    },
    { map: { a: 'b' } },
  ),
  tool(
    'tree',
    {
      type: 'object',
      properties: { v: text, kids: { type: 'array', items: { $ref: '#' } } },
      required: ['v'],
      additionalProperties: false,
    },
    { v: 'a', kids: [{ v: 'b', kids: [] }] },
  ),
  tool(
    'allow',
    {
      type: 'object',
      properties: {
        hosts: { type: 'array', items: { ...text, format: 'ipv4' }, uniqueItems: true },
        wait: { type: 'boolean' },
      },
      required: ['hosts'],
    },
    { hosts: ['192.0.2.1'], wait: true },
  ),
]

/** Wrong calls of these tools. */
export const ownInvalidCalls: readonly OwnInvalidCall[] = [
  { name: 'math.area', args: { width: 1 }, reason: 'missing required', path: '/height' },
  {
    name: 'create-page',
    args: { parent: {}, title: 'x' },
    reason: 'missing required',
    path: '/parent/id',
  },
  {
    name: 'draw',
    args: { shape: { kind: 'circle' } },
    reason: 'missing required',
    path: '/shape/r',
  },
  { name: 'math.area', args: { width: 1, height: 2.5 }, reason: 'wrong type', path: '/height' },
  {
    name: 'list_issues',
    args: { state: 'open', labels: [7] },
    reason: 'wrong type',
    path: '/labels/0',
  },
  {
    name: 'schedule',
    args: { at: '2026-01-31T09:30:00Z', every: 'day' },
    reason: 'wrong type',
    path: '/every',
  },
  { name: 'headers', args: { map: { a: 1 } }, reason: 'wrong type', path: '/map/a' },
  {
    name: 'allow',
    args: { hosts: ['192.0.2.1'], wait: 'yes' },
    reason: 'wrong type',
    path: '/wait',
  },
  { name: 'list_issues', args: { state: 'all' }, reason: 'bad enum', path: '/state' },
  { name: 'set_level', args: { level: 3 }, reason: 'bad enum', path: '/level' },
  {
    name: 'list_issues',
    args: { state: 'open', unexpected_argument: 1 },
    reason: 'extra property',
    path: '/unexpected_argument',
  },
  {
    name: 'findDocuments',
    args: { filters: [{ field: 'a', op: '=' }] },
    reason: 'extra property',
    path: '/filters/0/op',
  },
  {
    name: 'tree',
    args: { v: 'a', kids: [{ v: 'b', x: 1 }] },
    reason: 'extra property',
    path: '/kids/0/x',
  },
]
