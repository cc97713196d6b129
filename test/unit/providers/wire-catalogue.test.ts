import { describe, expect, it } from 'vitest'
import {
  geminiSchema,
  openAIStrictSchema,
  toolsFor,
  wireNames,
} from '../../../src/providers/index.ts'
import type { Json, JsonObject } from '../../../src/round.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { type DataTool, dataRounds, dataTools } from '../../support/data.ts'
import { accepts, asGemini, asStrict, schemasIn, withoutNullable } from '../../support/wire.ts'

const geminiKeywords =
  'type format title description nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern minimum maximum anyOf'
const strictKeywords =
  'type format description enum items minItems maxItems properties required additionalProperties pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf anyOf $ref $defs'

function strangers(schema: unknown, keywords: string): string[] {
  const known = keywords.split(' ')
  return schemasIn(schema).flatMap(({ path, node }) =>
    Object.keys(node)
      .filter((key) => !known.includes(key))
      .map((key) => `${path}/${key}`),
  )
}

/** What Gemini's API is known to refuse. */
function geminiFaults(schema: unknown): string[] {
  return schemasIn(schema).flatMap(({ path, node }) => {
    const { type, anyOf, items, format, properties } = node
    const required = (node.required ?? []) as string[]
    const members = (node.enum ?? []) as Json[]
    const wrong = [
      anyOf ? Object.keys(node).length > 1 : typeof type !== 'string',
      members.length > 0 && type !== 'string',
      members.some((member) => typeof member !== 'string' || member === ''),
      type === 'array' && items === undefined,
      type === 'string' && format !== undefined && format !== 'date-time',
      required.some((name) => !Object.hasOwn((properties ?? {}) as object, name)),
      properties !== undefined && Object.keys(properties as object).length === 0,
    ]
    return wrong.includes(true) ? [`${path} ${wrong.indexOf(true)}`] : []
  })
}

/** What OpenAI's strict mode is known to refuse. */
function strictFaults(schema: unknown): string[] {
  return schemasIn(schema).flatMap(({ path, node }) => {
    const { type, anyOf, $ref, properties, items } = node
    const wrong = [
      type === undefined && anyOf === undefined && $ref === undefined,
      $ref !== undefined && Object.keys(node).length > 1,
      [type].flat().includes('object') && node.additionalProperties !== false,
      properties !== undefined &&
        JSON.stringify(Object.keys(properties as object)) !== JSON.stringify(node.required),
      [type].flat().includes('array') && items === undefined,
    ]
    return wrong.includes(true) ? [`${path} ${wrong.indexOf(true)}`] : []
  })
}

function validCalls(): { tool: DataTool; args: JsonObject; id: string }[] {
  return dataRounds()
    .filter(({ valid }) => valid)
    .flatMap(({ id, tools, calls }) =>
      calls.flatMap(({ name, args }) => {
        const tool = tools.find((each) => each.name === name)
        return tool ? [{ tool, args, id }] : []
      }),
    )
}

/** Arguments without nulls: to the author's schema a null and an absent option may be the same. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)))
}

function checked({ inputSchema }: DataTool, args: Json): unknown {
  const result = cfworkerValidator()
    .compile(inputSchema, 'external')
    .check(args as JsonObject)
  return result.ok ? withoutNulls(result.args) : result.issues
}

describe('the whole catalogue on the wire', () => {
  it('has only what Gemini takes (P35)', () => {
    const faults = dataTools().flatMap(({ name, inputSchema }) => {
      const schema = geminiSchema(inputSchema)
      return [...strangers(schema, geminiKeywords), ...geminiFaults(schema)].map(
        (fault) => `${name} ${fault}`,
      )
    })
    expect(faults).toEqual([])
  })

  it('has only what strict mode takes, or says that it is not strict (P38)', () => {
    const all = dataTools().map((tool) => ({ tool, ...openAIStrictSchema(tool.inputSchema) }))
    const faults = all.flatMap(({ tool, schema, strict }) =>
      strict
        ? [...strangers(schema, strictKeywords), ...strictFaults(schema)].map(
            (fault) => `${tool.name} ${fault}`,
          )
        : [],
    )
    expect(faults).toEqual([])
    for (const { tool, schema, strict } of all) if (!strict) expect(schema).toBe(tool.inputSchema)
  })

  it('takes every valid call in the Gemini form, and reads it back (P35)', () => {
    for (const { tool, args, id } of validCalls()) {
      const schema = geminiSchema(tool.inputSchema)
      const sent = asGemini(args, schema)
      expect([id, accepts(withoutNullable(schema), sent)]).toEqual([id, true])
      expect([id, checked(tool, sent)]).toEqual([id, withoutNulls(args)])
    }
  })

  it('takes every valid call in the strict form, and drops the nulls of it (P38)', () => {
    for (const { tool, args, id } of validCalls()) {
      const { schema } = openAIStrictSchema(tool.inputSchema)
      const strict = openAIStrictSchema(tool.inputSchema).strict
      const sent = strict ? asStrict(args, schema) : args
      expect([id, accepts(schema, sent)]).toEqual([id, true])
      expect([id, checked(tool, sent)]).toEqual([id, withoutNulls(args)])
    }
  })

  it('is the same bytes in any order, under legal names (P22)', () => {
    const tools = dataTools()
    const reversed = [...tools].reverse()
    const names = wireNames(tools.map(({ name }) => name))
    const other = wireNames(reversed.map(({ name }) => name))
    for (const provider of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
      const sent = JSON.stringify(toolsFor(provider, tools, names))
      expect(JSON.stringify(toolsFor(provider, reversed, other)) === sent).toBe(true)
      const sentNames = [...sent.matchAll(/"name":"([^"]*)"(?=,"description")/g)].map(
        ([, name]) => name,
      )
      for (const { name } of tools) expect(sentNames).toContain(names.toWire(name))
    }
  })
})
