/**
 * Where a person writes or pastes a round and chooses how it runs.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { Mode, ToolCall } from '../src/index.ts'
import { readCalls } from '../src/providers/index.ts'
import { examples } from './examples.ts'

export interface EditorState {
  readonly text: string
  readonly running: boolean
  readonly problem?: string
  readonly hint?: string
  /** Rounds dispatched in the open run. */
  readonly rounds: number
}

export interface EditorHandlers {
  readonly change: (change: Partial<EditorState>) => void
  readonly onMode: (mode: Mode) => void
  readonly run: () => void
  readonly cancel: () => void
  readonly newRun: () => void
}

/** The calls in a text, or what is wrong with it. */
export type Parsed =
  | {
      readonly calls: readonly ToolCall[]
      readonly finishReason?: string | undefined
      readonly said: string
    }
  | { readonly problem: string }

const providerNames: { readonly [provider: string]: string } = {
  'openai-chat': 'OpenAI Chat Completions message',
  'openai-responses': 'OpenAI Responses output',
  anthropic: 'Anthropic message',
  gemini: 'Gemini content',
  threepass: 'Round',
}

export function parseRound(text: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `This is not JSON yet: ${(error as Error).message}` }
  }
  try {
    const { calls, finishReason, provider } = readCalls(value)
    const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`
    return { calls, finishReason, said: `${providerNames[provider] ?? provider}, ${count}` }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

export function editor(state: EditorState, on: EditorHandlers): TemplateResult {
  const parsed = parseRound(state.text)
  const isBad = 'problem' in parsed
  return html`<form class="editor" @submit=${(event: Event) => {
    event.preventDefault()
    on.run()
  }}>
    <div class="field">
      <label for="example">Example</label>
      <select id="example" @change=${(event: Event) => choose((event.target as HTMLSelectElement).value, on)}>
        ${examples.map(({ title, text }) => html`<option value=${title} ?selected=${text === state.text}>${title}</option>`)}
        <option value="" ?selected=${examples.every(({ text }) => text !== state.text)}>Your own</option>
      </select>
    </div>
    ${state.hint ? html`<p class="hint">${state.hint}</p>` : nothing}
    <div class="field">
      <label for="round">Round, or a raw OpenAI, Anthropic or Gemini message</label>
      <textarea id="round" spellcheck="false" rows="14" .value=${state.text} aria-describedby="recognised" aria-invalid=${isBad ? 'true' : 'false'}
        @input=${(event: Event) => on.change({ text: (event.target as HTMLTextAreaElement).value })}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) on.run()
        }}></textarea>
      <p id="recognised" class=${isBad ? 'problem' : 'recognised'}>${isBad ? parsed.problem : parsed.said}</p>
    </div>
    ${state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing}
    <div class="buttons">
      ${
        state.running
          ? html`<button type="button" class="danger" @click=${on.cancel}>Cancel</button>`
          : html`<button class="primary" ?disabled=${isBad}>Run <kbd>Ctrl ↵</kbd></button>`
      }
      <button type="button" ?disabled=${state.running || state.rounds === 0} @click=${on.newRun}>New run</button>
      <span class="hint">${state.rounds === 0 ? 'A new run' : `Round ${state.rounds + 1} of this run`}</span>
    </div>
  </form>`
}

function choose(title: string, on: EditorHandlers): void {
  const example = examples.find((each) => each.title === title)
  if (!example) return
  on.change({ text: example.text, hint: example.hint })
  on.onMode(example.mode)
}
