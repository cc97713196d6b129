/**
 * Where tools come from, how that is, and what each tool says of itself.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { CatalogueEntry, SourceEntry } from '../src/index.ts'
import type { McpServer } from './page-sources.ts'
import type { ToolListView, Tools } from './tool-list.ts'

export interface ToolsPanelOptions {
  /** MCP servers that can be named here; absent on the Worker. */
  readonly servers?: readonly McpServer[]
  /** Agents of this browser may call the tools; absent where it has none. */
  readonly isOffering?: boolean
  readonly onOffer: (isWanted: boolean) => void
  readonly onSearch: (query: string) => void
  /** Gives what is wrong, or nothing. */
  readonly onAddServer: (server: McpServer) => string
  readonly onRemoveServer: (name: string) => void
}

export function toolsPanel(view: ToolListView, options: ToolsPanelOptions): TemplateResult {
  const { found, query, problem } = view
  return html`<div class="tools">
    <div class="field">
      <label for="tool-query">What should the tool do?</label>
      <input id="tool-query" type="search" .value=${query} placeholder="All tools"
        @input=${(event: Event) => options.onSearch((event.target as HTMLInputElement).value)} />
    </div>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    ${found ? listTemplate(found, query) : html`<p class="hint">Looking …</p>`}
    ${options.servers ? serversTemplate(options.servers, options) : nothing}
    ${options.isOffering === undefined ? nothing : offerTemplate(options.isOffering, options.onOffer)}
  </div>`
}

function offerTemplate(isOffering: boolean, onOffer: (isWanted: boolean) => void): TemplateResult {
  return html`<h2>Agents of this browser</h2>
    <label class="check"><input type="checkbox" .checked=${isOffering}
      @change=${(event: Event) => onOffer((event.target as HTMLInputElement).checked)} />
      They may call these tools (WebMCP); you are asked as ever.</label>`
}

function listTemplate({ tools, sources, diagnostics }: Tools, query: string): TemplateResult {
  const own = tools.filter(({ source }) => source === undefined)
  const left = diagnostics.filter(
    ({ code }) => code !== 'repaired-schema' && code !== 'deferred-for-size',
  )
  return html`
    <p class="hint" role="status">${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${query.trim() ? ', best match first' : ''}</p>
    ${
      query.trim()
        ? toolList(tools)
        : html`${group('Built in', own)}
          ${sources.map((source) =>
            sourceTemplate(
              source,
              tools,
              left
                .filter((each) => each.source === source.name)
                .map(({ tool, message }) => ({ definition: tool, message })),
            ),
          )}`
    }`
}

function group(title: string, tools: readonly CatalogueEntry[]): TemplateResult {
  return html`<details class="group"><summary><b>${title}</b> <small>${tools.length}</small></summary>${toolList(tools)}</details>`
}

function sourceTemplate(
  { name, prefix, status, message, tools: count, problems }: SourceEntry,
  tools: readonly CatalogueEntry[],
  leftOut: SourceEntry['problems'],
): TemplateResult {
  const all = [...problems, ...leftOut]
  return html`<details class="group">
    <summary><b>${name}</b> <span class=${`chip ${status}`}>${status}</span> <small>${count}${all.length > 0 ? `, ${all.length} with problems` : ''}</small></summary>
    ${message ? html`<p class="problem">${message}</p>` : nothing}
    ${count === 0 && all.length === 0 ? html`<p class="hint">Nothing yet; its tools begin with <code>${prefix}</code></p>` : nothing}
    ${all.length > 0 ? html`<ul class="warnings">${all.map((each) => html`<li><b>${each.definition}</b>: ${each.message}</li>`)}</ul>` : nothing}
    ${toolList(tools.filter(({ source }) => source === name))}
  </details>`
}

const mostShown = 200

function toolList(tools: readonly CatalogueEntry[]): TemplateResult {
  return html`<ul class="tool-list">${tools.slice(0, mostShown).map(
    (tool) => html`<li><details>
      <summary><code>${tool.name}</code> ${traits(tool)}</summary>
      <p>${tool.description}</p>
      <pre tabindex="0">${JSON.stringify(tool.inputSchema, null, 2)}</pre>
    </details></li>`,
  )}</ul>
  ${tools.length > mostShown ? html`<p class="hint">${tools.length - mostShown} more: search for them.</p>` : nothing}`
}

function traits(tool: CatalogueEntry): TemplateResult {
  const said = [
    tool.concurrent ? 'concurrent' : 'serial',
    ...(tool.readOnly ? ['read only'] : []),
    ...(tool.confirm === 'never' ? [] : [tool.confirm === 'always' ? 'asks' : 'may ask']),
    ...(tool.cacheSeconds === undefined ? [] : ['cached']),
    ...(tool.interactive ? ['interactive'] : []),
    ...(tool.origin === 'client' ? ['page'] : []),
  ]
  return html`<small>${said.join(' · ')}</small>`
}

function serversTemplate(
  servers: readonly McpServer[],
  { onAddServer, onRemoveServer }: ToolsPanelOptions,
): TemplateResult {
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    const given = new FormData(form)
    const problem = onAddServer({
      name: String(given.get('name')).trim(),
      url: String(given.get('url')).trim(),
    })
    const said = form.querySelector('[role="alert"]')
    if (said) said.textContent = problem
    if (!problem) form.reset()
  }
  return html`<h2>MCP servers</h2>
    ${
      servers.length > 0
        ? html`<ul class="servers">${servers.map(
            ({ name, url }) => html`<li><b>${name}</b> <small>${url}</small>
        <button type="button" @click=${() => onRemoveServer(name)} aria-label=${`Remove ${name}`}>Remove</button></li>`,
          )}</ul>`
        : nothing
    }
    <form class="add-server" @submit=${add}>
      <div class="field"><label for="server-name">Name</label><input id="server-name" name="name" required maxlength="100" /></div>
      <div class="field"><label for="server-url">Streamable HTTP address</label><input id="server-url" name="url" type="url" required placeholder="https://example.com/mcp" /></div>
      <p class="problem" role="alert"></p>
      <button>Add server</button>
    </form>`
}
