import { describe, expect, it } from 'vitest'
import { htmlTree } from '../../../src/builtin/html-tree.ts'
import { readPage } from '../../../src/builtin/markdown.ts'

const read = (html: string) =>
  readPage(html, { as: 'markdown', keepLinks: true, url: 'https://a.example/' })
const fill = (part: string, length = 2_000_000) => part.repeat(Math.floor(length / part.length))

describe('readPage', () => {
  it.each([
    ['a title from the first heading', '<h1>A  <i>b</i></h1>', 'A b'],
    ['no title', '<p>a', ''],
  ])('%s', (_, html, title) => {
    expect(read(html).title).toBe(title)
  })

  it('resolves links against the document base', () => {
    expect(read('<base href="/deep/"><a href="x">l</a>').text).toBe('[l](https://a.example/deep/x)')
  })

  it('joins text around entities and marks', () => {
    expect(read('<p>a &lt; b &amp; c &eacute;</p>').text).toBe('a < b & c é')
  })

  it('keeps a text whole that the parser gives in pieces', () => {
    expect(htmlTree('a &lt; b &amp; c').root.children).toEqual([
      { type: 'text', value: 'a < b & c' },
    ])
  })

  it.each([
    ['a<i> </i>b<x><b>\n</b></x>c', 'a b c'],
    ['a <script></script> b<meta name="x"> c', 'a b c'],
    [
      '<video><source src="a.mp4"><source src="b.mp4">A film</video>',
      '[A film](https://a.example/a.mp4)',
    ],
    ['<table><tr><th>a<th><tr><td><td>b</table>', '| a | |\n| - | - |\n| | b |'],
    ['<p>ab<br>c<span><img src="d.png" alt="e"></span>', 'ab\\\nc![e](https://a.example/d.png)'],
  ])('what shows nothing leaves what does as it is: %s', (html, text) => {
    expect(read(html).text).toBe(text)
  })

  it('says when it stops', () => {
    expect([read('<p>a'), read(fill('<br>'))].map(({ cut }) => cut)).toEqual([false, true])
  })

  /** Pages of 2 MB that make quadratic converters run for minutes: the output stays small. */
  const hostile: [string, string][] = [
    ['unclosed elements', fill('<div>')],
    ['open formatting before many paragraphs', Array(500).fill('<b>').join('') + fill('<p>')],
    ['end tags of nothing', `${'<div>'.repeat(500)}${fill('</x>')}`],
    ['lone angles', fill('<')],
    ['entities', fill('&amp;')],
    ['many rows', `<table>${fill('<tr><td>a</td><td>b</td></tr>')}</table>`],
    ['a ragged table', `<table>${'<tr><td>a'.repeat(5_000)}<tr>${'<td>b'.repeat(5_000)}</table>`],
    ['huge spans', '<table><tr><td rowspan=100000 colspan=10000>a<tr><td>b</table>'],
    ['a wide cell', `<table><tr><td>${fill('x', 300_000)}${'<tr><td>a'.repeat(4_000)}</table>`],
    ['deep quotes', `${'<blockquote>'.repeat(190)}${fill('<p>x</p>', 200_000)}`],
    ['deep lists', `${'<ul><li>'.repeat(100)}${fill('x<p>y', 100_000)}`],
    ['many siblings', fill('<br>')],
    ['line breaks', fill('a\n\n\n')],
    ['meta elements', fill('<meta name="a" content="b">')],
    ['nothing to be seen', fill('<i></i><x> </x>')],
    ['blanks between scripts', fill(' <script></script>')],
    ['sources', `<video>${fill('<source src="x">')}`],
    ['a table without rows', `<table>${fill('<b>x</b><tbody></tbody>')}`],
  ]
  it.each(hostile)('%s', { timeout: 20_000 }, (_, html) => {
    expect(read(html).text.length).toBeLessThan(3_000_000)
  })
})
