/**
 * The demo page: wiring of chat, editor, dispatcher (here or on the Worker), passes and questions.
 * @module
 */
import { html, nothing, render } from 'lit-html'
import type { RemoteRun } from '../src/client/index.ts'
import { promptApprover, type Run, type RunEvent, type ToolCall } from '../src/index.ts'
import { createAskForm } from './ask-form.ts'
import { drawChart } from './chart.ts'
import { createConversation } from './chat.ts'
import { chatPanel } from './chat-panel.ts'
import { type EditorState, editor, parseRound } from './editor.ts'
import { examples } from './examples.ts'
import { localRuns } from './local-run.ts'
import { createPageForm } from './page-form.ts'
import { pageTools } from './page-tools.ts'
import { browserAgents } from './page-webmcp.ts'
import { passesPanel } from './passes-panel.ts'
import { createQuestions } from './questions.ts'
import { applyToAll, type RoundView, withResults } from './round-view.ts'
import { type Settings, settingsBar } from './settings.ts'
import { tabs } from './tabs.ts'
import { currentTheme, setTheme, type Theme } from './theme.ts'
import { createToolList } from './tool-list.ts'
import { toolsPanel } from './tools-panel.ts'
import { wantsToken, workerLink } from './worker-link.ts'

const first = examples[0]
let tab: 'chat' | 'round' | 'tools' = /^#(round|tools)/.test(location.hash)
  ? (location.hash.slice(1) as 'round' | 'tools')
  : 'chat'
let settings: Settings = {
  place: location.hash.startsWith('#chat=') ? 'worker' : 'page',
  mode: first?.mode ?? 'full',
  token: '',
  needsToken: false,
}
let edit: EditorState = {
  text: first?.text ?? '[]',
  hint: first?.hint ?? '',
  running: false,
  rounds: 0,
}
let draft = ''
let markdown: ((text: string) => string) | undefined
/** The rounds that are drawn: one, or those of a turn of the chat. */
let views: readonly RoundView[] = []
/** Worker clock minus page clock, so that a running bar ends at the Worker's now. */
let clockSkewMs = 0
const openRows = new Set<string>()
let hasChart = false

const form = createPageForm(() => draw())
const askForm = createAskForm(() => draw())
const prompt = promptApprover({ onChange: (pending) => questions.here(pending) })
const questions = createQuestions(prompt.answer, () => draw())
const tools = pageTools({
  askForm: form.ask,
  async drawChart(title, labels, values) {
    hasChart = true
    draw()
    await drawChart(document.querySelector('#chart') as HTMLCanvasElement, title, labels, values)
  },
  onTheme: () => draw(),
})
const local = localRuns(tools.tools, prompt.approver, askForm)
const link = workerLink({
  token: () => settings.token,
  tools,
  onEvent(event, run) {
    questions.hear(event, run.answer)
    askForm.hear(event, run)
    // A replayed event is older than its way here: the youngest says most about the clocks.
    clockSkewMs = Math.max(clockSkewMs, event.at - Date.now())
    onEvent(event)
  },
  onError(error) {
    if (wantsToken(error)) set({ needsToken: true })
  },
})
const conversation = createConversation({
  place: () => settings.place,
  mode: () => settings.mode,
  token: () => settings.token,
  tools,
  link,
  dispatcher: local.dispatcher,
  onRunEvent: (event) => onEvent(event),
  sessionId: local.sessionId,
  onFinish: local.onFinish,
  onTokenWanted: () => set({ needsToken: true }),
  onChange: () => schedule(),
})

const toolList = createToolList({
  place: () => settings.place,
  mode: () => settings.mode,
  token: () => settings.token,
  dispatcher: local.dispatcher,
  workerRun: () => workerRun?.runId ?? conversation.workerRun(),
  isShown: () => tab === 'tools',
  onTokenWanted: () => set({ needsToken: true }),
  onChange: () => schedule(),
})

const agents = browserAgents({
  tools,
  dispatcher: () => local.dispatcher('full'),
  onEvent: (event) => onEvent(event),
  onChange: () => {
    if (tab === 'tools') toolList.look()
    schedule()
  },
})

let localRun: Run | undefined
let workerRun: RemoteRun | undefined
let abort = new AbortController()

async function runRound(): Promise<void> {
  const parsed = parseRound(edit.text)
  if (edit.running || 'problem' in parsed) return
  abort = new AbortController()
  openRows.clear()
  views = []
  const { problem: _problem, ...rest } = edit
  change({ ...rest, running: true })
  try {
    const dispatch = settings.place === 'page' ? dispatchHere : dispatchOnWorker
    const { roundId, results } = await dispatch(parsed.calls, parsed.finishReason)
    views = views.map((view) => (view.roundId === roundId ? withResults(view, results) : view))
    change({ rounds: edit.rounds + 1 })
  } catch (error) {
    change({ problem: (error as Error).message })
    if (wantsToken(error)) set({ needsToken: true })
  } finally {
    change({ running: false })
  }
}

async function dispatchHere(calls: readonly ToolCall[], finishReason?: string) {
  clockSkewMs = 0
  localRun ??= local.open(settings.mode, onEvent)
  const { signal } = abort
  return localRun.dispatch(calls, { signal, ...(finishReason !== undefined && { finishReason }) })
}

async function dispatchOnWorker(calls: readonly ToolCall[], finishReason?: string) {
  clockSkewMs = Number.NEGATIVE_INFINITY
  workerRun ??= await link.open(settings.mode)
  return workerRun.dispatch(calls, finishReason === undefined ? {} : { finishReason })
}

