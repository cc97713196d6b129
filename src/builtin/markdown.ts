/**
 * HTML as markdown or text. Loaded on first use: parser and writer are 57 KB compressed. Needs no DOM,
 * so a page, a Worker and Node give the same.
 * @module
 */
import { toMdast } from 'hast-util-to-mdast'
import { toText } from 'hast-util-to-text'
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { withoutBlanks } from './html-blanks.ts'
import { type Content, type Element, htmlTree, type Root } from './html-tree.ts'
import { type PageFacts, pageFacts } from './page-facts.ts'

export interface ReadPage extends PageFacts {
  /** Text of `<title>`, else of the first `<h1>`, else ''. */
  readonly title: string
  readonly text: string
  /** The page was too large or too deep to be read to its end. */
  readonly cut: boolean
}

export interface ReadPageOptions {
  readonly as: 'markdown' | 'text'
  /** Keep the targets of links and images (markdown only). */
  readonly keepLinks: boolean
  /** Links are made absolute against this URL (or the document's own `<base>`). */
  readonly url: string
}

/** Never content. */
const noise = new Set(
  'script style noscript template iframe object embed svg canvas dialog button input select textarea'.split(
    ' ',
  ),
)
/** Around the content, unless there is nothing else. */
const frame = new Set(['nav', 'footer', 'aside', 'header'])
const frameRoles = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search'])
/** Deeper, the converters could run out of stack; only the text of what lies below is kept. */
const deepest = 200
/** Every line repeats the marks of the quotes and lists around it: further in, these are left off. */
const indenting = new Set(['blockquote', 'ul', 'ol', 'dl'])
const deepestIndent = 8
/** Every row of a table is filled up to the widest; a table larger than this is given as text. */
const mostCells = 10_000

/** Reads a page: its main part, without menus, scripts and hidden elements. */
export function readPage(html: string, options: ReadPageOptions): ReadPage {
  const { root: tree, cut } = htmlTree(html)
  const title = firstText(tree, 'title') || firstText(tree, 'h1')
  const base = baseOf(tree, options.url)
  const whole = clean(tree, { ...options, base, drop: noise })
  const main = mainOf(whole)
  const root = clean(main, { ...options, base, drop: new Set([...noise, ...frame]) })
  const kept = toText(root).trim() === '' ? whole : root
  const text = options.as === 'text' ? toText(kept) : markdownOf(kept)
  const facts = pageFacts(elements(tree))
  return { title: title.replace(/\s+/g, ' ').trim(), ...facts, text: text.trim(), cut }
}

function markdownOf(tree: Root): string {
  const mdast = toMdast(tree)
  const extensions = [gfmTableToMarkdown({ tablePipeAlign: false }), gfmStrikethroughToMarkdown()]
  return toMarkdown(mdast, { bullet: '-', extensions }).replace(/\n{3,}/g, '\n\n')
}

interface Cleaning {
  readonly keepLinks: boolean
  readonly base: string
  readonly drop: ReadonlySet<string>
}

/** How far in a node is. */
interface Place {
  readonly depth: number
  readonly indent: number
}

function clean(root: Root, how: Cleaning): Root {
  const top = { depth: 0, indent: 0 }
  const children = root.children.flatMap((child) => cleanNode(child, top, how))
  return withoutBlanks({ type: 'root', children })
}

function cleanNode(node: Content, { depth, indent }: Place, how: Cleaning): Content[] {
  if (node.type !== 'element') return node.type === 'text' ? [node] : []
  if (how.drop.has(node.tagName) || isHidden(node)) return []
  if (how.drop.has('nav') && frameRoles.has(String(node.properties.role))) return []
  const inside = { depth: depth + 1, indent: indent + (indenting.has(node.tagName) ? 1 : 0) }
  const children = node.children.flatMap((child) => cleanNode(child as Content, inside, how))
  if (depth > deepest || inside.indent > deepestIndent) return children
  if (node.tagName === 'table' && cellsOf(node) > mostCells) return children.map(asText)
  // Without its target a link is its text, an image its description.
  if (!how.keepLinks && node.tagName === 'a') return children
  if (!how.keepLinks && node.tagName === 'img') return altOf(node)
  const properties = { ...node.properties }
  for (const name of ['href', 'src'] as const) {
    if (typeof properties[name] === 'string')
      properties[name] = absolute(properties[name], how.base)
  }
  return [{ ...node, properties, children } as Element]
}

/** Cells of the table once every row is as wide as the widest. */
function cellsOf(table: Element): number {
  const rows = elements({ type: 'root', children: [table] }).filter(
    ({ tagName }) => tagName === 'tr',
  )
  const widths = rows.map(({ children }) =>
    children.reduce((sum, cell) => sum + (cell.type === 'element' ? spanOf(cell) : 0), 0),
  )
  return rows.length * widths.reduce((most, width) => Math.max(most, width), 0)
}

function spanOf({ properties }: Element): number {
  return Math.max(1, Number(properties.colSpan) || 1) * Math.max(1, Number(properties.rowSpan) || 1)
}

function asText(node: Content): Content {
  return {
    type: 'element',
    tagName: 'p',
    properties: {},
    children: [{ type: 'text', value: toText(node) }],
  }
}

function isHidden({ properties }: Element): boolean {
  const style = typeof properties.style === 'string' ? properties.style : ''
  return (
    properties.hidden === true ||
    properties.ariaHidden === 'true' ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  )
}

function altOf({ properties }: Element): Content[] {
  return properties.alt ? [{ type: 'text', value: `(image: ${properties.alt})` }] : []
}

/** Only http(s) and mail targets; `javascript:` and `data:` are no use to a reader. */
function absolute(target: string, base: string): string {
  try {
    const { href, protocol } = new URL(target, base)
    return /^(?:https?|mailto):$/.test(protocol) ? href : ''
  } catch {
    return ''
  }
}

/** The one `<main>` or `<article>` when there is exactly one, else everything. */
function mainOf(root: Root): Root {
  for (const isMain of [
    (node: Element) => node.tagName === 'main' || node.properties.role === 'main',
    (node: Element) => node.tagName === 'article',
  ]) {
    const found = elements(root).filter(isMain)
    const [only] = found
    if (only && found.length === 1 && toText(only).trim() !== '') {
      return { type: 'root', children: [only] }
    }
  }
  return root
}

function elements(root: Root): Element[] {
  const found: Element[] = []
  const open: unknown[] = [...root.children].reverse()
  while (open.length > 0) {
    const node = open.pop() as Content
    if (node.type !== 'element') continue
    found.push(node)
    for (const child of [...node.children].reverse()) open.push(child)
  }
  return found
}

function firstText(root: Root, tagName: string): string {
  const found = elements(root).find((node) => node.tagName === tagName)
  return found ? toText({ type: 'root', children: [{ ...found, tagName: 'p' }] }) : ''
}

function baseOf(root: Root, url: string): string {
  const href = elements(root).find(({ tagName }) => tagName === 'base')?.properties.href
  return typeof href === 'string' ? absolute(href, url) || url : url
}
