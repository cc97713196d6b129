/**
 * HTML trees without what shows nothing. The converters look ahead from every node to the next one that
 * shows something: a row of thousands that do not would take them minutes.
 * @module
 */
import type { Content, Element, Root } from './html-tree.ts'

/** Their text is for machines. */
const unseen = new Set(
  'area base basefont datalist link meta noembed noframes param rp source title track'.split(' '),
)
const media = new Set(['audio', 'video'])
/** Is something even when nothing is in it: a break, a cell, a picture. */
const standing = new Set([
  ...media,
  ...`address article aside blockquote body br canvas caption center col colgroup dd dir div dl embed
  figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img legend li listing
  main math menu nav object ol optgroup option p picture plaintext pre section summary svg table tbody td
  tfoot th thead tr ul wbr xmp`.split(/\s+/),
])

/** From each of these in a table the next row is looked for as well: with more of them it is no table. */
const mostOdd = 1_000

/** What stands in such an element comes up into its place: a blank is still between two words. */
export function withoutBlanks(root: Root): Root {
  return { ...root, children: seen(root.children as Content[]) }
}

function seen(nodes: readonly Content[]): Content[] {
  const kept: Content[] = []
  for (const each of nodes.flatMap(shown)) {
    const last = kept.at(-1)
    if (each.type === 'text' && last?.type === 'text') {
      kept[kept.length - 1] = { ...last, value: last.value + each.value }
    } else kept.push(each)
  }
  return kept
}

function shown(node: Content): Content[] {
  if (node.type !== 'element') return [node]
  if (unseen.has(node.tagName)) return []
  const children = seen(node.children as Content[])
  if (!standing.has(node.tagName) && children.every(isBlank)) return children
  if (node.tagName === 'table' && children.filter(isNoRow).length > mostOdd) return children
  const source = media.has(node.tagName) ? node.children.filter(isSource).slice(0, 1) : []
  return [{ ...node, children: [...source, ...children] } as Element]
}

function isBlank(node: Content): boolean {
  return node.type === 'text' && node.value.trim() === ''
}

function isNoRow(node: Content): boolean {
  if (node.type !== 'element') return !isBlank(node)
  return ![node, ...node.children].some((each) => each.type === 'element' && each.tagName === 'tr')
}

function isSource(node: Content): boolean {
  return node.type === 'element' && node.tagName === 'source'
}