function onEvent(event: RunEvent): void {
  views = applyToAll(views, event)
  schedule()
}

async function cancel(): Promise<void> {
  abort.abort()
  if (settings.place === 'page') return
  const run = workerRun
  workerRun = undefined
  await run?.cancel().catch(() => {})
}

function newRun(): void {
  localRun = undefined
  workerRun?.close()
  workerRun = undefined
  views = []
  change({ rounds: 0 })
}

function change(changed: Partial<EditorState>): void {
  edit = { ...edit, ...changed }
  if (!('problem' in changed) && 'text' in changed) edit = { ...edit, problem: '' }
  draw()
}

function set(changed: Partial<Settings>): void {
  const moved =
    ('place' in changed && changed.place !== settings.place) ||
    ('mode' in changed && changed.mode !== settings.mode)
  settings = { ...settings, ...changed }
  // A run and a chat belong to one place and one mode.
  if (moved) {
    questions.forget()
    askForm.forget()
    newRun()
    conversation.reset()
    if (tab === 'tools') toolList.look()
  }
  draw()
}

async function send(text: string): Promise<void> {
  if (text.trim() === '' || conversation.view().status !== 'ready') return
  draft = ''
  openRows.clear()
  views = []
  clockSkewMs = settings.place === 'page' ? 0 : Number.NEGATIVE_INFINITY
  markdown ??= (await import('./markdown.ts')).markdownHtml
  // A chat of the Worker has an address: it can be loaded anew, and opened in another tab.
  if (settings.place === 'worker') history.replaceState(null, '', `#chat=${conversation.view().id}`)
  await conversation.send(text)
}

// ── drawing ───────────────────────────────────────────────────────────────

const themes: readonly Theme[] = ['system', 'light', 'dark']

function page() {
  const theme = currentTheme()
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  const busy = edit.running || conversation.view().status === 'busy'
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
      <section aria-label="Input">
        ${tabs('Input', tabNames, tab, chooseTab)}
        ${settingsBar(settings, set)}
        <div role="tabpanel" id=${`panel-${tab}`} aria-labelledby=${`tab-${tab}`}>${panels[tab]()}</div>
        ${askForm.template()}
      </section>
      <section aria-labelledby="passes-title" aria-busy=${busy ? 'true' : 'false'}><h2 id="passes-title">Three passes</h2>
        ${passesPanel(views, { now: Date.now() + clockSkewMs, open: openRows, onToggle: toggle })}
        ${hasChart ? html`<div class="chart-box"><canvas id="chart" role="img"></canvas></div>` : nothing}
        ${form.template()}
      </section>
    </main>
    ${questions.template()}
  `
}

const tabNames = [
  ['chat', 'Chat'],
  ['round', 'Round'],
  ['tools', 'Tools'],
] as const

function chooseTab(name: typeof tab): void {
  tab = name
  if (tab === 'tools') toolList.look()
  draw()
}

function round() {
  return editor(edit, {
    change,
    onMode: (mode) => set({ mode }),
    run: () => void runRound(),
    cancel: () => void cancel(),
    newRun,
  })
}

function chat() {
  return chatPanel(conversation.view(), {
    place: settings.place,
    draft,
    markdown,
    onDraft(text) {
      draft = text
      draw()
    },
    onSend: (text) => void send(text),
    onStop: () => void conversation.stop(),
    onNew() {
      history.replaceState(null, '', location.pathname)
      views = []
      void conversation.open()
    },
    onModel: (model) => void conversation.choose(model),
  })
}

function toolsTab() {
  const isHere = settings.place === 'page'
  return toolsPanel(toolList.view(), {
    ...(isHere && { servers: local.outside.servers() }),
    ...(isHere && agents.isAvailable && { isOffering: agents.isOffering() }),
    onOffer: agents.offer,
    onSearch: toolList.search,
    onAddServer(server) {
      try {
        local.outside.addServer(server)
      } catch (error) {
        return (error as Error).message
      }
      sourcesChanged()
      return ''
    },
    onRemoveServer(name) {
      local.outside.removeServer(name)
      sourcesChanged()
    },
  })
}

/** A run keeps the sources that it was opened with. */
function sourcesChanged(): void {
  newRun()
  conversation.reset()
  toolList.look()
}

const panels = { chat, round, tools: toolsTab }

function toggle(callId: string): void {
  if (!openRows.delete(callId)) openRows.add(callId)
  draw()
}

function draw(): void {
  render(page(), document.querySelector('#app') as HTMLElement)
  questions.sync()
}

let scheduled = false
/** At most one drawing a frame; while a round runs, one every frame, so that bars grow. */
function schedule(): void {
  if (scheduled) return
  scheduled = true
  requestAnimationFrame(() => {
    scheduled = false
    draw()
    if (edit.running || views.some(({ endedAt }) => endedAt === undefined)) schedule()
  })
}

async function openAddressed(): Promise<void> {
  const [, id] = /^#chat=([A-Za-z0-9_-]{1,64})$/.exec(location.hash) ?? []
  if (id === undefined) return
  markdown ??= (await import('./markdown.ts')).markdownHtml
  await conversation.open(id)
}

setTheme(currentTheme())
document.querySelector('#app')?.replaceChildren()
draw()
if (tab === 'tools') toolList.look()
void openAddressed()
