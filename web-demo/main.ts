/**
 * The demo page: wiring of editor, dispatcher (here or on the Worker), passes and dialog.
 * @module
 */
import { html, nothing, render } from 'lit-html'
import {
  type ApprovalAnswer,
  type JsonObject,
  promptApprover,
  type Run,
  type RunEvent,
  type ToolCall,
} from '../src/index.ts'
import { approvalDialog, type DialogState, type Question } from './approval-dialog.ts'
import { drawChart } from './chart.ts'
import { type EditorState, editor, parseRound } from './editor.ts'
import { examples } from './examples.ts'
import { localRuns } from './local-run.ts'
import { pageTools } from './page-tools.ts'
import { passesPanel } from './passes-panel.ts'
import { applyEvent, type RoundView, withResults } from './round-view.ts'
import { currentTheme, setTheme, type Theme } from './theme.ts'
import { openWorkerRun, WorkerProblem, type WorkerRun } from './worker-run.ts'

const first = examples[0]
let edit: EditorState = {
  text: first?.text ?? '[]',
  hint: first?.hint ?? '',
  place: 'page',
  mode: first?.mode ?? 'full',
  running: false,
  token: '',
  needsToken: false,
  rounds: 0,
}
let view: RoundView | undefined
/** Worker clock minus page clock, so that a running bar ends at the Worker's now. */
let clockSkewMs = 0
const openRows = new Set<string>()
let dialog: DialogState = { questions: [], edits: new Map(), reasons: new Map(), errors: new Map() }
let form: { question: string; send: (answer: JsonObject) => void } | undefined
let hasChart = false

const prompt = promptApprover({ onChange: (pending) => ask(pending) })
const local = localRuns(
  pageTools({
    askForm,
    async drawChart(title, labels, values) {
      hasChart = true
      draw()
      await drawChart(document.querySelector('#chart') as HTMLCanvasElement, title, labels, values)
    },
    onTheme: draw,
  }),
  prompt.approver,
)

let localRun: Run | undefined
let workerRun: WorkerRun | undefined
let abort = new AbortController()

async function runRound(): Promise<void> {
  const parsed = parseRound(edit.text)
  if (edit.running || 'problem' in parsed) return
  abort = new AbortController()
  openRows.clear()
  view = undefined
  const { problem: _problem, ...rest } = edit
  change({ ...rest, running: true })
  try {
    const dispatch = edit.place === 'page' ? dispatchHere : dispatchOnWorker
    await dispatch(parsed.calls, parsed.finishReason)
    change({ rounds: edit.rounds + 1 })
  } catch (error) {
    const needsToken = error instanceof WorkerProblem && error.status === 401
    change({ problem: (error as Error).message, ...(needsToken && { needsToken }) })
  } finally {
    ask([])
    change({ running: false })
  }
}

async function dispatchHere(calls: readonly ToolCall[], finishReason?: string): Promise<void> {
  clockSkewMs = 0
  localRun ??= local.open(edit.mode, onEvent)
  const { results } = await localRun.dispatch(calls, {
    signal: abort.signal,
    ...(finishReason !== undefined && { finishReason }),
  })
  if (view) view = withResults(view, results)
}

async function dispatchOnWorker(calls: readonly ToolCall[], finishReason?: string): Promise<void> {
  workerRun ??= await openWorkerRun(edit.mode, edit.token)
  const { results } = await workerRun.dispatch(calls, { finishReason, onEvent: onWorkerEvent })
  if (view) view = withResults(view, results)
}

function onWorkerEvent(event: RunEvent): void {
  if (event.type === 'round_start') clockSkewMs = event.at - Date.now()
  if (event.type === 'approval_requested') ask([...dialog.questions, ...event.questions])
  onEvent(event)
}

function onEvent(event: RunEvent): void {
  view = applyEvent(view, event)
  schedule()
}

async function cancel(): Promise<void> {
  abort.abort()
  if (edit.place === 'worker') await workerRun?.cancel().catch(() => {})
  if (edit.place === 'worker') workerRun = undefined
}

function newRun(): void {
  localRun = undefined
  workerRun = undefined
  view = undefined
  change({ rounds: 0 })
}

