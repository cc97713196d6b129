/**
 * Installing: what a person has agreed to, and nothing else.
 * @module
 */
import { compareVersions, validateStrict } from 'compare-versions'
import type { Capabilities } from './capabilities.ts'
import { type Extension, parsePackage, readExtension } from './package.ts'
import { type ExtensionStore, findInstalled } from './store.ts'

export interface Agreed {
  /** The package's text must have this hash. */
  readonly integrity: string
  /** The package must ask for exactly this. */
  readonly capabilities: Partial<Capabilities>
  readonly from: string
  /** `install`: there must be none of this name. `upgrade`: there must be an older one. */
  readonly mode: 'install' | 'upgrade'
}

/** What is installed of this name; `0.0.0` when it cannot be read any more. */
export async function installedVersion(
  store: ExtensionStore,
  name: string,
): Promise<string | undefined> {
  const found = await findInstalled(store, name)
  if (!found) return undefined
  const version = versionIn(found.text)
  return version !== undefined && validateStrict(version) ? version : '0.0.0'
}

function versionIn(text: string): string | undefined {
  try {
    return Object(parsePackage(text)).version
  } catch {
    return undefined
  }
}

/**
 * Puts a package into the store. Rejects, and changes nothing, when the package has faults or is not what was
 * agreed to; the message says what to do.
 */
export async function installExtension(
  store: ExtensionStore,
  text: string,
  { integrity, capabilities, from, mode }: Agreed,
): Promise<Extension> {
  const read = await readExtension(text)
  if (!read.ok) throw new Error(`the package cannot be used: ${read.problems.join('; ')}`)
  const { extension } = read
  if (extension.integrity !== integrity) {
    throw new Error(
      `the package is not the one that was looked at: its integrity is ${extension.integrity}`,
    )
  }
  const asked = extension.capabilities
  if (!isSame(asked.hosts, capabilities.hosts) || !isSame(asked.secrets, capabilities.secrets)) {
    throw new Error(
      `the extension asks for other capabilities than were given: ${JSON.stringify(asked)}`,
    )
  }
  const { name, version } = extension
  const before = await installedVersion(store, name)
  if (mode === 'install' && before !== undefined) {
    throw new Error(`${name} ${before} is installed: use the mode upgrade, or remove it first`)
  }
  if (mode === 'upgrade' && before === undefined) throw new Error(`${name} is not installed`)
  if (before !== undefined && compareVersions(version, before) <= 0) {
    throw new Error(`${name} ${version} is no newer than ${before}, which is installed`)
  }
  await store.put({ name, text, integrity, from, installedAt: Date.now() })
  return extension
}

function isSame(one: readonly string[], other: readonly string[] = []): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...new Set(other)].sort())
}
