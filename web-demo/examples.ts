/**
 * Rounds to start from: each shows one thing the dispatcher does.
 * @module
 */

export interface Example {
  readonly title: string
  /** What to look at. */
  readonly hint: string
  readonly mode: 'full' | 'deferred' | 'stub'
  /** A round, or a raw assistant message. */
  readonly text: string
}

const call = (id: string, name: string, args: unknown) => ({
  id,
  name,
  arguments: JSON.stringify(args),
})

const show = (value: unknown) => JSON.stringify(value, null, 2)

export const examples: readonly Example[] = [
  {
    title: 'Order where it matters',
    hint: 'The second read waits for the edit, and only for the edit: the waits beside it overlap everything.',
    mode: 'full',
    text: show([
      call('r1', 'read_files', { files: [{ path: '/notes/welcome.md' }] }),
      call('w1', 'wait', { seconds: 1 }),
      call('e1', 'edit_file', {
        mode: 'write',
        path: '/notes/welcome.md',
        content: '# Edited\nby the round',
      }),
      call('r2', 'read_files', { files: [{ path: '/notes/welcome.md' }] }),
      call('w2', 'wait', { seconds: 2 }),
    ]),
  },
  {
    title: 'Five slots, eight calls',
    hint: 'Concurrent calls take one of five slots; the rest queue in order.',
    mode: 'full',
    text: show(
      Array.from({ length: 8 }, (_, i) =>
        call(`w${i + 1}`, 'wait', { seconds: 1 + (i % 3) * 0.5 }),
      ),
    ),
  },
  {
    title: 'Repeats, repairs, mistakes',
    hint: 'The repeat shares the first result; broken JSON is repaired, cut JSON never runs; the unknown name gets a hint.',
    mode: 'full',
    text: show([
      call('c1', 'calculate', { expressions: ['2^200', '0.1 + 0.2'] }),
      { id: 'c2', name: 'calculate', arguments: '{"expressions": ["2^200", "0.1 + 0.2"],}' },
      { id: 'c3', name: 'calculate', arguments: '{"expressions": "[\\"7/2\\"]"}' },
      { id: 'c4', name: 'calculate', arguments: '{"expressions": 42}' },
      {
        id: 'c5',
        name: 'edit_file',
        arguments: '{"mode":"write","path":"/a.md","content":"half a fi',
      },
      { id: 'c6', name: 'calculat', arguments: '{}' },
    ]),
  },
  {
    title: 'Page tools',
    hint: 'The tools live in this page: the theme changes, a chart is drawn. Runs here only.',
    mode: 'full',
    text: show([
      call('t1', 'set_theme', { theme: 'dark' }),
      call('t2', 'draw_chart', {
        title: 'Calls a round',
        labels: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
        values: [3, 7, 4, 9, 6],
      }),
      call('t3', 'read_selection', {}),
    ]),
  },
  {
    title: "Ask the page's form",
    hint: 'An interactive tool: the round waits until you send the form below.',
    mode: 'full',
    text: show([
      call('f1', 'ask_form', { question: 'Where shall we go?' }),
      call('f2', 'calculate', { expressions: ['6 * 7'] }),
    ]),
  },
  {
    title: 'Deferred schemas',
    hint: 'A direct call is refused, a blind one gets the schema, find_tools loads it. Run it twice: then it runs.',
    mode: 'deferred',
    text: show([
      call('d1', 'calculate', { expressions: ['1 + 1'] }),
      call('d2', 'run_tool', { name: 'calculate', args: { expressions: ['1 + 1'] } }),
      call('d3', 'find_tools', { query: 'read a file' }),
    ]),
  },
  {
    title: 'A shell over the files',
    hint: 'Looking asks nobody, writing does; the second read sees what the shell wrote.',
    mode: 'full',
    text: show([
      call('s1', 'run_command', { argv: ['ls -R / | head -20; cat notes/*.md | wc -w'] }),
      call('s2', 'run_command', {
        argv: ['for i in 1 2 3; do echo "$i,$((i * i))"; done > squares.csv; cat squares.csv'],
      }),
      call('s3', 'read_files', { files: [{ path: '/squares.csv' }] }),
    ]),
  },
  {
    title: 'Questions to you',
    hint: 'The round waits for your answers beside its other calls. The key never reaches the model.',
    mode: 'full',
    text: show([
      call('q1', 'ask_user', {
        questions: [
          {
            question: 'Where should the report go?',
            options: ['A page', 'A chat message'],
            detail: 'A page can be printed; a message is short.',
          },
          {
            question: 'Which parts?',
            options: ['Figures', 'Sources', 'Next steps'],
            multi_select: true,
          },
          { question: 'Your API key?', secret: true, name: 'report_key' },
        ],
      }),
      call('w1', 'wait', { seconds: 1 }),
    ]),
  },
  {
    title: 'Subagents',
    hint: 'Two helpers with runs of their own, side by side. They share the five places of this round.',
    mode: 'full',
    text: show([
      call('a1', 'subagents', {
        task: '/wait seconds=1 then /calculate expressions=["6 * 7"] then /say The answer is $last',
      }),
      call('a2', 'subagents', {
        task: '/find_files queries=[{"dir":"/"}] then /say There is $last',
      }),
    ]),
  },
  {
    title: 'Pages and scripts',
    hint: 'Open a row: a template in the preview, and a script tool in its sandbox. Below it the checklist.',
    mode: 'full',
    text: show([
      call('p0', 'write_todo', {
        todos: [
          { content: 'Look at the template', status: 'completed' },
          { content: 'Try the script', status: 'in_progress', active_form: 'Trying the script' },
          { content: 'Convert the units', status: 'pending' },
        ],
      }),
      call('p1', 'html_template', { mode: 'read', name: 'dashboard' }),
      call('p2', 'edit_file', {
        mode: 'write',
        path: '/tools/words/tool.json',
        content: JSON.stringify({ name: 'words', description: 'Counts the words of a text.' }),
      }),
      call('p3', 'edit_file', {
        mode: 'write',
        path: '/tools/words/script.js',
        content:
          'export default ({ text }) => {\n  console.log("counting");\n  return text.split(/\\s+/).length;\n};\n',
      }),
      call('p4', 'test_tool', { name: 'words', input: '{"text":"one two three"}' }),
      call('p5', 'calculate', {
        expressions: ['100 km/h to m/s', '20 degC to degF', 'comb(52, 5)'],
      }),
    ]),
  },
  {
    title: 'OpenAI message',
    hint: 'A raw assistant message of Chat Completions, as the API returns it.',
    mode: 'full',
    text: show({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_a',
          type: 'function',
          function: { name: 'calculate', arguments: '{"expressions":["sqrt(2)"]}' },
        },
        { id: 'call_b', type: 'function', function: { name: 'current_time', arguments: '{}' } },
      ],
    }),
  },
  {
    title: 'Anthropic message',
    hint: 'tool_use blocks beside text.',
    mode: 'full',
    text: show({
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me work that out.' },
        { type: 'tool_use', id: 'toolu_1', name: 'calculate', input: { expressions: ['17 * 23'] } },
      ],
    }),
  },
  {
    title: 'Gemini message',
    hint: 'functionCall parts; Gemini sends no ids, so the calls get fresh ones.',
    mode: 'full',
    text: show({
      role: 'model',
      parts: [
        { functionCall: { name: 'calculate', args: { expressions: ['2^10'] } } },
        { functionCall: { name: 'wait', args: { seconds: 1 } } },
      ],
    }),
  },
]
