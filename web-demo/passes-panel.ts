/**
 * The three passes drawn live: one row a call; waiting, running and commit on one time axis.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { RoundView, RowView } from './round-view.ts'

export interface PassesOptions {
  /** The clock of whoever dispatches the round. */
  readonly now: number
  readonly open: ReadonlySet<string>
  readonly onToggle: (callId: string) => void
}

export function passesPanel(views: readonly RoundView[], options: PassesOptions): TemplateResult {
  if (views.length === 0) {
    return html`<div class="empty">
      <p><b>Nothing has run yet.</b></p>
      <p>Send a message, or run a round of your own. Each call gets one row: how it was checked, why it waited, how long it ran, and what the model reads.</p>
    </div>`
  }
  return html`${views.map(
    (view, index) => html`<section class="round" aria-label=${`Round ${index + 1}`}>
      ${views.length > 1 ? html`<h3>Round ${index + 1}</h3>` : nothing}
      ${roundTemplate(view, options)}
    </section>`,
  )}`
}

function roundTemplate(view: RoundView, options: PassesOptions): TemplateResult {
  const last = Math.max(
    view.endedAt ?? options.now,
    ...view.rows.map((row) => row.committedAt ?? 0),
  )
  const spanMs = Math.max(10, last - view.startedAt)
  const ticks = ticksOf(spanMs)
  return html`
    ${progressLine(view)}
    <div class="legend" aria-hidden="true">
      <span><i class="key wait"></i>waits</span><span><i class="key ask"></i>waits for a person</span>
      <span><i class="key run"></i>runs</span><span><i class="key commit"></i>committed</span>
    </div>
    <div class="chart">
      <div class="axis" aria-hidden="true">
        <span class="axis-head">call</span>
        <div class="axis-line">${ticks.map(
          (tick) => html`<span style=${`left:${(tick / spanMs) * 100}%`}>${duration(tick)}</span>`,
        )}</div>
        <span class="axis-tail">outcome</span>
      </div>
      <ul class="calls" aria-label="Calls of the round">${view.rows.map((row) => rowTemplate(row, view, spanMs, ticks, options))}</ul>
    </div>
    ${view.todos ? checklist(view.todos) : nothing}
    ${
      view.warnings.length > 0
        ? html`<ul class="warnings">${view.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`
        : nothing
    }
  `
}

const marks = { completed: '✓', in_progress: '▸', pending: '○' }

function checklist(todos: NonNullable<RoundView['todos']>): TemplateResult {
  const done = todos.filter(({ status }) => status === 'completed').length
  return html`<div class="checklist"><h3>Checklist, ${done} of ${todos.length} done</h3>
    <ul>${todos.map(
      ({ content, status, active_form: active }) =>
        html`<li class=${status}><span aria-hidden="true">${marks[status]}</span>
          ${status === 'in_progress' && active ? active : content}<span class="unseen"> (${status.replace('_', ' ')})</span></li>`,
    )}</ul></div>`
}

function progressLine(view: RoundView): TemplateResult {
  const done = view.rows.filter((row) => row.stage === 'committed').length
  const passes = [
    {
      name: 'check',
      on: view.rows.every((row) => row.stage === 'checked' || row.stage === 'asked'),
    },
    {
      name: 'execute',
      on: view.rows.some((row) => ['waiting', 'running', 'ran'].includes(row.stage)),
    },
    { name: 'commit', on: view.endedAt !== undefined },
  ]
  const at = view.endedAt !== undefined ? 2 : passes[1]?.on ? 1 : 0
  const tookMs = view.endedAt === undefined ? undefined : view.endedAt - view.startedAt
  return html`<div class="passes">
    <ol>${passes.map(
      ({ name }, index) =>
        html`<li class=${index < at || tookMs !== undefined ? 'done' : index === at ? 'now' : ''}>${index + 1} ${name}</li>`,
    )}</ol>
    <p role="status">${
      tookMs === undefined
        ? `${done} of ${view.rows.length} committed …`
        : `${view.rows.length} ${view.rows.length === 1 ? 'call' : 'calls'} in ${duration(tookMs)}${view.stopped ? ', run stopped' : ''}`
    }</p>
  </div>`
}

function rowTemplate(
  row: RowView,
  view: RoundView,
  spanMs: number,
  ticks: readonly number[],
  { now, open, onToggle }: PassesOptions,
): TemplateResult {
  const isOpen = open.has(row.callId)
  const at = (time: number) => `${(Math.max(0, time - view.startedAt) / spanMs) * 100}%`
  const bar = (kind: string, from: number | undefined, to: number | undefined, title: string) => {
    if (from === undefined) return nothing
    const until = to ?? view.endedAt ?? now
    return html`<i class=${`bar ${kind}`} title=${title} style=${`left:${at(from)};width:calc(${at(view.startedAt + Math.max(0, until - from))} + 2px)`}></i>`
  }
  const waitsUntil = row.startedAt ?? (row.outcome ? row.seenAt : undefined)
  return html`<li class=${`call ${row.stage}`}>
    <button class="call-line" aria-expanded=${isOpen ? 'true' : 'false'} @click=${() => onToggle(row.callId)}>
      <span class="call-name"><b>${row.name}</b><small>${row.callId}</small></span>
      <span class="lane"><span class="unseen">${laneText(row, view)}</span>
        ${ticks.map((tick) => html`<i class="grid" style=${`left:${(tick / spanMs) * 100}%`}></i>`)}
        ${bar('wait', row.answeredAt ?? row.seenAt, waitsUntil, 'waits')}
        ${bar('ask', row.askedAt, row.answeredAt, 'waits for a person')}
        ${bar('run', row.startedAt, row.endedAt, 'runs')}
        ${row.committedAt === undefined ? nothing : html`<i class="commit" title="committed" style=${`left:${at(row.committedAt)}`}></i>`}
      </span>
      <span class="call-outcome">${chip(row)}</span>
    </button>
    ${notes(row)}
    ${isOpen ? details(row) : nothing}
  </li>`
}

function laneText(row: RowView, view: RoundView): string {
  if (row.startedAt === undefined) return 'did not run'
  const waited = duration(row.startedAt - row.seenAt)
  const ran = duration((row.endedAt ?? view.endedAt ?? row.startedAt) - row.startedAt)
  return `waited ${waited}, ran ${ran}`
}

function chip(row: RowView): TemplateResult {
  const label = row.outcome ?? row.stage
  return html`<span class=${`chip ${label}`}>${label.replace('_', ' ')}</span>`
}

/** What a person wants to know without opening the row. */
function notes(row: RowView): TemplateResult | typeof nothing {
  const { result } = row
  const said = [
    ...row.repaired.map((what) => `repaired: ${what}`),
    ...row.coerced.map(({ path, from, to }) => `coerced ${path || '/'}: ${from} → ${to}`),
    ...row.waits,
    ...(result?.duplicateOf ? [`same as ${result.duplicateOf}`] : []),
    ...(result?.ageMs !== undefined ? [`answer is ${duration(result.ageMs)} old`] : []),
    ...(result?.truncated ? [`${result.truncated.omittedBytes} bytes left out`] : []),
    ...(row.late ? [`settled late: ${row.late}`] : []),
    ...(row.stage === 'running' && row.progress !== undefined
      ? [JSON.stringify(row.progress)]
      : []),
  ]
  if (said.length === 0) return nothing
  return html`<ul class="notes">${said.map((line) => html`<li>${line}</li>`)}</ul>`
}

function details(row: RowView): TemplateResult {
  const shown = row.raw ?? JSON.stringify(row.arguments, null, 2)
  return html`<div class="details">
    <div><h3>arguments</h3><pre tabindex="0">${shown}</pre></div>
    <div><h3>${row.result ? 'what the model reads' : 'so far'}</h3><pre tabindex="0">${row.result?.content ?? (row.text || '…')}</pre></div>
    ${
      row.result?.value === undefined || typeof row.result.value === 'string'
        ? nothing
        : html`<div><h3>value</h3><pre tabindex="0">${JSON.stringify(row.result.value, null, 2)}</pre></div>`
    }
    ${previewTemplate(row)}
    ${row.result?.media?.map((part) =>
      part.type === 'image' && part.data
        ? html`<img alt=${`image from ${row.name}`} src=${`data:${part.mimeType};base64,${part.data}`} />`
        : part.type === 'audio' && part.data
          ? html`<audio controls aria-label=${`sound from ${row.name}`} src=${`data:${part.mimeType};base64,${part.data}`}></audio>`
          : nothing,
    )}
  </div>`
}

/** A page that the call made or gave, as a person would see it: in a frame without scripts and network. */
function previewTemplate(row: RowView): TemplateResult | typeof nothing {
  const page = pageOf(row)
  if (page === undefined) return nothing
  return html`<div class="preview"><h3>preview</h3>
    <iframe title=${`page from ${row.name}`} sandbox="" tabindex="0" .srcdoc=${page}></iframe></div>`
}

function pageOf({ name, arguments: args, result }: RowView): string | undefined {
  const { mode, path, content } = Object(args) as Record<string, unknown>
  const isWrite = name === 'edit_file' && mode === 'write' && /\.html?$/i.test(String(path))
  const text = isWrite ? content : result?.content
  return typeof text === 'string' && /^\s*<!doctype html/i.test(text) ? text : undefined
}

/** Four to six round marks over the span. */
export function ticksOf(spanMs: number): number[] {
  const rough = spanMs / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
  const ticks: number[] = []
  for (let tick = 0; tick < spanMs * 0.97; tick += step) ticks.push(tick)
  return ticks
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${Math.round(ms / 60_000)} min`
}
