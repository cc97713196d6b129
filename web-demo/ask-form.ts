/**
 * The questions of ask_user, from this page's dispatcher and from runs on the Worker, as one form.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { AskUserArgs, UserQuestion, UserReply } from '../src/builtin/index.ts'
import type { RemoteRun } from '../src/client/index.ts'
import type { RunEvent } from '../src/index.ts'

export interface AskForm {
  /** Shows the questions and resolves with the reply: for this page's own dispatcher. */
  readonly ask: (args: AskUserArgs, id: string, signal: AbortSignal) => Promise<UserReply>
  /** An event of a run on the Worker. */
  readonly hear: (event: RunEvent, run: Pick<RemoteRun, 'answerCall'>) => void
  /** Nothing of the Worker is asked any more. */
  readonly forget: () => void
  readonly template: () => TemplateResult | typeof nothing
}

interface Asked {
  readonly id: string
  readonly runId?: string
  readonly callId?: string
  readonly questions: readonly UserQuestion[]
  readonly reply: (reply: UserReply) => void
}

export function createAskForm(draw: () => void): AskForm {
  let open: readonly Asked[] = []
  const show = (asked: Asked) => {
    if (open.some(({ id }) => id === asked.id)) return
    open = [...open, asked]
    draw()
    if (open.length > 1) return
    const form = document.querySelector('.ask-form')
    form?.scrollIntoView({ block: 'nearest' })
    form?.querySelector('input')?.focus({ preventScroll: true })
  }
  const drop = (fits: (asked: Asked) => boolean) => {
    const left = open.filter((asked) => !fits(asked))
    if (left.length === open.length) return
    open = left
    draw()
  }

  return {
    ask: ({ questions }, id, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          drop((asked) => asked.id === id)
          reject(signal.reason)
        })
        show({ id, questions, reply: resolve })
      }),
    hear(event, run) {
      const { runId } = event
      if (event.type === 'client_tool_call' && event.name === 'ask_user') {
        const { key, callId } = event
        const { questions } = event.arguments as unknown as AskUserArgs
        const reply = (result: UserReply) =>
          void run.answerCall({ key, callId }, { result: JSON.parse(JSON.stringify(result)) })
        show({ id: key, runId, callId, questions, reply })
      } else if (event.type === 'tool_call_end') {
        // Answered here, in another tab, or given up.
        drop((asked) => asked.runId === runId && asked.callId === event.callId)
      } else if (event.type === 'round_end') drop((asked) => asked.runId === runId)
    },
    forget: () => drop(({ runId }) => runId !== undefined),
    template() {
      const [first] = open
      if (!first) return nothing
      const answer = (reply: UserReply) => {
        drop(({ id }) => id === first.id)
        first.reply(reply)
      }
      return formTemplate(first, answer)
    },
  }
}

function formTemplate(asked: Asked, answer: (reply: UserReply) => void): TemplateResult {
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    answer({ answers: answersOf(event.target as HTMLFormElement, asked.questions) })
  }
  return html`<form class="page-form ask-form" @submit=${send} aria-labelledby="ask-title">
    <h2 id="ask-title">The model asks you</h2>
    <p class="unseen" role="status">The model asks you ${asked.questions.length === 1 ? 'a question' : `${asked.questions.length} questions`}</p>
    ${asked.questions.map((question, index) => questionTemplate(question, index))}
    <div class="buttons">
      <button class="primary">Answer</button>
      <button type="button" @click=${() => answer({ declined: '' })}>Decline</button>
    </div>
  </form>`
}

function questionTemplate(
  { question, detail, options, multi_select, secret }: UserQuestion,
  index: number,
): TemplateResult {
  const name = `q${index}`
  const text = (label: string) => html`<label for=${name}>${label}</label>
    <input id=${name} name=${`${name}-text`} type=${secret ? 'password' : 'text'} autocomplete="off" />`
  const about = detail ? html`<p class="detail">${detail}</p>` : nothing
  if (!options) return html`<div class="asked">${about}${text(question)}</div>`
  const type = multi_select ? 'checkbox' : 'radio'
  return html`<fieldset class="asked"><legend>${question}</legend>${about}
    ${options.map(
      (option) =>
        html`<label class="option"><input type=${type} name=${name} value=${option} /> ${option}</label>`,
    )}
    ${text('Or in your own words')}
  </fieldset>`
}

/** What was written goes before what was chosen; with several it comes beside it. */
function answersOf(
  form: HTMLFormElement,
  questions: readonly UserQuestion[],
): (string | string[])[] {
  const data = new FormData(form)
  return questions.map(({ multi_select }, index) => {
    const chosen = data.getAll(`q${index}`).map(String)
    const own = String(data.get(`q${index}-text`) ?? '').trim()
    if (multi_select) return own ? [...chosen, own] : chosen
    return own || (chosen[0] ?? '')
  })
}
