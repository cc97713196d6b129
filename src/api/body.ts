/**
 * The body of a request, as its content type wants it.
 * @module
 */
import { isObject } from '../schema/pointer.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Given } from './build-request.ts'
import type { ApiEndpoint } from './definition.ts'
import type { BoundParameter } from './read-parameters.ts'
import { inQuery, joined, plain } from './serialise.ts'

export interface Body {
  readonly content: NonNullable<RequestInit['body']>
  /** `undefined`: the sender writes it. */
  readonly type?: string
}

/** `undefined` when no argument makes one. */
export async function bodyOf(
  contentType: NonNullable<ApiEndpoint['content_type']>,
  all: readonly Given[],
  workspace: Workspace | undefined,
): Promise<Body | undefined> {
  const whole = all.find(({ parameter }) => parameter.in === 'whole_body')
  const fields = all.filter(({ parameter }) => parameter.in === 'body')
  if (contentType === 'raw') return whole && rawBody(whole, workspace)
  if (contentType === 'json') return jsonBody(whole, fields)
  const parts = whole ? membersOf(whole) : fields
  if (contentType === 'multipart') return { content: await formDataOf(parts, workspace) }
  const pairs = parts.flatMap(({ parameter, value }) =>
    value === null ? [] : inQuery(parameter, value),
  )
  return { content: joined(pairs), type: 'application/x-www-form-urlencoded;charset=UTF-8' }
}

function jsonBody(whole: Given | undefined, fields: readonly Given[]): Body {
  const value = whole
    ? whole.value
    : Object.fromEntries(fields.map(({ parameter, value }) => [parameter.name, value]))
  return { content: JSON.stringify(value), type: 'application/json' }
}

/** The fields of a body that is one argument. */
function membersOf({ parameter, value }: Given): Given[] {
  if (!isObject(value)) throw new Error(`${parameter.argument} must be an object`)
  const usual = { ...parameter, style: 'form', explode: true } as const
  return Object.entries(value).map(([name, each]) => ({
    parameter: { ...usual, argument: name, name },
    value: each,
  }))
}

/** A list becomes one field an item. */
async function formDataOf(
  parts: readonly Given[],
  workspace: Workspace | undefined,
): Promise<FormData> {
  const form = new FormData()
  for (const { parameter, value } of parts) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === null || each === undefined) continue
      if (!parameter.file) form.append(parameter.name, plain(each))
      else {
        const { blob, name } = await fileOf(parameter, each, workspace)
        form.append(parameter.name, blob, name)
      }
    }
  }
  return form
}

async function rawBody(
  { parameter, value }: Given,
  workspace: Workspace | undefined,
): Promise<Body> {
  if (!parameter.file) return { content: plain(value), type: 'text/plain;charset=UTF-8' }
  const { blob } = await fileOf(parameter, value, workspace)
  return { content: blob, type: 'application/octet-stream' }
}

async function fileOf(
  { argument }: BoundParameter,
  path: unknown,
  workspace: Workspace | undefined,
): Promise<{ blob: Blob; name: string }> {
  const file = await workspace?.read(plain(path))
  if (!file) throw new Error(`${argument}: there is no file ${plain(path)}`)
  const parts = [file.data ?? file.text] as ConstructorParameters<typeof Blob>[0]
  const blob = new Blob(parts, { type: 'application/octet-stream' })
  return { blob, name: file.path.slice(file.path.lastIndexOf('/') + 1) }
}
