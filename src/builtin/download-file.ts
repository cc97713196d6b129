/**
 * download_file: a file from the web into the workspace.
 * @module
 */
import { plainText } from '../execute/text.ts'
import { request } from '../net/request.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { webResource } from './web.ts'

interface DownloadFileArgs {
  readonly url: string
  readonly output_file: string
  readonly timeout?: number
}

export interface DownloadFileOptions {
  readonly workspace: Workspace
  /** A guarded fetch. */
  readonly fetch: typeof fetch
  /** Most bytes; default 16,777,216. */
  readonly maxBytes?: number
}

const defaultSeconds = 120
const longestSeconds = 600

/** Makes download_file. A file that does not come whole is not saved. */
export function downloadFileTool({
  workspace,
  fetch,
  maxBytes = 16_777_216,
}: DownloadFileOptions): Tool<DownloadFileArgs> {
  return {
    name: 'download_file',
    description:
      'Downloads a file by http(s) into the workspace, in the place of what is there. Answers with its size and SHA-256.',
    inputSchema,
    concurrent: true,
    confirm: true,
    reads: ({ url }) => webResource(url, 'path'),
    writes: ({ output_file }) => fileResources([output_file]),
    timeout: (longestSeconds + 5) * 1_000,
    async execute({ url, output_file, timeout = defaultSeconds }, { signal, runId, callId }) {
      const bounds = { timeoutMs: timeout * 1_000, maxBytes, signal }
      const { response, body } = await request(fetch, url, {}, bounds)
      const { status } = response
      if (!response.ok) throw new Error(`HTTP ${status}: ${(body.text ?? '').slice(0, 2_000)}`)
      if (body.truncated) {
        const why = body.cutBy === 'size' ? `more than ${maxBytes} bytes` : 'it broke off'
        throw new Error(`nothing was saved: ${why}`)
      }
      const origin = { tool: 'download_file', runId, callId }
      const content = plainText(body.bytes) ?? body.bytes
      const file = await workspace.write(output_file, content, { origin })
      return {
        ok: true,
        url: response.url || url,
        output_file: file.path,
        version: file.version,
        size_bytes: body.bytes.length,
        status_code: status,
        sha256: await sha256Of(body.bytes),
      }
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', minLength: 1, maxLength: 8_192, description: 'Absolute http(s) URL.' },
    output_file: { type: 'string', minLength: 1, description: 'Path in the workspace.' },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: longestSeconds,
      default: defaultSeconds,
      description: 'Seconds for the whole download.',
    },
  },
  required: ['url', 'output_file'],
  additionalProperties: false,
}

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
