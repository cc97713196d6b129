/**
 * The tools that can be called here or on the Worker, looked at again while a source is loading.
 * @module
 */
import type { CatalogueEntry, Diagnostic, Dispatcher, Mode, SourceEntry } from '../src/index.ts'

export interface Tools {
  readonly tools: readonly CatalogueEntry[]
  readonly sources: readonly SourceEntry[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface ToolListView {
  readonly found: Tools | undefined
  readonly query: string
  readonly problem: string
}

export interface ToolList {
  readonly view: () => ToolListView
  /** Looks anew, and goes on while something is loading. */
  readonly look: () => void
  readonly search: (query: string) => void
}

export interface ToolListOptions {
  readonly place: () => 'page' | 'worker'
  readonly mode: () => Mode
  readonly token: () => string
  readonly dispatcher: (mode: Mode) => Dispatcher
  /** The run on the Worker, when there is one: its session may have tools of its own. */
  readonly workerRun: () => string | undefined
  readonly isShown: () => boolean
  readonly onTokenWanted: () => void
  readonly onChange: () => void
}

const againMs = 1_000

export function createToolList(options: ToolListOptions): ToolList {
  const { place, mode, token, workerRun, isShown, onChange } = options
  let found: Tools | undefined
  let query = ''
  let problem = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Only the last look counts. */
  let looks = 0

  const look = async () => {
    looks += 1
    const own = looks
    clearTimeout(timer)
    try {
      const seen = await (place() === 'page' ? here() : onWorker())
      if (own !== looks) return
      found = seen
      problem = ''
    } catch (error) {
      if (own !== looks) return
      problem = (error as Error).message
    }
    onChange()
    const isLoading = found?.sources.some(({ status }) => status === 'loading')
    if (isLoading && isShown()) timer = setTimeout(look, againMs)
  }

  const here = async (): Promise<Tools> => {
    const dispatcher = options.dispatcher(mode())
    const { catalogue, sources, diagnostics } = dispatcher
    if (query.trim() === '') return { tools: catalogue, sources, diagnostics }
    const names = await dispatcher.search(query)
    const byName = new Map(catalogue.map((tool) => [tool.name, tool]))
    return { tools: names.flatMap((name) => byName.get(name) ?? []), sources, diagnostics }
  }

  const onWorker = async (): Promise<Tools> => {
    const runId = workerRun()
    const path = runId === undefined ? '/v1/tools' : `/v1/runs/${runId}/tools`
    const headers: Record<string, string> = token() ? { authorization: `Bearer ${token()}` } : {}
    const response = await fetch(`${path}?query=${encodeURIComponent(query)}`, { headers })
    if (response.status === 401) options.onTokenWanted()
    if (!response.ok) throw new Error(`The Worker answered ${response.status}.`)
    return response.json() as Promise<Tools>
  }

  return {
    view: () => ({ found, query, problem }),
    look: () => void look(),
    search(wanted) {
      query = wanted
      void look()
    },
  }
}
