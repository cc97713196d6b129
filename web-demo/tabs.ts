/**
 * Tabs, by mouse and by arrows. https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 * @module
 */
import { html, type TemplateResult } from 'lit-html'

export function tabs<Name extends string>(
  label: string,
  names: readonly (readonly [name: Name, title: string])[],
  chosen: Name,
  choose: (name: Name) => void,
): TemplateResult {
  const move = (by: number) => {
    const at = names.findIndex(([name]) => name === chosen)
    const next = names[(at + by + names.length) % names.length]?.[0]
    if (next === undefined) return
    choose(next)
    document.querySelector<HTMLElement>(`#tab-${next}`)?.focus()
  }
  return html`<div role="tablist" aria-label=${label}>${names.map(
    ([
      name,
      title,
    ]) => html`<button role="tab" id=${`tab-${name}`} aria-controls=${`panel-${name}`} aria-selected=${name === chosen ? 'true' : 'false'} tabindex=${name === chosen ? 0 : -1}
      @click=${() => choose(name)}
      @keydown=${({ key }: KeyboardEvent) => {
        if (key === 'ArrowRight') move(1)
        if (key === 'ArrowLeft') move(-1)
      }}>${title}</button>`,
  )}</div>`
}
