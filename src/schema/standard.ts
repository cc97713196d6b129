/**
 * Standard Schema (zod, valibot, arktype) beside plain JSON Schema.
 * @module
 */
import { DispatchError } from '../errors.ts'
import type { JsonSchema, StandardSchema } from '../tools/tool.ts'

/** The schema itself, when it is a Standard Schema. */
export function standardOf(
  schema: JsonSchema | StandardSchema | undefined,
): StandardSchema | undefined {
  return schema !== undefined && schema !== null && '~standard' in schema
    ? (schema as StandardSchema)
    : undefined
}

/** The JSON Schema of a tool: its own, or what its Standard Schema gives. Throws `THREEPASS_BAD_SCHEMA`. */
export function jsonSchemaOf(
  name: string,
  schema: JsonSchema | StandardSchema | undefined,
): JsonSchema {
  if (schema === undefined) return { type: 'object', properties: {} }
  const standard =
    typeof schema === 'object' || typeof schema === 'function' ? standardOf(schema) : undefined
  if (!standard) return schema as JsonSchema
  const convert = standard['~standard'].jsonSchema?.input
  if (typeof convert !== 'function') {
    throw new DispatchError(
      'THREEPASS_BAD_SCHEMA',
      `Tool "${name}": its ${standard['~standard'].vendor} schema cannot give its JSON Schema: use a version that implements Standard JSON Schema, or pass plain JSON Schema.`,
    )
  }
  try {
    return convert({ target: 'draft-2020-12' }) as JsonSchema
  } catch (cause) {
    throw new DispatchError(
      'THREEPASS_BAD_SCHEMA',
      `Tool "${name}": its schema has a part without a JSON Schema form (${cause instanceof Error ? cause.message : String(cause)}).`,
      { cause },
    )
  }
}