function change(changed: Partial<EditorState>): void {
  const moved =
    ('place' in changed && changed.place !== edit.place) ||
    ('mode' in changed && changed.mode !== edit.mode)
  edit = { ...edit, ...changed }
  if (!('problem' in changed) && 'text' in changed) edit = { ...edit, problem: '' }
  // A run belongs to one place and one mode.
  if (moved) newRun()
  else draw()
}

// ── approvals ─────────────────────────────────────────────────────────────

function ask(questions: readonly Question[]): void {
  dialog = { ...dialog, questions }
  draw()
  const element = document.querySelector<HTMLDialogElement>('#approvals')
  if (!element) return
  if (questions.length > 0 && !element.open) element.showModal()
  if (questions.length === 0 && element.open) element.close()
}

async function answer(question: Question, said: ApprovalAnswer): Promise<void> {
  if (edit.place === 'page') {
    prompt.answer(said, question.token)
    return
  }
  const left =
    said.decision === 'stop' ? [] : dialog.questions.filter(({ token }) => token !== question.token)
  try {
    await workerRun?.answer(said, question.token)
    ask(left)
  } catch (error) {
    note('errors', question.token, (error as Error).message)
  }
}

function note(kind: 'edits' | 'reasons' | 'errors', token: string, text: string): void {
  dialog = { ...dialog, [kind]: new Map([...dialog[kind], [token, text]]) }
  draw()
}

// ── the form that ask_form asks ───────────────────────────────────────────

function askForm(question: string, signal: AbortSignal): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
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
  })
}

function sendForm(event: SubmitEvent): void {
  event.preventDefault()
  const data = new FormData(event.target as HTMLFormElement)
  form?.send(Object.fromEntries([...data].map(([name, value]) => [name, String(value)])))
}

// ── drawing ───────────────────────────────────────────────────────────────

const themes: readonly Theme[] = ['system', 'light', 'dark']

function page() {
  const theme = currentTheme()
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return html`
    <header>
      <h1><a class="brand" href="/"><svg viewBox="0 0 16 16" width="28" height="28" aria-hidden="true"><rect y="2" width="6" height="3" rx="1.5" /><rect x="3" y="6.5" width="10" height="3" rx="1.5" /><rect x="10" y="11" width="6" height="3" rx="1.5" /></svg> threepass</a></h1>
      <p>One round of a model's tool calls: checked, run, recorded.</p>
      <nav><a href="/docs">API</a><button @click=${() => {
        setTheme(nextTheme)
        draw()
      }}>Theme: ${theme}</button></nav>
    </header>
    <main>
      <section aria-labelledby="round-title"><h2 id="round-title">Round</h2>
        ${editor(edit, { change, run: () => void runRound(), cancel: () => void cancel(), newRun })}
      </section>
      <section aria-labelledby="passes-title" aria-busy=${edit.running ? 'true' : 'false'}><h2 id="passes-title">Three passes</h2>
        ${passesPanel(view, { now: Date.now() + clockSkewMs, open: openRows, onToggle: toggle })}
        ${hasChart ? html`<div class="chart-box"><canvas id="chart" role="img"></canvas></div>` : nothing}
        ${pageForm()}
      </section>
    </main>
    ${approvalDialog(dialog, {
      onAnswer: (question, said) => void answer(question, said),
      onEdit: (token, text) => note('edits', token, text),
      onReason: (token, text) => note('reasons', token, text),
      onError: (token, message) => note('errors', token, message),
    })}
  `
}

function pageForm() {
  if (!form) return nothing
  return html`<form class="page-form" @submit=${sendForm} aria-labelledby="form-title">
    <h3 id="form-title" role="status">${form.question}</h3>
    <div class="field"><label for="form-city">City</label><input id="form-city" name="city" required /></div>
    <div class="field"><label for="form-date">Date</label><input id="form-date" name="date" type="date" /></div>
    <button class="primary">Send</button>
  </form>`
}

function toggle(callId: string): void {
  if (!openRows.delete(callId)) openRows.add(callId)
  draw()
}

function draw(): void {
  render(page(), document.querySelector('#app') as HTMLElement)
}

let scheduled = false
/** At most one drawing a frame; while a round runs, one every frame, so that bars grow. */
function schedule(): void {
  if (scheduled) return
  scheduled = true
  requestAnimationFrame(() => {
    scheduled = false
    draw()
    if (edit.running) schedule()
  })
}

setTheme(currentTheme())
document.querySelector('#app')?.replaceChildren()
draw()
