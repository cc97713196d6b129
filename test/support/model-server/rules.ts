/** What several vendors ask of a request, and how they write a stream. */
import type { Json, JsonObject } from '../../../src/index.ts'

/** Text cut into pieces as a model streams it. */
export function pieces(text: string, size = 3): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? []
}

export function frame(data: Json, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`
}

export function list(value: Json | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : []) as JsonObject[]
}

export function nameProblem(names: readonly unknown[]): string | undefined {
  const bad = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
  if (bad !== undefined) return `tool name '${String(bad)}' does not match ^[a-zA-Z0-9_-]{1,64}$`
  return new Set(names).size === names.length ? undefined : 'tool names must be unique'
}

/** OpenAI's rules for `strict: true`. */
export function strictProblem(schema: Json | undefined): string | undefined {
  if (Array.isArray(schema)) return schema.map(strictProblem).find(Boolean)
  if (typeof schema !== 'object' || schema === null) return undefined
  if (schema.type === 'object') {
    if (schema.additionalProperties !== false) return 'additionalProperties is required to be false'
    const properties = Object.keys(Object(schema.properties))
    const required = new Set(schema.required as string[] | undefined)
    if (properties.some((name) => !required.has(name))) return 'required must name every property'
  }
  return Object.values(schema).map(strictProblem).find(Boolean)
}
