/**
 * The shell's `diff`, in the place of its own, which has no bound: two long files that have nothing in
 * common would hold the whole isolate for minutes.
 * @module
 */
import type { CustomCommand, IFileSystem } from 'just-bash/browser'
import { binaryBytes } from '../execute/text.ts'

/** Lines removed and added together; beyond it the files are said to differ, and no more. */
const mostEdits = 4_000
const timeoutMs = 2_000

interface Wanted {
  readonly brief: boolean
  readonly identical: boolean
  readonly ignoreCase: boolean
  readonly files: readonly string[]
}

const flags: ReadonlyMap<string, keyof Wanted | ''> = new Map([
  ['-u', ''],
  ['--unified', ''],
  ['-q', 'brief'],
  ['--brief', 'brief'],
  ['-s', 'identical'],
  ['--report-identical-files', 'identical'],
  ['-i', 'ignoreCase'],
  ['--ignore-case', 'ignoreCase'],
])

/** Unified diffs of two files or standard input: `-u -q -s -i`. */
export function diffCommand(): CustomCommand {
  return {
    name: 'diff',
    async execute(args, { fs, cwd, stdin }) {
      const wanted = read(args)
      if (typeof wanted === 'string')
        return { stdout: '', stderr: `diff: ${wanted}\n`, exitCode: 2 }
      try {
        const [one = '', other = ''] = wanted.files
        const textAt = (path: string) =>
          path === '-'
            ? decoded(binaryBytes(String(stdin)))
            : fileText(fs, fs.resolvePath(cwd, path))
        return await compare(wanted, await textAt(one), await textAt(other))
      } catch (error) {
        return { stdout: '', stderr: `diff: ${(error as Error).message}\n`, exitCode: 2 }
      }
    },
  }
}

function read(args: readonly string[]): Wanted | string {
  const found = { brief: false, identical: false, ignoreCase: false }
  const files: string[] = []
  for (const arg of args) {
    const flag = flags.get(arg)
    if (flag === undefined && arg.startsWith('-') && arg !== '-')
      return `unknown option ${arg}: -u -q -s -i`
    if (flag === undefined) files.push(arg)
    else if (flag !== '') Object.assign(found, { [flag]: true })
  }
  return files.length === 2 ? { ...found, files } : 'two files are needed'
}

async function fileText(fs: IFileSystem, path: string): Promise<string> {
  if (!(await fs.exists(path))) throw new Error(`${path}: No such file or directory`)
  return decoded(await fs.readFileBuffer(path))
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

async function compare(
  { brief, identical, ignoreCase, files }: Wanted,
  one: string,
  other: string,
) {
  const [a = '', b = ''] = files
  const same = ignoreCase ? one.toLowerCase() === other.toLowerCase() : one === other
  const said = (stdout: string) => ({ stdout, stderr: '', exitCode: same ? 0 : 1 })
  if (same) return said(identical ? `Files ${a} and ${b} are identical\n` : '')
  if (brief) return said(`Files ${a} and ${b} differ\n`)
  const { createTwoFilesPatch } = await import('diff')
  const bounds = { context: 3, maxEditLength: mostEdits, timeout: timeoutMs }
  const options = ignoreCase ? { ...bounds, ignoreCase } : bounds
  const patch = createTwoFilesPatch(a, b, one, other, '', '', options)
  return said(
    patch?.replace(/^=+\n/, '') ?? `Files ${a} and ${b} differ in too many lines to show\n`,
  )
}
