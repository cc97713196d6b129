/**
 * Who wrote a page and when, as far as it says so: by schema.org data, meta elements, or marks in its text.
 * @module
 */
import type { Element } from './html-tree.ts'

export interface PageFacts {
  readonly author?: string
  /** As the page writes it; mostly ISO 8601. */
  readonly published?: string
}

const authorNames = ['author', 'article:author', 'dc.creator', 'dcterms.creator', 'parsely-author']
const dateNames = [
  'article:published_time',
  'date',
  'dc.date',
  'dcterms.created',
  'datepublished',
  'parsely-pub-date',
  'pubdate',
]
const longest = 200
const deepest = 6

/** `elements`: all of the page, in order. */
export function pageFacts(elements: readonly Element[]): PageFacts {
  const data = elements.filter(isLinkedData).flatMap((each) => objectsIn(parsed(textOf(each)), 0))
  const meta = metaOf(elements)
  const author = meta(authorNames) ?? first(data, (each) => nameOf(each.author)) ?? byline(elements)
  const published =
    meta(dateNames) ?? first(data, (each) => text(each.datePublished)) ?? timeOf(elements)
  return { ...(author && { author }), ...(published && { published }) }
}

function isLinkedData({ tagName, properties }: Element): boolean {
  return tagName === 'script' && String(properties.type).toLowerCase() === 'application/ld+json'
}

function textOf({ children }: Element): string {
  return children.map((child) => (child.type === 'text' ? child.value : '')).join('')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The value and what it lists; schema.org data comes alone, in a list, or in a `@graph`. */
function objectsIn(value: unknown, depth: number): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  if (Array.isArray(value)) return value.slice(0, 100).flatMap((each) => objectsIn(each, depth + 1))
  const own = value as Record<string, unknown>
  return [own, ...objectsIn(own['@graph'], depth + 1)]
}

/** One or several, each a text or a thing with a name; lists in lists are not what schema.org knows. */
function nameOf(author: unknown): string | undefined {
  const authors: unknown[] = Array.isArray(author) ? author.slice(0, 5) : [author]
  const names = authors.flatMap(
    (each) => text(typeof each === 'string' ? each : Object(each).name) ?? [],
  )
  return names.join(', ') || undefined
}

/** What the page says of itself: by the first of some names that says something. */
function metaOf(elements: readonly Element[]) {
  const said = new Map<string, string>()
  for (const { tagName, properties } of elements) {
    if (tagName !== 'meta') continue
    const content = text(properties.content)
    // Some give the address of the author's page.
    if (!content || /^https?:/i.test(content)) continue
    for (const name of [properties.name, properties.property, properties.itemProp]) {
      const known = String(name).toLowerCase()
      if (!said.has(known)) said.set(known, content)
    }
  }
  return (names: readonly string[]): string | undefined =>
    names.flatMap((name) => said.get(name) ?? [])[0]
}

function byline(elements: readonly Element[]): string | undefined {
  const found = elements.find(({ properties }) =>
    [properties.rel, properties.itemProp].some((each) => String(each) === 'author'),
  )
  return found && text(textOf(found))
}

function timeOf(elements: readonly Element[]): string | undefined {
  const times = elements.filter(({ tagName }) => tagName === 'time')
  const marked = times.find(({ properties }) => String(properties.itemProp) === 'datePublished')
  return text((marked ?? times[0])?.properties.dateTime)
}

function first(
  data: readonly Record<string, unknown>[],
  read: (each: Record<string, unknown>) => string | undefined,
): string | undefined {
  for (const each of data) {
    const found = read(each)
    if (found) return found
  }
  return undefined
}

/** One line. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.replace(/\s+/g, ' ').trim().slice(0, longest) || undefined
}
