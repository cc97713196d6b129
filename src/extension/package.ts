/**
 * An extension as it is handed on: one JSON text with its tools, its guides, and all that it needs.
 * @module
 */
import { validate as isVersion } from 'compare-versions'
import { type LoadedApi, readApiDefinition } from '../api/read-definition.ts'
import { base64, byteLength } from '../execute/text.ts'
import type { Json } from '../round.ts'
import { isObject } from '../schema/pointer.ts'
import { type LoadedScript, readScript } from '../script/definition.ts'

/** What an extension may use beside its own code: a person agrees to exactly this. */
export interface Capabilities {
  /** Hosts that its tools may reach, such as `api.example.com` or `localhost:8080`; sorted. */
  readonly hosts: readonly string[]
  /** Names of the secrets that its tools may send there; sorted. */
  readonly secrets: readonly string[]
}

export interface Guide {
  /** What it is about, in one line. */
  readonly topic: string
  /** Markdown. */
  readonly text: string
}

/** A package without faults. */
export interface Extension {
  /** A small letter and up to 19 small letters or digits. */
  readonly name: string
  /** As in semver.org. */
  readonly version: string
  readonly description: string
  readonly capabilities: Capabilities
  readonly apis: readonly LoadedApi[]
  readonly scripts: readonly LoadedScript[]
  readonly guides: readonly Guide[]
  /** Of the whole text, in the form of Subresource Integrity: `sha256-…`. */
  readonly integrity: string
}

/** An extension, or what is wrong with its package, one sentence each. */
export type ReadExtension =
  | { readonly ok: true; readonly extension: Extension }
  | { readonly ok: false; readonly problems: readonly string[] }

/** UTF-8 bytes of a package. */
export const mostPackageBytes = 1_048_576
const mostTools = 200

const fields = ['name', 'version', 'description', 'capabilities', 'apis', 'scripts', 'guides']
const namePattern = /^[a-z][a-z0-9]{0,19}$/
const hostPattern = /^[a-z0-9.-]+(:\d+)?$/

