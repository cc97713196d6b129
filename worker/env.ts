/**
 * The Worker's bindings and variables.
 * @module
 */
import type { Mode } from '../src/index.ts'
import type { ModelEnv } from './models.ts'
import { modes } from './schemas.ts'

export interface Env extends ModelEnv {
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
  readonly RESULTS: KVNamespace
  readonly SESSIONS: DurableObjectNamespace
  /** Where files above 256 KB of the workspaces go; without it into the objects' own storage. */
  readonly FILES?: R2Bucket
  /** Bearer token of the API. Unset: loopback only. */
  readonly API_TOKEN?: string
  readonly MAX_CONCURRENT_TOOLS?: string
  readonly TOOL_MODE?: string
  /** What the chat's model is told first. */
  readonly SYSTEM_PROMPT?: string
  /** Origins, separated by commas, whose pages may call the API. Default: none but its own. */
  readonly ALLOWED_ORIGINS?: string
  /** Search services of search_web, in this order; without any: DuckDuckGo's page. */
  readonly SEARCH_BRAVE_KEY?: string
  readonly SEARCH_TAVILY_KEY?: string
  /** A SearXNG instance; a private one also stands in ALLOWED_HOSTS. */
  readonly SEARXNG_URL?: string
  /** Bots that may write to these chats only: `name=id`, separated by commas. */
  readonly TELEGRAM_BOT_TOKEN?: string
  readonly TELEGRAM_CHATS?: string
  readonly DISCORD_BOT_TOKEN?: string
  readonly DISCORD_CHANNELS?: string
  readonly SLACK_BOT_TOKEN?: string
  readonly SLACK_CHANNELS?: string
  /** Where the bots' APIs are, for tests and proxies; default: the platforms' own. */
  readonly TELEGRAM_BASE_URL?: string
  readonly DISCORD_BASE_URL?: string
  readonly SLACK_BASE_URL?: string
  /** Makes Workers for scripts (`worker_loaders`); without it they run in QuickJS. */
  readonly LOADER?: WorkerLoader
  /** Installed extensions, shared by all sessions; without it each session has its own. */
  readonly EXTENSIONS?: KVNamespace
  /** JSON: `[{ "server": "tickets", "url": "https://…/mcp", "secret": "TICKETS_TOKEN", "trustHints": false }]`. */
  readonly MCP_SERVERS?: string
  /** JSON, a secret: `{ "TICKETS_TOKEN": { "value": "…", "hosts": ["tickets.example.com"] } }`. */
  readonly TOOL_SECRETS?: string
  /** Private hosts, separated by commas, that fetching tools may reach (local development). */
  readonly ALLOWED_HOSTS?: string
}

/** Nobody may come back to a question: after fifteen minutes it is over, and the round goes on. */
export const answerTimeoutMs = 900_000

/** A whole number from 1 in a variable; the dispatcher refuses anything else with its own message. */
export function maxConcurrent(env: Env): number {
  return Number(env.MAX_CONCURRENT_TOOLS ?? 5)
}

export function defaultMode(env: Env): Mode {
  return modes.find((mode) => mode === env.TOOL_MODE) ?? 'deferred'
}

/** The parts of a comma-separated variable. */
export function listed(variable: string | undefined): string[] {
  return (variable ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
