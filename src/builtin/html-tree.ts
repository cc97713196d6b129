/**
 * HTML text as a tree, in time that grows with its length only: pages come from anywhere, and a parser
 * that follows the standard's repair rules can be made to build millions of elements from a small page.
 * @module
 */
import type { toMdast } from 'hast-util-to-mdast'
import { Parser } from 'htmlparser2'

export type Root = Extract<Parameters<typeof toMdast>[0], { type: 'root' }>
export type Content = Root['children'][number]
export type Element = Extract<Content, { type: 'element' }>

/** Browsers stop nesting at 512 too. */
const deepest = 512
/** Four times what a model is given of a page; the converters take about a second for as much. */
const mostCharacters = 400_000
const mostNodes = 40_000

/** Attributes that conversion and cleaning look at, under the names that hast has for them. */
const kept: ReadonlyMap<string, string> = new Map([
  ...[
    'href',
    'src',
    'alt',
    'title',
    'role',
    'style',
    'align',
    'type',
    'start',
    'name',
    'property',
    'content',
    'rel',
  ].map((name): [string, string] => [name, name]),
  ['colspan', 'colSpan'],
  ['rowspan', 'rowSpan'],
  ['aria-hidden', 'ariaHidden'],
  ['datetime', 'dateTime'],
  ['itemprop', 'itemProp'],
])

/** Reads a page. What comes after 512 levels, 40,000 nodes or 400,000 characters is left out (`cut`). Never throws. */
export function htmlTree(html: string): { readonly root: Root; readonly cut: boolean } {
  const root: Root = { type: 'root', children: [] }
  const open: (Root | Element)[] = [root]
  let nodes = 0
  let characters = 0
  let cut = false

  const add = (node: Content): void => {
    nodes += 1
    open.at(-1)?.children.push(node as Element)
    if (nodes >= mostNodes || open.length >= deepest) stop()
  }
  const stop = (): void => {
    cut = true
    parser.pause()
  }
  /** The parser hands a text over in pieces, one an entity; the converters want it whole. */
  const addText = (value: string): void => {
    const last = open.at(-1)?.children.at(-1)
    if (last?.type === 'text') last.value += value
    else add({ type: 'text', value })
    characters += value.length
    if (characters >= mostCharacters) stop()
  }
  const parser = new Parser({
    onopentag(tagName, attributes) {
      if (cut) return
      const element: Element = {
        type: 'element',
        tagName,
        properties: propertiesOf(attributes),
        children: [],
      }
      add(element)
      open.push(element)
    },
    onclosetag() {
      if (!cut && open.length > 1) open.pop()
    },
    ontext(value) {
      if (!cut) addText(value.slice(0, mostCharacters - characters))
    },
  })
  parser.write(html)
  if (!cut) parser.end()
  return { root, cut }
}

function propertiesOf(attributes: Readonly<Record<string, string>>): Element['properties'] {
  const properties: Element['properties'] = {}
  for (const [name, value] of Object.entries(attributes)) {
    const as = kept.get(name)
    if (as) properties[as] = value
  }
  if (attributes.class) properties.className = attributes.class.split(/\s+/).filter(Boolean)
  if (Object.hasOwn(attributes, 'hidden')) properties.hidden = true
  if (Object.hasOwn(attributes, 'checked')) properties.checked = true
  return properties
}
