import { describe, expect, it } from 'vitest'
import { offlineModel, runAgent } from '../../../src/agent/index.ts'
import { fillArguments } from '../../../src/agent/offline/fill-arguments.ts'
import { starterSet } from '../../../src/builtin/index.ts'
import { type AnyTool, createDispatcher, type Mode, type RunEvent } from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'

const greet: AnyTool = {
  name: 'greet_person',
  description: 'Greets a person by name in a language.',
  readOnly: true,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Who is greeted.' },
      language: { enum: ['english', 'french'], description: 'Language of the greeting.' },
    },
    required: ['name', 'language'],
  },
  execute: ({ name, language }: { name: string; language: string }) =>
    language === 'french' ? `Bonjour ${name}` : `Hello ${name}`,
}

async function ask(
  prompt: string,
  mode: Mode = 'deferred',
  more: Partial<Parameters<typeof createDispatcher>[0]> = {},
) {
  const workspace = memoryWorkspace()
  await workspace.write('/notes/a.txt', 'alpha\nbeta')
  await workspace.write('/b.md', '# B')
  const store = memoryRunStore()
  const tools = [...starterSet({ workspace, store, fetch }), greet]
  const events: RunEvent[] = []
  const run = createDispatcher({ tools, mode, store, unattended: 'allow', ...more }).run({
    onEvent: (event) => events.push(event),
  })
  const result = await runAgent({ model: offlineModel(), run, prompt })
  const rounds = events.flatMap((event) => (event.type === 'round_start' ? event.calls : []))
  const called = events.flatMap((event) =>
    event.type === 'tool_call' ? [[event.name, event.arguments]] : [],
  )
  return { ...result, rounds, called, workspace }
}

describe('commands', () => {
  it('fetches the schema, calls through run_tool and gives the result', async () => {
    const { text, rounds, called, reason } = await ask('/calculate {"expressions": ["2^64"]}')
    expect(reason).toBe('answer')
    expect(text).toContain('18446744073709551616')
    expect(rounds).toEqual([1, 1])
    expect(called).toEqual([
      ['find_tools', { query: 'select:calculate' }],
      ['calculate', { expressions: ['2^64'] }],
    ])
  })

  it.each<Mode>(['deferred', 'stub', 'full'])(
    'makes the calls of one stage in one round, in mode %s',
    async (mode) => {
      const { text, rounds, reason } = await ask(
        '/calculate expressions=["6*7"]; /read_files {"files":[{"path":"/b.md"}]}',
        mode,
      )
      expect(reason).toBe('answer')
      expect(rounds.at(-1)).toBe(2)
      expect(text).toContain('**calculate**')
      expect(text).toContain('42')
      expect(text).toContain('# B')
    },
  )

  it('goes on with the results of the stage before', async () => {
    const { text, workspace, called } = await ask(
      '/greet_person name=Ada language=french then /edit_file mode=write path=/hi.txt content="$last!"\nthen /say Written: $1',
    )
    expect(text).toBe('Written: Bonjour Ada')
    expect((await workspace.read('/hi.txt'))?.text).toBe('Bonjour Ada!')
    expect(called.map(([name]) => name)).toEqual([
      'find_tools',
      'greet_person',
      'find_tools',
      'edit_file',
    ])
  })

  it('passes a broken JSON text on, and reports what the dispatcher says of it', async () => {
    const cut = await ask('/greet_person {"name": "Ada", "langu')
    expect(cut.text).toContain('greet_person gave no answer')
    const wrong = await ask('/greet_person name=Ada language=latin')
    expect(wrong.text).toMatch(/gave no answer: .*language/s)
    const unknown = await ask('/no_such_tool x=1')
    expect(unknown.text).toContain('no_such_tool gave no answer')
  })

  it('searches, helps and says', async () => {
    expect((await ask('/search read a file')).text).toContain('`read_files`')
    expect((await ask('help')).text).toContain('/tool key=value')
    expect(await ask('say good morning')).toMatchObject({ text: 'good morning', rounds: [] })
    expect((await ask('  ')).text).toContain('/tool key=value')
  })
})

describe('plain requests', () => {
  it.each<[string, string, object]>([
    ['What is 12 * 12?', 'calculate', { expressions: ['12 * 12'] }],
    ['Please calculate 2^10 / 3', 'calculate', { expressions: ['2^10 / 3'] }],
    ['read the file notes/a.txt', 'read_files', { files: [{ path: 'notes/a.txt' }] }],
    ['wait 0 seconds', 'wait', { seconds: 0 }],
    ['greet the person "Ada" in french', 'greet_person', { name: 'Ada', language: 'french' }],
  ])('finds the tool and its arguments: %s', async (prompt, name, args) => {
    for (const mode of ['deferred', 'full'] as const) {
      const { called, reason } = await ask(prompt, mode)
      expect(reason).toBe('answer')
      expect(called.at(-1)).toEqual([name, args])
    }
  })

  it('asks for what it is not told and makes nothing up', async () => {
    const { text, called } = await ask('greet the person "Ada"')
    expect(called.map(([name]) => name)).toEqual(['find_tools'])
    expect(text).toContain('`language`: Language of the greeting.')
    expect(text).toContain('/greet_person language=…')
  })

  it('says that it found nothing', async () => {
    const { text } = await ask('zxcvb qwrty')
    expect(text).toContain('I found no tool for')
  })

  it('looks for several tools in one round and calls them in one round', async () => {
    const { rounds, text } = await ask('what is 1+1?; read the file b.md')
    expect(rounds).toEqual([2, 2])
    expect(text).toContain('# B')
  })
})

