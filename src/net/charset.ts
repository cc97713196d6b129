/**
 * Which encoding a body is in: byte order mark, then header, then what the document says, then UTF-8.
 * @module
 */

export interface Decoded {
  readonly text?: string
  readonly charset: string
  readonly replaced: boolean
}

const binary: Decoded = { charset: 'binary', replaced: false }
const textual =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|ecmascript|graphql|x-www-form-urlencoded|x-ndjson|ndjson|x-yaml|toml|sql|rtf|x-sh)\b|[\w-]+\/[\w.+-]+\+(?:json|xml|yaml)\b)/
/** Says nothing about the content: then the bytes are looked at. */
const unspecific = /^(?:|\*\/\*|unknown\/unknown)$/
const markup = /html|xml/

/**
 * Decodes bytes of this content type. Types that are not text are left as they are, and so is a body
 * without a type that holds a NUL in its first 512 bytes. A label that no decoder knows is passed
 * over. `cut`: an incomplete character at the end is dropped.
 */
export function decodeText(bytes: Uint8Array, contentType: string, cut = false): Decoded {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const marked = byteOrderMark(bytes)
  const untyped = unspecific.test(type)
  if (!untyped && !textual.test(type)) return binary
  if (untyped && !marked && bytes.subarray(0, 512).includes(0)) return binary
  const decoder =
    decoderFor(marked) ??
    decoderFor(headerCharset(contentType)) ??
    (markup.test(type) || type === '' ? decoderFor(documentCharset(bytes)) : undefined) ??
    new TextDecoder()
  const text = repairWindows1252(decoder.decode(bytes, { stream: cut }), decoder.encoding)
  return { text, charset: decoder.encoding, replaced: isGarbled(text) }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return undefined
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (!label) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

function headerCharset(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(contentType) ?? []
  return quoted ?? plain
}

/** The declaration must stand in the first 4 KB. */
function documentCharset(bytes: Uint8Array): string | undefined {
  let head = ''
  for (const byte of bytes.subarray(0, 4_096)) head += String.fromCharCode(byte)
  head = head.replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  const declared =
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1] ??
    /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1]
  // Text in which this could be read as ASCII is not UTF-16 (https://encoding.spec.whatwg.org/).
  return declared && /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

/** 0x80 to 0x9f of windows-1252; a space where the standard has the control character itself. */
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** Node 20 decodes windows-1252 as ISO 8859-1; runtimes that do it right have nothing to repair. */
function repairWindows1252(text: string, encoding: string): string {
  if (encoding !== 'windows-1252') return text
  return text.replace(/[\u0080-\u009f]/g, (char) => {
    const right = windows1252[char.charCodeAt(0) - 0x80]
    return right === undefined || right === ' ' ? char : right
  })
}

/** More than half of what is not ASCII is the replacement character. */
function isGarbled(text: string): boolean {
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0
  const lost = text.match(/\ufffd/g)?.length ?? 0
  return lost * 2 > foreign
}
