import { describe, expect, it } from 'vitest'
import { type AnyTool, type ApprovalBatch, createDispatcher } from '../../src/index.ts'
import { isReadOnlyCommand, isReadOnlyScript } from '../../src/shell/read-only.ts'
import { type RunCommandOptions, runCommandTool } from '../../src/shell/run-command.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { callOf } from '../support/gated-tool.ts'
import { call } from './builtin/call.ts'

async function setup(options: Partial<RunCommandOptions> = {}) {
  const workspace = memoryWorkspace()
  await workspace.apply([
    { path: '/notes/a.md', content: '# Hi\nfoo\nbar\n' },
    { path: '/data.json', content: '{"n":[1,2,3]}' },
    { path: '/b.bin', content: new Uint8Array([0, 255, 1, 254]) },
    { path: '/usr/own.txt', content: 'mine' },
  ])
  const tool = runCommandTool({ workspace, ...options })
  const sh = (...argv: string[]) => call(tool, { argv })
  const text = async (path: string) => (await workspace.read(path))?.text
  return { workspace, tool, sh, text }
}

/** A shell's expansion, which is no template. */
const dollar = '$'

describe('what only looks', () => {
  it.each([
    'ls -la /notes',
    'cat a.md | grep -n foo && wc -l a.md',
    'for f in *.md; do echo "$f: $(head -n 1 "$f")"; done',
    'if [ -f a ]; then cat < a; else echo no; fi 2>/dev/null',
    `X=1; echo ${dollar}{X:-2} $((1 + 2)) >&2`,
    'diff <(sort a) <(sort b)',
    'sed -n 5,10p a; sed s/a/b/g a; sort -u a | uniq -c',
    'find . -name "*.md" -type f',
    "jq '.a' < data.json; (cd notes; ls)",
    'cat <<EOF\nhello $X\nEOF',
    'while read line; do echo "$line"; done < a.md',
    '[[ $x == y* ]] && ! grep -q z f',
  ])('%s', (script) => {
    expect(isReadOnlyScript(script)).toBe(true)
  })

  it.each([
    'echo x > a',
    'cat a >> b',
    'cat a | tee b',
    'rm a',
    'ls; rm a',
    'echo $(rm a)',
    'echo `rm a`',
    `echo "${dollar}{x:-$(rm a)}"`,
    'ls() { rm a; }; ls',
    '$CMD a',
    'c"a"t$X a',
    'xargs rm < a',
    'find . -delete',
    'find . -exec rm {} +',
    'find . $X',
    'sed -i s/a/b/ a',
    "sed 's/a/b/w out' a",
    'sed -n e a',
    'sort a -o a',
    'sort -uo a a',
    'uniq a b',
    'awk 1 a',
    'env rm a',
    'eval ls',
    'source a',
    '. ./a',
    'exec ls',
    'PATH=/notes ls',
    'cat <(rm a)',
    'ls > >(cat)',
    'ls &> out',
    'ls <> a',
    'echo "unterminated',
    'if true; then',
    'bash a.sh',
    './run',
    'cat <<EOF\n$(rm a)\nEOF',
    'echo $(( $(rm a) ))',
    `echo ${dollar}{x@P}`,
    'coproc ls',
    'a[$(rm b)]=1',
    'a=($(rm b))',
    'a=([1]=$(rm b))',
    'tree --output=x',
  ])('not %s', (script) => {
    expect(isReadOnlyScript(script)).toBe(false)
  })

  it('however deep it is nested, in time that grows with its length', () => {
    const begin = performance.now()
    for (const open of ['$(echo ', '"$(echo ', '`', '(', '{ ', '<(cat ']) {
      for (const depth of [20, 200, 2_000]) {
        const close = { '(': ')', '{': ' ;}', '`': '`', '"': ')"' }[open[0] ?? ''] ?? ')'
        isReadOnlyScript(`echo ${open.repeat(depth)}x${close.repeat(depth)}`)
      }
    }
    expect(isReadOnlyScript(`echo ${'$(echo '.repeat(20)}x${')'.repeat(20)}`)).toBe(true)
    expect(isReadOnlyScript(`echo ${'$(echo '.repeat(20)}$(rm x)${')'.repeat(20)}`)).toBe(false)
    expect(isReadOnlyScript('ls;'.repeat(10_000))).toBe(false)
    // Without a bound it would be minutes.
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  it('a command with literal arguments is taken literally', () => {
    expect(isReadOnlyCommand(['grep', '$(rm a)', '> b'])).toBe(true)
    expect(isReadOnlyCommand(['bash', '-c', 'cat a | wc -l'])).toBe(true)
    expect(isReadOnlyCommand(['bash', '-c', 'rm a'])).toBe(false)
    expect(isReadOnlyCommand(['bash', '-c', 'ls', 'x'])).toBe(false)
    expect(isReadOnlyCommand(['rm', 'a'])).toBe(false)
    expect(isReadOnlyCommand([])).toBe(false)
  })
})

describe('run_command', () => {
  it('runs over the files of the workspace: pipes, loops, jq, awk; words of several arguments are not expanded', async () => {
    const { sh } = await setup()
    expect((await sh('cat notes/*.md | grep -c o')).content).toBe('1')
    expect((await sh('jq ".n | add" data.json')).content).toBe('6')
    expect((await sh('echo', '$HOME', '*', 'a  b')).content).toBe('$HOME * a  b')
    expect((await sh('awk "BEGIN { print 2^10 }"; for i in 1 2; do echo $i; done')).content).toBe(
      '1024\n1\n2',
    )
    expect((await sh('cat usr/own.txt')).content).toBe('mine')
  })

  it('what it wrote lands in the workspace at once, with versions; what it did not touch stays as it is', async () => {
    const { sh, text, workspace } = await setup()
    const before = (await workspace.list('/b.bin'))[0]?.version
    const { content, value } = await sh(
      'sed -i s/foo/baz/ notes/a.md; mv data.json moved.json; mkdir -p x/y; echo new > x/y/z; rm usr/own.txt; cat b.bin > c.bin',
    )
    expect(content).toContain('wrote /notes/a.md')
    expect(value).toMatchObject({ exit_code: 0 })
    expect(await text('/notes/a.md')).toBe('# Hi\nbaz\nbar\n')
    expect(await text('/moved.json')).toBe('{"n":[1,2,3]}')
    expect(await text('/data.json')).toBeUndefined()
    expect(await text('/x/y/z')).toBe('new\n')
    expect(await text('/usr/own.txt')).toBeUndefined()
    expect((await workspace.read('/c.bin'))?.data).toEqual(new Uint8Array([0, 255, 1, 254]))
    expect((await workspace.list('/b.bin'))[0]?.version).toBe(before)
    const [change] = await workspace.history({ path: '/notes/a.md' })
    expect(change?.origin).toMatchObject({ tool: 'run_command' })
  })

  it('what it only read is not written again, whatever its form', async () => {
    const { sh, workspace } = await setup()
    await workspace.write('/bytes.txt', new TextEncoder().encode('text as bytes\n'))
    await workspace.write('/nul.txt', 'a\0b')
    await workspace.write('/bom.txt', '\uFEFFx')
    const versions = async () =>
      (await workspace.list('/')).map(({ path, version }) => [path, version])
    const before = await versions()
    await sh(
      'cat bytes.txt nul.txt bom.txt notes/a.md b.bin > /dev/null; ls -l; wc -c *; echo x > new',
    )
    expect((await versions()).filter(([path]) => path !== '/new')).toEqual(before)
  })

  it('files moved, copied and linked without having been read keep their content', async () => {
    const { sh, text } = await setup()
    const { content } = await sh('mv notes kept; cp data.json copy.json; ln -s data.json link')
    expect(await text('/kept/a.md')).toContain('foo')
    expect(await text('/copy.json')).toBe('{"n":[1,2,3]}')
    expect(content).toContain('[exit status 1]')
    expect(await text('/link')).toBeUndefined()
  })

  it('a status other than 0 is no failure; output and errors both come', async () => {
    const { sh } = await setup()
    const { outcome, content, value } = await sh('grep nothing notes/a.md; ls /none')
    expect(outcome).toBe('completed')
    expect(content).toMatch(/ls: .*none.*\n\[exit status 2\]/)
    expect(value).toMatchObject({ exit_code: 2, changed: [] })
    expect((await sh('nosuchcommand')).content).toContain('[exit status 127]')
    expect((await sh('if')).content).toMatch(/syntax error/)
    expect((await sh('true')).content).toBe('(no output)')
  })

  it('leaves nothing behind when it does not end in time, or is stopped', async () => {
    const { sh, text, tool } = await setup({ timeoutMs: 100 })
    const late = await sh('echo x > notes/a.md; sleep 5')
    expect(late).toMatchObject({ outcome: 'failed' })
    expect(late.content).toContain('did not end within 100 ms; no file was changed')
    const stop = new AbortController()
    const run = createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow' }).run()
    const done = run.dispatch(
      [callOf('a', 'run_command', { argv: ['echo y > notes/a.md; sleep 5'] })],
      { signal: stop.signal },
    )
    stop.abort()
    expect((await done).results[0]?.outcome).toBe('cancelled')
    expect(await text('/notes/a.md')).toContain('foo')
  })

  it('saves nothing past its time or at a limit, also when it kept the timer from firing', async () => {
    const { sh, text } = await setup({ timeoutMs: 100 })
    const busy = await sh(
      'echo x > notes/a.md; for ((i=0;i<40000;i++)); do a=$a$i; done; echo "$a" > /b',
    )
    expect(busy.content).toContain('did not end within 100 ms; no file was changed')
    const atLimit = await sh('echo x > notes/a.md; seq 1 200000; true')
    expect(atLimit.content).toContain('it hit a limit of the shell, so nothing was saved')
    expect(await text('/notes/a.md')).toContain('foo')
  })

  it('lets the thread go between commands, so that a stop comes through', async () => {
    const { tool } = await setup()
    const run = createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow' }).run()
    const stop = new AbortController()
    const argv = ['while true; do echo x > /a; done']
    const done = run.dispatch([callOf('a', 'run_command', { argv })], { signal: stop.signal })
    setTimeout(() => stop.abort())
    const { results } = await done
    expect(results[0]?.outcome).toBe('cancelled')
  })

  it('a file is no directory', async () => {
    const { sh, tool } = await setup()
    for (const line of [
      'echo x > b.bin/c',
      'mkdir -p b.bin/c',
      'cp data.json b.bin/c',
      'mv data.json b.bin/c/d',
    ]) {
      const { content, outcome, value } = await sh(line)
      expect([outcome, Object(value).exit_code === 0], line).not.toEqual(['completed', true])
      expect(content, line).toMatch(/not a directory/i)
    }
    expect((await call(tool, { argv: ['ls'], cwd: '/b.bin' })).content).toContain(
      'no such directory',
    )
  })

  it('endless loops, floods and bombs end by their bounds', async () => {
    const { sh } = await setup({ timeoutMs: 20_000, maxOutputBytes: 1_000 })
    expect((await sh('while true; do :; done')).value).toMatchObject({ exit_code: 126 })
    const flood = await sh('seq 1 1000')
    expect(flood.content).toContain('[Cut: the last 1000 of 3893 bytes.]')
    expect(flood.content).toContain('1000')
    expect((await sh('f() { f; }; f')).outcome).toBe('completed')
    expect(
      (await sh(`x=aaaaaaaaaa; for i in $(seq 1 40); do x=$x$x; done; echo ${dollar}{#x}`)).content,
    ).toMatch(/exit status|limit|exceed/i)
  })

  it('bounds on files: many, large, outside write_paths, changed meanwhile: nothing is saved', async () => {
    const { workspace, tool, sh, text } = await setup({ maxChanges: 3, maxFileBytes: 100_000 })
    expect((await sh('for i in 1 2 3 4; do echo $i > f$i; done')).content).toContain(
      'changed 4 files, at most 3: nothing was saved',
    )
    const outside = await call(tool, {
      argv: ['echo x > a; echo y > notes/b'],
      write_paths: ['/notes'],
    })
    expect(outside.content).toContain('it changed /a, which is not in write_paths')
    expect(await text('/notes/b')).toBeUndefined()
    const inside = await call(tool, { argv: ['echo y > notes/b'], write_paths: ['notes/'] })
    expect(inside.outcome).toBe('completed')
    expect((await sh('seq 1 50000 > big; echo done')).content).not.toContain('wrote /big')
    const racing: Workspace = {
      ...workspace,
      async list(path) {
        const entries = await workspace.list(path)
        await workspace.write('/notes/a.md', 'changed by another')
        return entries
      },
    }
    const raced = await call(runCommandTool({ workspace: racing }), {
      argv: ['echo mine > notes/a.md; echo too > other'],
    })
    expect(raced.content).toContain('has changed')
    expect(await text('/notes/a.md')).toBe('changed by another')
    expect(await text('/other')).toBeUndefined()
  })

  it('files anywhere are files: /tmp, /usr, and over the names of commands', async () => {
    const { sh, text, workspace } = await setup()
    await workspace.write('/bin/mine', 'keep')
    await workspace.write('/bin/ls', '#!/bin/sh\necho mine\n')
    const { content } = await sh('mv data.json /tmp/data.json; echo x > /usr/new; echo y > /tmp/y')
    expect(content).toContain('wrote /tmp/data.json')
    expect(await text('/tmp/data.json')).toBe('{"n":[1,2,3]}')
    expect([await text('/usr/new'), await text('/tmp/y')]).toEqual(['x\n', 'y\n'])
    expect([await text('/bin/ls'), await text('/bin/mine')]).toEqual([
      '#!/bin/sh\necho mine\n',
      'keep',
    ])
    expect((await sh('cat /bin/ls')).content).toBe('#!/bin/sh\necho mine')
    expect((await workspace.list('/bin')).map(({ path }) => path)).toEqual(['/bin/ls', '/bin/mine'])
  })

  it('diff has bounds, and says what it says elsewhere', async () => {
    const { sh } = await setup()
    const begin = performance.now()
    const long = await sh('diff <(seq 1 20000) <(seq 40000 -1 20001)')
    expect(long.content).toContain('differ in too many lines to show\n[exit status 1]')
    expect(performance.now() - begin).toBeLessThan(10_000)
    await sh('printf "a\\nb\\n" > x; printf "a\\nB\\n" > y')
    expect((await sh('diff x y')).content).toBe(
      '--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n[exit status 1]',
    )
    expect((await sh('diff -i x y')).content).toBe('(no output)')
    expect((await sh('diff -q x y')).content).toContain('Files x and y differ')
    expect((await sh('diff -s x x; cat x | diff - x')).content).toBe('Files x and x are identical')
    expect((await sh('diff x none')).content).toContain('/none: No such file or directory')
    expect((await sh('diff -r x y')).content).toContain('unknown option -r')
    expect((await sh('diff x')).content).toContain('two files are needed')
  })

  it('text that the shell has garbled is refused and not saved', async () => {
    const { sh, text, workspace } = await setup()
    await workspace.write('/a', 'café\n')
    const { content } = await sh('while read l; do echo "$l"; done < a > d')
    expect(content).toContain('/d would hold garbled text')
    expect(await text('/d')).toBeUndefined()
    expect((await sh('cat a > e; sed s/c/k/ a > f; sort a > g; echo "é🔑" > h')).outcome).toBe(
      'completed',
    )
    expect([await text('/e'), await text('/f'), await text('/g'), await text('/h')]).toEqual([
      'café\n',
      'kafé\n',
      'café\n',
      'é🔑\n',
    ])
  })

  it('starts where it is told, and every call afresh', async () => {
    const { tool, sh } = await setup()
    expect((await call(tool, { argv: ['pwd; ls'], cwd: 'notes' })).content).toBe('/notes\na.md')
    await sh('cd notes; export X=1')
    expect((await sh('pwd; echo "[$X]"')).content).toBe('/\n[]')
    expect((await call(tool, { argv: ['ls'], cwd: '/no' })).content).toContain('no such directory')
    expect((await call(tool, { argv: ['ls'], cwd: '../..' })).content).toContain('climbs above')
  })

  it('looking asks nobody and voids nothing; all else asks, and voids what it may have written', async () => {
    const { tool, workspace } = await setup()
    const asked: string[] = []
    const read: AnyTool = {
      name: 'read',
      description: 'Reads.',
      readOnly: true,
      reads: () => ['file:/notes/a.md'],
      execute: async () => (await workspace.read('/notes/a.md'))?.text,
    }
    const run = createDispatcher({
      tools: [tool, read],
      mode: 'full',
      approver: ({ requests }: ApprovalBatch) => {
        asked.push(...requests.map(({ callId }) => callId))
        return requests.map(({ callId }) => ({ callId, decision: 'approve' }))
      },
    }).run()
    let id = 0
    const outcome = async (name: string, args: object = {}) => {
      id += 1
      const { results } = await run.dispatch([callOf(`c${id}`, name, args)])
      return results[0]?.outcome
    }
    await outcome('read')
    expect(await outcome('run_command', { argv: ['cat notes/a.md'] })).toBe('completed')
    expect(await outcome('read')).toBe('duplicate')
    expect(asked).toEqual([])
    await outcome('run_command', { argv: ['echo 1 > other'], write_paths: ['/other'] })
    expect(await outcome('read')).toBe('duplicate')
    await outcome('run_command', { argv: ['echo 1 > other2'] })
    expect(await outcome('read')).toBe('completed')
    expect(asked).toEqual(['c4', 'c6'])
  })

  it('what looks is given no way to write, whatever it is made of', async () => {
    const { sh, text } = await setup()
    // `jq` stands for a command that writes after all.
    const sneaky = await sh("x='a[$(echo p > /notes/a.md)]'; [[ $x -eq 1 ]]; echo $((x))")
    expect(isReadOnlyScript("x='a[$(echo p > /notes/a.md)]'; [[ $x -eq 1 ]]; echo $((x))")).toBe(
      true,
    )
    expect(sneaky.outcome === 'failed' || (await text('/notes/a.md'))?.includes('foo')).toBe(true)
    expect(await text('/notes/a.md')).toContain('foo')
  })

  it('the network only when asked for, through the guard, and always with a person', async () => {
    const fetch = (async (url: unknown) => new Response(`got ${url}`)) as typeof globalThis.fetch
    const { tool } = await setup({ fetch })
    const { tool: without } = await setup()
    const argv = ['curl -s https://example.com/x']
    expect((await call(tool, { argv, network: true })).content).toBe('got https://example.com/x')
    expect((await call(tool, { argv })).content).toContain('command not found')
    expect((await call(without, { argv, network: true })).content).toContain('no network here')
    const verdict = tool.confirm
    expect(typeof verdict === 'function' && verdict({ argv: ['ls'], network: true })).toBe('always')
  })

  it('bounds that are none are refused early', () => {
    const workspace = memoryWorkspace()
    expect(() => runCommandTool({ workspace, timeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }),
    )
  })
})
