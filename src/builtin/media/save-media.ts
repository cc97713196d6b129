/**
 * Made bytes into the workspace.
 * @module
 */
import { base64, binaryBytes } from '../../execute/text.ts'
import type { JsonObject } from '../../round.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { mediaKind } from './media-type.ts'

export interface MadeMedia {
  readonly tool: string
  readonly kind: 'image' | 'audio'
  /** Base64 or bytes. */
  readonly data: string | Uint8Array | undefined
  /** Default: a fresh name in `/media`. */
  readonly path: string | undefined
  readonly model: string
  /** What the model did otherwise than it was asked. */
  readonly notes: readonly string[]
}

/** Larger ones are only named: whoever wants to see them reads the file. */
const mostShown = 2_097_152
export const mediaFolder = '/media'

/** Saves and answers with path, size and the picture or sound itself. Throws when there is none. */
export async function saveMedia(
  { tool, kind, data, path, model, notes }: MadeMedia,
  workspace: Workspace,
  { runId, callId }: ToolContext,
): Promise<JsonObject> {
  const bytes = typeof data === 'string' ? bytesOf(data) : data
  if (!bytes || bytes.length === 0) throw new Error('the model gave nothing back')
  const found = mediaKind(bytes)
  if (!found?.mediaType.startsWith(kind)) {
    throw new Error(
      `what the model gave back is no ${kind} of a known kind (${bytes.length} bytes)`,
    )
  }
  const name = `${kind}-${callId.replace(/[^A-Za-z0-9_-]/g, '').slice(-24) || 'made'}`
  const target = path ?? (await freePath(workspace, name, found.extension))
  const file = await workspace.write(target, bytes, { origin: { tool, runId, callId } })
  const { mediaType } = found
  const text = [`saved ${file.path}: ${mediaType}, ${bytes.length} bytes, by ${model}`, ...notes]
  const shown = bytes.length <= mostShown
  return {
    content: [
      { type: 'text', text: text.join('\n') },
      ...(shown ? [{ type: kind, data: base64(bytes), mimeType: mediaType }] : []),
    ],
    structuredContent: { path: file.path, mimeType: mediaType, bytes: bytes.length, model },
  }
}

function bytesOf(data: string): Uint8Array {
  try {
    return binaryBytes(atob(data))
  } catch {
    throw new Error('what the model gave back is no base64')
  }
}

async function freePath(workspace: Workspace, name: string, extension: string): Promise<string> {
  const taken = new Set((await workspace.list(mediaFolder)).map(({ path }) => path))
  for (let count = 1; ; count += 1) {
    const path = `${mediaFolder}/${name}${count === 1 ? '' : `-${count}`}.${extension}`
    if (!taken.has(path)) return path
  }
}

/** The reasons of a model's warnings. */
export function notesOf(warnings: readonly unknown[]): string[] {
  return warnings.map((warning) => {
    const { feature, details, message } = Object(warning) as Record<string, unknown>
    return `[not as asked: ${[feature, details, message].filter(Boolean).join(', ')}]`
  })
}
