/**
 * The confirm gate as a dialog: every call of the round that needs a person, each with its arguments.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { ApprovalAnswer, JsonObject } from '../src/index.ts'

/** One open question, from this page's dispatcher or from the Worker's events. */
export interface Question {
  readonly callId: string
  readonly token: string
  readonly name: string
  readonly arguments: JsonObject
  readonly tells?: string
  readonly problem?: string
}

export interface DialogState {
  readonly questions: readonly Question[]
  /** Edited argument text by token. */
  readonly edits: ReadonlyMap<string, string>
  readonly reasons: ReadonlyMap<string, string>
  readonly errors: ReadonlyMap<string, string>
}

export interface DialogHandlers {
  readonly onEdit: (token: string, text: string) => void
  readonly onReason: (token: string, text: string) => void
  readonly onAnswer: (question: Question, answer: ApprovalAnswer) => void
  readonly onError: (token: string, message: string) => void
}

export function approvalDialog(state: DialogState, handlers: DialogHandlers): TemplateResult {
  const { questions } = state
  return html`<dialog id="approvals" aria-labelledby="approvals-title" @cancel=${(event: Event) => event.preventDefault()}>
    <h2 id="approvals-title">${questions.length === 1 ? 'A call needs your word' : `${questions.length} calls need your word`}</h2>
    <p>Nothing of the round runs until every question is answered.</p>
    ${questions.map((question) => questionTemplate(question, state, handlers))}
  </dialog>`
}

function questionTemplate(
  question: Question,
  { edits, reasons, errors }: DialogState,
  handlers: DialogHandlers,
): TemplateResult {
  const { callId, token, name, tells } = question
  const original = JSON.stringify(question.arguments, null, 2)
  const text = edits.get(token) ?? original
  const problem = errors.get(token) ?? question.problem
  const say = (answer: ApprovalAnswer) => () => handlers.onAnswer(question, answer)
  const reason = reasons.get(token)
  const because = reason ? { reason } : {}
  return html`<section class="question" aria-label=${`${name} ${callId}`}>
    <h3>${name} <small>${callId}</small></h3>
    ${tells ? html`<p class="tells">${tells}</p>` : nothing}
    <label for=${`args-${token}`}>Arguments${text === original ? '' : ' (changed)'}</label>
    <textarea id=${`args-${token}`} spellcheck="false" rows=${Math.min(10, text.split('\n').length + 1)} .value=${text}
      @input=${(event: Event) => handlers.onEdit(token, (event.target as HTMLTextAreaElement).value)}></textarea>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <div class="buttons">
      <button class="primary" @click=${() => approve(question, text, original, handlers)}>Approve${text === original ? '' : ' changed'}</button>
      <button ?disabled=${text !== original} @click=${say({ callId, decision: 'approve-for-run' })}>For this run</button>
      <button ?disabled=${text !== original} @click=${say({ callId, decision: 'approve-and-remember' })}>Always</button>
    </div>
    <div class="buttons">
      <input aria-label="Reason for a denial" placeholder="Reason, which the model reads" .value=${reason ?? ''}
        @input=${(event: Event) => handlers.onReason(token, (event.target as HTMLInputElement).value)} />
      <button @click=${say({ callId, decision: 'deny', ...because })}>Deny</button>
      <button class="danger" @click=${say({ callId, decision: 'stop', ...because })}>Stop the run</button>
    </div>
  </section>`
}

function approve(
  question: Question,
  text: string,
  original: string,
  { onAnswer, onError }: DialogHandlers,
): void {
  const { callId, token } = question
  if (text === original) {
    onAnswer(question, { callId, decision: 'approve' })
    return
  }
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new Error('not an object')
    onAnswer(question, { callId, decision: 'approve', arguments: args as JsonObject })
  } catch (error) {
    onError(token, `The arguments must be a JSON object (${(error as Error).message}).`)
  }
}
