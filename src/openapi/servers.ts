/**
 * Where an operation's requests go.
 * @module
 */
import { isObject } from '../schema/pointer.ts'

/** The first server that is http(s), its variables filled in, relative ones below `url`. */
export function serverOf(
  lists: readonly unknown[],
  variables: Readonly<Record<string, string>>,
  url: string,
): string {
  const given = lists.find((list) => Array.isArray(list) && list.length > 0) as
    | unknown[]
    | undefined
  let problem = 'its document names no server: pass the option server'
  for (const server of given ?? (url ? [{ url: '/' }] : [])) {
    if (!isObject(server)) continue
    const written = filled(String(server.url), server.variables, variables)
    if (/[{}]/.test(written)) {
      problem = `the server ${written} has a variable without a value: pass the option variables`
    } else if (!URL.canParse(written, url || undefined)) {
      problem = `the server ${written} is relative: pass the option url or server`
    } else {
      const { href, protocol } = new URL(written, url || undefined)
      if (/^https?:$/.test(protocol)) return href.replace(/\/+$/, '')
      problem = `the server ${href} is not http(s)`
    }
  }
  throw new Error(problem)
}

function filled(
  written: string,
  declared: unknown,
  variables: Readonly<Record<string, string>>,
): string {
  return written.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const { default: usual } = Object(Object(declared)[name]) as { default?: unknown }
    const value = Object.hasOwn(variables, name) ? variables[name] : usual
    return value === undefined ? whole : String(value)
  })
}
