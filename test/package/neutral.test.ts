/** The library needs web standards only: no Node built-in, no code made from strings. */
import { describe, expect, it } from 'vitest'
import { bundle, optionalPeers, subpaths } from '../support/subpaths.ts'

describe.each(subpaths())('$name', (subpath) => {
  it('bundles for no platform in particular, with nothing of Node or Cloudflare left to import', async () => {
    const { metafile, warnings } = await bundle(subpath)
    const outside = Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .filter(({ external }) => external)
      .map(({ path }) => path)
    expect(warnings).toEqual([])
    const isPeer = (path: string) =>
      optionalPeers.some((peer) => path === peer || path.startsWith(`${peer}/`))
    expect(outside.filter((path) => !isPeer(path))).toEqual([])
  })

  it('holds no eval and no new Function, also in what it loads on first use', async () => {
    // Minified without comments: a word in a comment is not a call.
    const { outputFiles } = await bundle(subpath, { minify: true, legalComments: 'none' })
    for (const { path, text } of outputFiles) {
      // A method of that name, as RE2 has one, is not the global.
      const found = text.match(
        /.{0,40}(?:(?<![.\w])eval\s*\((?![\w,\s]*\)\s*\{)|\b(?:globalThis|window|self)\.eval\b|\bnew Function\b|[^.\w]Function\s*\().{0,40}/g,
      )
      expect(found, path).toBeNull()
    }
  })
})
