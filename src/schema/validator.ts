/**
 * PORT SchemaValidator: are these arguments what the schema wants, and if not, what is wrong?
 * @module
 */
import type { Coercion, JsonObject } from '../round.ts'
import type { JsonSchema } from '../tools/tool.ts'

/** One thing wrong with the arguments. */
export interface Issue {
  /** JSON pointer of the value (`/filters/0/name`), `''` for the whole. A missing or extra property is named by its own path. */
  readonly path: string
  /** What was expected and what came, without the path; with the field's description where it helps. */
  readonly message: string
}

export type Checked =
  | { readonly ok: true; readonly args: JsonObject; readonly coerced: readonly Coercion[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export interface CheckOptions {
  /** Try the safe coercions when validation fails; default true. */
  readonly coerce?: boolean
  /** JSON pointers of texts that were numbers which a double cannot hold. */
  readonly inexact?: ReadonlySet<string>
}

export interface CompiledSchema {
  /** The schema as it is validated (2020-12 or draft 7, traps removed). */
  readonly schema: JsonSchema
  /** What registration changed or had to leave out, one line each. */
  readonly warnings: readonly string[]
  /** Never throws, whatever the arguments are; never changes its input. */
  check(args: JsonObject, options?: CheckOptions): Checked
  /** The arguments with the schema's top-level and nested property defaults filled in: for keys, not for tools. */
  withDefaults(args: JsonObject): JsonObject
}

export interface SchemaValidator {
  /**
   * Prepares a schema once. `external` schemas are also screened for patterns and sizes that could stall a validation.
   * Throws `DispatchError` `THREEPASS_BAD_SCHEMA` for one that cannot be used.
   */
  compile(schema: JsonSchema, trust: 'author' | 'external'): CompiledSchema
}
