/** OpenAI's image and speech endpoints, as a client of them meets them. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface MediaServer {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
  readonly requests: { readonly path: string; readonly body: string }[]
}

/** One grey pixel. */
export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
export const mp3 = new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xfb, 0x90, 0])

const error = (message: string, type: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type, param: null, code } })

export function mediaServer(key: string): MediaServer {
  const requests: { path: string; body: string }[] = []
  return {
    requests,
    async listener(request, response) {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('latin1')
      const path = (request.url ?? '').replace(/^\/v1/, '')
      requests.push({ path, body })
      const json = (status: number, text: string) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(text)
      }
      if (request.headers.authorization !== `Bearer ${key}`) {
        return json(
          401,
          error('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'),
        )
      }
      if (body.includes('forbidden')) {
        return json(
          400,
          error(
            'Your request was rejected by the safety system.',
            'image_generation_user_error',
            'moderation_blocked',
          ),
        )
      }
      if (body.includes('nothing')) return json(200, JSON.stringify({ created: 1, data: [] }))
      if (path === '/images/generations' || path === '/images/edits') {
        const b64 = body.includes('text only') ? btoa('no picture') : pngBase64
        return json(200, JSON.stringify({ created: 1, data: [{ b64_json: b64 }] }))
      }
      if (path === '/audio/speech') {
        response.writeHead(200, { 'content-type': 'audio/mpeg' })
        response.end(mp3)
        return
      }
      json(404, error('Unknown request URL', 'invalid_request_error', 'unknown_url'))
    },
  }
}
