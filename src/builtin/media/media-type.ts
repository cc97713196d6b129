/**
 * What bytes are, by the first of them: a name says what it likes.
 * @module
 */

const kinds: readonly (readonly [type: string, extension: string, at: number, bytes: string])[] = [
  ['image/png', 'png', 0, '\x89PNG'],
  ['image/jpeg', 'jpg', 0, '\xff\xd8\xff'],
  ['image/gif', 'gif', 0, 'GIF8'],
  ['image/webp', 'webp', 8, 'WEBP'],
  ['audio/wav', 'wav', 8, 'WAVE'],
  ['audio/mpeg', 'mp3', 0, 'ID3'],
  ['audio/mpeg', 'mp3', 0, '\xff\xfb'],
  ['audio/mpeg', 'mp3', 0, '\xff\xf3'],
  ['audio/ogg', 'ogg', 0, 'OggS'],
  ['audio/flac', 'flac', 0, 'fLaC'],
]

export interface MediaKind {
  readonly mediaType: string
  readonly extension: string
}

/** `undefined` for anything but the images and sounds above. */
export function mediaKind(bytes: Uint8Array): MediaKind | undefined {
  const found = kinds.find(([, , at, start]) =>
    [...start].every((char, index) => bytes[at + index] === char.charCodeAt(0)),
  )
  return found && { mediaType: found[0], extension: found[1] }
}