/** The hash that a package's text has to have. https://www.w3.org/TR/SRI/ */
export async function integrityOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256-${base64(new Uint8Array(hash))}`
}

/** Reads a package. Never rejects: what is wrong is somebody's input. */
export async function readExtension(text: string): Promise<ReadExtension> {
  if (byteLength(text) > mostPackageBytes) {
    return refused(`the package is larger than ${mostPackageBytes} bytes`)
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return refused(`the package is no JSON: ${(error as Error).message}`)
  }
  if (!isObject(given)) return refused('the package must be a JSON object')
  const problems: string[] = []
  const tools = await toolsOf(given, problems)
  const { name, version, description } = given
  for (const field of Object.keys(given)) {
    if (!fields.includes(field)) problems.push(`there is no field "${field}": ${fields.join(', ')}`)
  }
  if (typeof name !== 'string' || !namePattern.test(name)) {
    problems.push('name must be a small letter and up to 19 small letters or digits')
  }
  if (typeof version !== 'string' || !isVersion(version)) {
    problems.push('version must be a version such as 1.2.0')
  }
  if (typeof description !== 'string' || description.trim() === '') {
    problems.push('description must say what the extension is for')
  }
  const capabilities = capabilitiesOf(given.capabilities, problems)
  const guides = guidesOf(given.guides, problems)
  problems.push(...undeclared(tools, capabilities), ...sameNames(tools, guides))
  if (problems.length > 0) return { ok: false, problems }
  const about = { name, version, description } as Pick<
    Extension,
    'name' | 'version' | 'description'
  >
  const integrity = await integrityOf(text)
  return { ok: true, extension: { ...about, capabilities, ...tools, guides, integrity } }
}

function refused(problem: string): ReadExtension {
  return { ok: false, problems: [problem] }
}

type Tools = Pick<Extension, 'apis' | 'scripts'>

async function toolsOf({ apis, scripts }: Given, problems: string[]): Promise<Tools> {
  const found = { apis: [] as LoadedApi[], scripts: [] as LoadedScript[] }
  const all = {
    apis: listOf('apis', apis, problems),
    scripts: listOf('scripts', scripts, problems),
  }
  if (all.apis.length + all.scripts.length > mostTools)
    problems.push(`more than ${mostTools} tools`)
  for (const [at, each] of all.apis.slice(0, mostTools).entries()) {
    const read = readApiDefinition(each)
    if (read.ok) found.apis.push(read.api)
    else problems.push(...read.problems.map((problem) => `apis/${at}: ${problem}`))
  }
  for (const [at, each] of all.scripts.slice(0, mostTools).entries()) {
    const { code, ...about } = Object(each) as { readonly [field: string]: unknown }
    const read = await readScript(JSON.stringify(about), typeof code === 'string' ? code : '')
    if (read.ok) found.scripts.push(read.script)
    else problems.push(...read.problems.map((problem) => `scripts/${at}: ${problem}`))
  }
  return found
}

type Given = Readonly<Record<string, unknown>>

function listOf(field: string, given: unknown, problems: string[]): readonly unknown[] {
  if (given === undefined) return []
  if (Array.isArray(given)) return given
  problems.push(`${field} must be a list`)
  return []
}

function capabilitiesOf(given: unknown, problems: string[]): Capabilities {
  const { hosts, secrets, ...more } = Object(given) as Given
  for (const field of Object.keys(more)) problems.push(`capabilities has no "${field}"`)
  const texts = (field: string, list: unknown): string[] => {
    const all = listOf(`capabilities.${field}`, list, problems)
    const wrong = all.find((each) => typeof each !== 'string' || each === '')
    if (wrong !== undefined) problems.push(`capabilities.${field} must be a list of texts`)
    return [...new Set(all.filter((each) => typeof each === 'string'))].sort()
  }
  const own = { hosts: texts('hosts', hosts), secrets: texts('secrets', secrets) }
  for (const host of own.hosts) {
    if (!hostPattern.test(host)) {
      problems.push(
        `capabilities.hosts: ${JSON.stringify(host)} is no host such as api.example.com`,
      )
    }
  }
  return own
}

function guidesOf(given: unknown, problems: string[]): Guide[] {
  return listOf('guides', given, problems).flatMap((each, at) => {
    const { topic, text } = Object(each) as Partial<Guide>
    if (typeof topic === 'string' && topic.trim() !== '' && typeof text === 'string') {
      return { topic, text }
    }
    problems.push(`guides/${at} needs a topic and a text`)
    return []
  })
}

/** What the tools use and the package does not say. */
function* undeclared(
  { apis, scripts }: Tools,
  { hosts, secrets }: Capabilities,
): Generator<string> {
  for (const { definition, auth } of apis) {
    const host = hostOf(definition.endpoint.url)
    if (!hosts.includes(host))
      yield `${definition.name} reaches ${host}: name it in capabilities.hosts`
    for (const each of auth) {
      const secret = each.secret ?? each.env ?? ''
      if (!secrets.includes(secret)) {
        yield `${definition.name} sends ${secret}: name it in capabilities.secrets`
      }
    }
  }
  for (const { definition } of scripts) {
    if (definition.network && hosts.length === 0) {
      yield `${definition.name} wants the network: name its hosts in capabilities.hosts`
    }
  }
}

function* sameNames({ apis, scripts }: Tools, guides: readonly Guide[]): Generator<string> {
  const seen = new Set<string>(guides.length > 0 ? ['guide'] : [])
  for (const { definition } of [...apis, ...scripts]) {
    if (seen.has(definition.name)) yield `two tools are named ${definition.name}`
    seen.add(definition.name)
  }
}

/** A parameter cannot stand in a host, so the address is one as it is written. */
function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

/** For a person to agree to, and to compare. */
export function capabilitiesJson({ hosts, secrets }: Capabilities): { [field: string]: Json } {
  return { hosts: [...hosts], secrets: [...secrets] }
}
