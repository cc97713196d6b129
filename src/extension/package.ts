/**
 * An extension as it is handed on: one JSON text with its tools, its guides, and all that it needs.
 * @module
 */
import { validateStrict as isVersion } from 'compare-versions'
import { plainSecretProblem } from '../api/https-only.ts'
import { type LoadedApi, readApiDefinition } from '../api/read-definition.ts'
import { base64, byteLength } from '../execute/text.ts'
import { isObject } from '../schema/pointer.ts'
import { type LoadedScript, readScript } from '../script/definition.ts'
import { type Capabilities, capabilitiesOf, listOf } from './capabilities.ts'

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
  /** Three numbers, and what semver.org allows behind them. */
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
/** The most that every provider takes. */
const longestToolName = 64

/** The hash that a package's text has to have. https://www.w3.org/TR/SRI/ */
export async function integrityOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256-${base64(new Uint8Array(hash))}`
}

/** Throws what JSON.parse throws. Some editors put a mark before the text, which is no part of JSON. */
export function parsePackage(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** Reads a package. Never rejects: what is wrong is somebody's input. */
export async function readExtension(text: string): Promise<ReadExtension> {
  if (byteLength(text) > mostPackageBytes) {
    return refused(`the package is larger than ${mostPackageBytes} bytes`)
  }
  let given: unknown
  try {
    given = parsePackage(text)
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
  problems.push(...undeclared(tools, capabilities), ...badNames(String(name), tools, guides))
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
  for (const api of apis) {
    const { definition, auth } = api
    const plainSecret = plainSecretProblem(api)
    if (plainSecret !== undefined) yield `${definition.name}: ${plainSecret}`
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

function* badNames(
  extension: string,
  { apis, scripts }: Tools,
  guides: readonly Guide[],
): Generator<string> {
  const seen = new Set<string>(guides.length > 0 ? ['guide'] : [])
  for (const { definition } of [...apis, ...scripts]) {
    const { length } = `ext_${extension}_${definition.name}`
    if (length > longestToolName) {
      yield `${definition.name} is ${length - longestToolName} characters too long: with ext_${extension}_ it may have ${longestToolName}`
    }
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
