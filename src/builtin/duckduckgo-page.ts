/**
 * The hits of DuckDuckGo's page for browsers without scripts.
 * @module
 */
import { type Content, type Element, htmlTree } from './html-tree.ts'
import type { SearchHit } from './search-providers.ts'

export function duckDuckGoHits(html: string): SearchHit[] {
  const found: { title: string; url: string; description?: string }[] = []
  for (const element of elementsOf(htmlTree(html).root.children)) {
    const classes = (element.properties.className ?? []) as string[]
    if (classes.includes('result__a')) {
      const url = targetOf(String(element.properties.href ?? ''))
      if (url) found.push({ title: textOf(element), url })
    }
    const last = found.at(-1)
    if (classes.includes('result__snippet') && last) last.description = textOf(element)
  }
  return found
}

function* elementsOf(nodes: readonly Content[]): Generator<Element> {
  for (const node of nodes) {
    if (node.type !== 'element') continue
    yield node
    yield* elementsOf(node.children)
  }
}

function textOf(element: Element): string {
  const parts = element.children.map((child) =>
    child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : '',
  )
  return parts.join('').replace(/\s+/g, ' ').trim()
}

/** Links go through a redirect that names their target; advertisements do not have one. */
function targetOf(href: string): string | undefined {
  const url =
    URL.canParse(href, 'https://duckduckgo.com') && new URL(href, 'https://duckduckgo.com')
  if (!url) return undefined
  const target = url.pathname === '/l/' ? url.searchParams.get('uddg') : url.href
  const isAdvertisement = url.pathname === '/y.js' || /duckduckgo\.com\/y\.js/.test(target ?? '')
  return target && /^https?:/.test(target) && !isAdvertisement ? target : undefined
}
