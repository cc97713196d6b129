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
  const author =
    metaOf(elements, authorNames) ?? first(data, (each) => nameOf(each.author)) ?? byline(elements)
  const published =
    metaOf(elements, dateNames) ??
    first(data, (each) => text(each.datePublished)) ??
    timeOf(elements)
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

function nameOf(author: unknown): string | undefined {
  if (typeof author === 'string') return text(author)
  if (Array.isArray(author)) {
    return (
      author
        .slice(0, 5)
        .flatMap((each) => nameOf(each) ?? [])
        .join(', ') || undefined
    )
  }
  return text((Object(author) as { name?: unknown }).name)
}

function metaOf(elements: readonly Element[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = elements.find(
      ({ tagName, properties }) =>
        tagName === 'meta' &&
        [properties.name, properties.property, properties.itemProp].some(
          (each) => String(each).toLowerCase() === name,
        ),
    )
    const content = text(found?.properties.content)
    // Some give the address of the author's page.
    if (content && !/^https?:/i.test(content)) return content
  }
  return undefined
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