describe('results that look like something else', () => {
  it('a result that looks like a schema is a result', async () => {
    let ran = 0
    const describing: AnyTool = {
      name: 'describe',
      description: 'Describes.',
      readOnly: true,
      dedupe: false,
      execute: () => ({ name: `x${++ran}`, inputSchema: { type: 'object' } }),
    }
    const dispatcher = createDispatcher({ tools: [describing] })
    const { text } = await runAgent({ model: offlineModel(), dispatcher, prompt: '/describe' })
    expect(text).toContain('"x1"')
    expect(ran).toBe(1)
  })
})

describe('odd words', () => {
  const odd: AnyTool = {
    name: 'a.b+c',
    description: 'Does odd (things) [x.',
    readOnly: true,
    inputSchema: { type: 'object', properties: { 'p(': { type: 'string' } }, required: ['p('] },
    execute: (args) => args,
  }
  const answer = async (prompt: string) => {
    const dispatcher = createDispatcher({ tools: [odd] })
    return runAgent({ model: offlineModel(), dispatcher, prompt })
  }

  it('names with signs of regular expressions are names', async () => {
    expect((await answer('/a.b+c {"p(": "x"}')).text).toContain('"p(": "x"')
    expect((await answer('do odd things p(=yes')).text).toContain('"p(": "yes"')
  })

  it.each([
    '/a.b+c {"p(": "\ud800"}',
    '\u0000\ud800',
    '"'.repeat(5_000),
    '['.repeat(20_000),
    '$1 $last; then; /',
    '/say',
    `/a.b+c ${'k=v '.repeat(5_000)}`,
    'a/'.repeat(20_000),
    '-.'.repeat(20_000),
    'name is '.repeat(5_000),
    `/x ${'a'.repeat(100_000)}`,
    `a${' '.repeat(100_000)}b`,
    `${'!'.repeat(100_000)}x`,
    'find '.repeat(50_000),
  ])('always ends with an answer: %.20s', async (prompt) => {
    const { reason, text } = await answer(prompt)
    expect(reason).toBe('answer')
    expect(text).not.toBe('')
  })
})

describe('arguments out of words', () => {
  const filled = (properties: object, required: string[], text: string) =>
    fillArguments({ type: 'object', properties, required } as never, 't', text)
  const list = (items: object) => ({ tags: { type: 'array', items } })

  it.each<[string, object, string, unknown]>([
    ['a named list', list({ type: 'string' }), 'tags: 6*7', ['6*7']],
    [
      'choices of a list',
      list({ enum: ['red', 'blue', 'green'] }),
      'red and blue',
      ['red', 'blue'],
    ],
    ['numbers', list({ type: 'number' }), 'of 3, 4 and 5', [3, 4, 5]],
    ['truth', list({ type: 'boolean' }), 'tags is yes', ['yes']],
    [
      'objects whose members are named',
      list({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
      'n: 5',
      [{ n: 5 }],
    ],
    ['quoted texts', list({ type: 'string' }), '"a b" "c"', ['a b', 'c']],
  ])('finds %s, and an end', (_, properties, text, expected) => {
    expect(filled(properties, ['tags'], text)).toEqual({ args: { tags: expected }, missing: [] })
  })

  it('asks for what the schema requires without saying more of it', () => {
    expect(
      filled({ x: null }, ['y', '__proto__', 'x'], '').missing.map(({ name }) => name),
    ).toEqual(['y', '__proto__', 'x'])
    expect(Object.keys(filled({}, ['__proto__'], '__proto__: 5').args)).toEqual([])
    const odd = {
      'a(b': { type: 'string' },
      '*': { type: 'string' },
      '(x+x+)+y': { type: 'string' },
    }
    expect(filled(odd, [], 'a(b: 1, *: 2').args).toEqual({ 'a(b': '1', '*': '2' })
  })
})

describe('the model', () => {
  it('answers with what it has when it may call no more', async () => {
    const run = createDispatcher({ tools: [greet] }).run()
    const result = await runAgent({
      model: offlineModel(),
      run,
      prompt: '/greet_person name=Ada language=french then /greet_person name=Bob language=french',
      maxSteps: 3,
    })
    expect(result).toMatchObject({ reason: 'steps', text: 'Bonjour Ada' })
  })

  it('takes the last request of a conversation, also behind a turn that was broken off', async () => {
    const run = createDispatcher({ tools: [greet], mode: 'full' }).run()
    const first = await runAgent({
      model: offlineModel(),
      run,
      prompt: '/greet_person name=Ada language=french',
    })
    const cut = first.messages.slice(0, -1)
    const second = await runAgent({
      model: offlineModel(),
      run,
      messages: cut,
      prompt: '/greet_person name=Bob language=english',
    })
    expect(second.text).toBe('Hello Bob')
  })

  it('is the same each time, whole or streamed', async () => {
    const options = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: '/x a=1; /y' }] }],
    }
    const { content } = await offlineModel().doGenerate(options)
    expect(content).toEqual([
      { type: 'reasoning', text: 'I call x, y.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'x', input: '{"a":1}' },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'y', input: '{}' },
    ])
    expect((await offlineModel().doGenerate(options)).content).toEqual(content)
  })
})
