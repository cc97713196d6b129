/**
 * The conversation, and where a person writes.
 * @module
 */
import type { UIMessage } from 'ai'
import { html, nothing, type TemplateResult } from 'lit-html'
import { unsafeHTML } from 'lit-html/directives/unsafe-html.js'
import type { ChatView, PageModel } from './chat.ts'
import { choice } from './settings.ts'

export interface ChatPanelOptions {
  readonly place: 'page' | 'worker'
  readonly draft: string
  /** Set when the first chat has loaded the renderer. */
  readonly markdown: ((text: string) => string) | undefined
  readonly onDraft: (text: string) => void
  readonly onSend: (text: string) => void
  readonly onStop: () => void
  readonly onNew: () => void
  readonly onModel: (model: PageModel) => void
}

/** What to say first; the offline model understands all of it. */
const suggestions = [
  'What is 2^200?',
  '/calculate expressions=["0.1+0.2"]; /current_time; /wait seconds=1',
  '/edit_file mode=write path=/hello.md content="Hello" then /read_files {"files":[{"path":"/hello.md"}]}',
  '/draw_chart title=Calls labels=["Mon","Tue","Wed"] values=[3,7,4]',
  'help',
]

export function chatPanel(view: ChatView, options: ChatPanelOptions): TemplateResult {
  const { place, draft } = options
  const busy = view.status === 'busy'
  return html`<div class="chat">
    ${view.messages.length === 0 ? welcome(options) : nothing}
    <ol class="messages" aria-label="Conversation" aria-busy=${busy ? 'true' : 'false'}>${view.messages.map(
      (message) => messageTemplate(message, options),
    )}</ol>
    <p class="hint" role="status">${statusText(view)}</p>
    ${view.problem ? html`<p class="problem" role="alert">${view.problem}</p>` : nothing}
    <form class="field" @submit=${(event: Event) => {
      event.preventDefault()
      options.onSend(draft)
    }}>
      <label for="message">Message</label>
      <textarea id="message" rows="3" .value=${draft} placeholder="Ask, or call tools: /calculate expressions=[&quot;6*7&quot;]"
        @input=${(event: Event) => options.onDraft((event.target as HTMLTextAreaElement).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          options.onSend(draft)
        }}></textarea>
      <div class="buttons">
        ${
          busy
            ? html`<button type="button" class="danger" @click=${options.onStop}>Stop</button>`
            : html`<button class="primary" ?disabled=${draft.trim() === ''}>Send <kbd>↵</kbd></button>`
        }
        <button type="button" ?disabled=${view.messages.length === 0} @click=${options.onNew}>New chat</button>
      </div>
    </form>
    ${
      place === 'page' && view.hasBrowserModel
        ? choice(
            'Model',
            'model',
            [
              ['offline', 'offline planner'],
              ['browser', "the browser's own"],
            ],
            view.model,
            (model) => options.onModel(model as PageModel),
          )
        : nothing
    }
  </div>`
}

function statusText({ status, id }: ChatView): string {
  if (status === 'lost') return 'The connection broke; connecting again …'
  return status === 'busy' ? 'Working …' : `Chat ${id.slice(0, 8)}`
}

function welcome({ place, onSend }: ChatPanelOptions): TemplateResult {
  const where =
    place === 'page'
      ? 'The loop runs in this page, with an offline planner for a model: no key, no network.'
      : 'The loop runs on the Worker, with the model that it is configured with; by default an offline planner.'
  return html`<div class="empty">
    <p>${where} Its rounds are drawn beside.</p>
    <ul class="suggestions">${suggestions.map(
      (text) => html`<li><button type="button" @click=${() => onSend(text)}>${text}</button></li>`,
    )}</ul>
  </div>`
}

function messageTemplate({ role, parts }: UIMessage, options: ChatPanelOptions): TemplateResult {
  return html`<li class=${`message ${role}`}>
    <span class="unseen">${role === 'user' ? 'You' : 'Assistant'}: </span>
    ${parts.map((part) => partTemplate(part, role, options))}
  </li>`
}

interface CallPart {
  readonly toolName: string
  readonly state: string
  readonly input?: unknown
  readonly output?: { readonly outcome?: string; readonly content?: string }
  readonly errorText?: string
}

function partTemplate(
  part: UIMessage['parts'][number],
  role: UIMessage['role'],
  { markdown }: ChatPanelOptions,
): TemplateResult | typeof nothing {
  if (part.type === 'text') {
    if (role === 'user' || !markdown) return html`<p class="said">${part.text}</p>`
    return html`<div class="said">${unsafeHTML(markdown(part.text))}</div>`
  }
  if (part.type === 'reasoning') return html`<p class="thought">${part.text}</p>`
  if ('toolCallId' in part) return callTemplate(part as unknown as CallPart)
  return nothing
}

function callTemplate({ toolName, state, input, output, errorText }: CallPart): TemplateResult {
  const label = labelOf(state, output?.outcome)
  const text = output?.content ?? errorText
  return html`<details class="made">
    <summary><b>${toolName}</b> <span class=${`chip ${label.replace(' ', '_')}`}>${label}</span></summary>
    <pre tabindex="0">${JSON.stringify(input ?? {}, null, 2)}</pre>
    ${text === undefined ? nothing : html`<pre tabindex="0">${text}</pre>`}
  </details>`
}

function labelOf(state: string, outcome: string | undefined): string {
  switch (state) {
    case 'output-available':
      return (outcome ?? 'completed').replace('_', ' ')
    case 'output-denied':
      return 'denied'
    case 'output-error':
      return 'failed'
    case 'approval-requested':
      return 'asked'
    default:
      return 'running'
  }
}
