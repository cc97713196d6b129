/**
 * The form that the ask_form tool asks.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { JsonObject } from '../src/index.ts'

export interface PageForm {
  /** Shows the form and resolves with what the person sends. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<JsonObject>
  readonly template: () => TemplateResult | typeof nothing
}

export function createPageForm(draw: () => void): PageForm {
  let form: { question: string; send: (answer: JsonObject) => void } | undefined

  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    form?.send(Object.fromEntries([...data].map(([name, value]) => [name, String(value)])))
  }

  return {
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        const end = () => {
          form = undefined
          draw()
        }
        signal.addEventListener('abort', () => {
          end()
          reject(signal.reason)
        })
        form = {
          question,
          send(given) {
            end()
            resolve(given)
          },
        }
        draw()
        document.querySelector<HTMLInputElement>('#form-city')?.focus()
      }),
    template: () =>
      form
        ? html`<form class="page-form" @submit=${send} aria-labelledby="form-title">
    <h3 id="form-title">${form.question}</h3>
    <p class="unseen" role="status">${form.question}</p>
    <div class="field"><label for="form-city">City</label><input id="form-city" name="city" required /></div>
    <div class="field"><label for="form-date">Date</label><input id="form-date" name="date" type="date" /></div>
    <button class="primary">Send</button>
  </form>`
        : nothing,
  }
}
