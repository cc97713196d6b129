import { test } from 'vitest'
import { readPage } from '../../src/builtin/markdown.ts'
const N = 2_000_000
const fill = (s: string, n = N) => s.repeat(Math.floor(n / s.length))
const pages: Record<string, string> = {
  div: fill('<div>'), bp: Array.from({ length: 500 }, (_, i) => `<b a=${i}>`).join('') + fill('<p>'),
  stray: '<div>'.repeat(500) + fill('</x>'), li: fill('<ul><li>a</li></ul>'), p: fill('<p>some text here, longer</p>'), br: fill('<br>'),
  table: '<table>' + fill('<tr><td>a</td><td>b</td></tr>') + '</table>', inline: fill('<b>a</b><i>b</i>'), text: fill('word '), stars: fill('*_`['), lt: fill('<'), amp: fill('&amp;'), attr: '<a ' + fill('a=1 ') + '>x', a: fill('<a href="http://x/y">x</a> '), nestedq: '<blockquote>'.repeat(190) + fill('<p>x</p>', 200000), pre: '<pre>' + fill('a\n'), code: fill('<code>a`b</code>'), spaces: fill(' '), nl: fill('a\n\n\n'), deepList: '<ul><li>'.repeat(100) + fill('x<p>y', 100000), comment: fill('<!--'), widetable: '<table><tr>' + fill('<td>a', 200000) + '</table>', tdtable: '<table>' + '<tr><td>a'.repeat(5000) + '<tr>' + '<td>b'.repeat(5000), colspan: '<table><tr><td colspan=100000>a</table>',rowspan: '<table><tr><td rowspan=100000 colspan=10000>a<tr><td>b</table>',
}
test('perf', () => {
  for (const [name, html] of Object.entries(pages)) for (const as of ['markdown', 'text'] as const) {
    const t = performance.now(); let r: string
    try { const p = readPage(html, { as, keepLinks: true, url: 'https://a/' }); r = `${p.text.length} ${p.cut}` } catch (e) { r = 'ERR ' + (e as Error).message.slice(0, 100) }
    const ms = performance.now() - t
    if (ms > 400 || r.startsWith('ERR')) console.log(name, as, r, Math.round(ms), 'ms')
  }
}, 600000)
