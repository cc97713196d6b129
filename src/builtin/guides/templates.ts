/**
 * The pages of html_template: one file each, no scripts, nothing from elsewhere, light and dark. Loaded
 * with the first template.
 * @module
 */

export interface HtmlTemplate {
  readonly name: string
  readonly category: 'document' | 'data' | 'presentation'
  readonly title: string
  readonly desc: string
  readonly html: string
}

/** Colours with a contrast of 4.5 to 1 or more in both schemes, and sizes that fit 390 px. */
const base = `
  :root { color-scheme: light dark; --ink: #1c2330; --soft: #566072; --line: #d9dee7; --paper: #fff; --wash: #f4f6fa; --accent: #1f5fbf; --good: #1b7a43; --bad: #b3261e }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #a6b0c0; --line: #36404f; --paper: #151a22; --wash: #1e2530; --accent: #8ab4f8; --good: #81c995; --bad: #f2a19b } }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
  main { max-width: 60rem; margin: 0 auto; padding: clamp(1rem, 4vw, 3rem) }
  h1 { font-size: clamp(1.5rem, 5vw, 2.2rem); line-height: 1.2; margin: 0 0 .5rem }
  h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
  p, ul, ol { margin: 0 0 1rem } .soft, footer, figcaption, small { color: var(--soft) }
  footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: .85rem }
  .scroll { overflow-x: auto } table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }`

function page(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${base}${style}
</style>
</head>
<body>
${body}
</body>
</html>
`
}

const report = page(
  'Report',
  `
  .lead { font-size: 1.15rem; border-left: 4px solid var(--accent); padding-left: 1rem }
  ol.findings { padding-left: 1.25rem } ol.findings li { margin-bottom: .75rem }`,
  `<main>
<header>
<h1>Title: what was looked at</h1>
<p class="soft">For whom · author · 1 January 2026</p>
</header>
<p class="lead">The answer in two sentences. What it is, and what follows from it.</p>
<h2>Findings</h2>
<ol class="findings">
<li><b>The finding as a full sentence.</b> The evidence for it, with its figure and <a href="#s1">source 1</a>.</li>
<li><b>The second finding.</b> What it rests on.</li>
</ol>
<h2>Figures</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table>
<thead><tr><th>What</th><th class="n">Before (unit)</th><th class="n">After (unit)</th></tr></thead>
<tbody><tr><td>First row</td><td class="n">12.4</td><td class="n">15.1</td></tr><tr><td>Second row</td><td class="n">8.0</td><td class="n">7.6</td></tr></tbody>
</table></div>
<h2>What is uncertain</h2>
<p>What was not found, what was inferred, and what would change the answer.</p>
<h2>Next steps</h2>
<ul><li>Who does what, by when.</li></ul>
<footer><ol><li id="s1">Source, <a href="https://example.com/">address</a>, read on 1 January 2026.</li></ol></footer>
</main>`,
)

const dashboard = page(
  'Dashboard',
  `
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1rem; margin: 1.5rem 0; padding: 0; list-style: none }
  .tiles li { background: var(--wash); border-radius: .6rem; padding: 1rem } .tiles b { display: block; font-size: 1.8rem; line-height: 1.2 }
  .up { color: var(--good) } .down { color: var(--bad) }
  .bars { display: grid; gap: .5rem; margin: 0 } .bars div { display: grid; grid-template-columns: 7rem 1fr 3.5rem; gap: .75rem; align-items: center }
  .bars i { display: block; height: 1rem; border-radius: .25rem; background: var(--accent); width: calc(var(--v) * 1%) } .bars dd, .bars dt { margin: 0 } .bars .n { text-align: right; font-variant-numeric: tabular-nums }
  figure { margin: 1.5rem 0 } svg { width: 100%; height: auto }`,
  `<main>
<header><h1>What is watched</h1><p class="soft">As of 1 January 2026, 12:00 · compared with the week before</p></header>
<ul class="tiles">
<li>Orders<b>1,284</b><span class="up">▲ 6.2 %</span></li>
<li>Revenue (EUR)<b>48,310</b><span class="up">▲ 3.1 %</span></li>
<li>Returns<b>37</b><span class="down">▲ 12.0 %</span></li>
<li>Answer time (ms)<b>184</b><span class="up">▼ 9.5 %</span></li>
</ul>
<h2>Orders by region</h2>
<dl class="bars">
<div><dt>North</dt><dd><i style="--v:100"></i></dd><dd class="n">512</dd></div>
<div><dt>South</dt><dd><i style="--v:74"></i></dd><dd class="n">379</dd></div>
<div><dt>West</dt><dd><i style="--v:48"></i></dd><dd class="n">246</dd></div>
<div><dt>East</dt><dd><i style="--v:29"></i></dd><dd class="n">147</dd></div>
</dl>
<figure>
<svg viewBox="0 0 600 180" role="img" aria-label="Orders a day, Monday to Sunday: 150, 162, 171, 168, 190, 231, 212">
<g stroke="currentColor" stroke-opacity=".2"><path d="M0 150H600M0 100H600M0 50H600"/></g>
<polyline fill="none" stroke="#1f77d0" stroke-width="3" points="10,110 105,98 200,89 295,92 390,70 485,29 580,48"/>
<g font-size="13" fill="currentColor"><text x="0" y="172">Mon</text><text x="275" y="172">Thu</text><text x="565" y="172">Sun</text><text x="490" y="22">231</text></g>
</svg>
<figcaption>Orders a day. The peak is Saturday.</figcaption>
</figure>
<footer>Data: name of the source. Days are in UTC.</footer>
</main>`,
)

const comparison = page(
  'Comparison',
  `
  th[scope=row] { font-weight: 600; width: 30% } thead th { background: var(--wash) }
  .best { border-top: 4px solid var(--accent) } .yes { color: var(--good) } .no { color: var(--bad) }
  .verdict { background: var(--wash); border-radius: .6rem; padding: 1rem 1.25rem }`,
  `<main>
<header><h1>First, second or third?</h1><p class="soft">Compared for: the use that matters · 1 January 2026</p></header>
<p class="verdict"><b>Take the first</b> unless you need the thing that only the third has. The second costs more and does less.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Comparison"><table>
<thead><tr><th>What counts</th><th class="best">First</th><th>Second</th><th>Third</th></tr></thead>
<tbody>
<tr><th scope="row">Price a month (EUR)</th><td>12</td><td>25</td><td>18</td></tr>
<tr><th scope="row">Runs offline</th><td class="yes">✓ yes</td><td class="no">✗ no</td><td class="yes">✓ yes</td></tr>
<tr><th scope="row">Limit</th><td>10,000 rows</td><td>none stated</td><td>50,000 rows</td></tr>
<tr><th scope="row">Best for</th><td>small teams</td><td>those who have it already</td><td>large tables</td></tr>
</tbody></table></div>
<h2>How it was compared</h2>
<p>Which versions, on which day, from which sources; what was tried and what was only read.</p>
<footer>Sources: first, second, third.</footer>
</main>`,
)

const timeline = page(
  'Timeline',
  `
  ol.time { list-style: none; margin: 2rem 0; padding: 0 0 0 1.5rem; border-left: 3px solid var(--line) }
  ol.time li { position: relative; padding-bottom: 1.75rem } ol.time li::before { content: ''; position: absolute; left: calc(-1.5rem - 8px); top: .35rem; width: 13px; height: 13px; border-radius: 50%; background: var(--accent); border: 3px solid var(--paper) }
  time { color: var(--soft); font-size: .9rem; font-variant-numeric: tabular-nums } ol.time h2 { margin: 0 0 .25rem; font-size: 1.05rem }
  .turn::before { background: var(--bad) !important }`,
  `<main>
<header><h1>What happened, in order</h1><p>One sentence: what it was, how long it took, how it ended.</p></header>
<ol class="time">
<li><time datetime="2026-01-01T09:00Z">1 January 2026, 09:00 UTC</time><h2>How it began</h2><p>What was seen, and by whom.</p></li>
<li class="turn"><time datetime="2026-01-01T09:42Z">09:42 UTC</time><h2>The turn</h2><p>What changed, and why it mattered. Turning points are marked.</p></li>
<li><time datetime="2026-01-01T10:15Z">10:15 UTC</time><h2>How it ended</h2><p>What was done, and how it was known to be over.</p></li>
</ol>
<footer>Times in UTC, from: name of the log or document.</footer>
</main>`,
)

const slides = page(
  'Slides',
  `
  html { scroll-snap-type: y mandatory } main { max-width: none; padding: 0 }
  section { min-height: 100vh; min-height: 100dvh; scroll-snap-align: start; display: grid; align-content: center; gap: 1rem; padding: clamp(1.5rem, 8vw, 7rem); border-bottom: 1px solid var(--line) }
  section > * { margin: 0; max-width: 50rem } section h1, section h2 { font-size: clamp(1.6rem, 5vw, 3rem); line-height: 1.15 }
  .big { font-size: clamp(3rem, 15vw, 8rem); font-weight: 700; color: var(--accent); line-height: 1 } li { margin-bottom: .5rem; font-size: 1.2rem }
  @media print { section { break-after: page; min-height: auto; height: 95vh } }`,
  `<main>
<section><h1>One sentence that the talk is for</h1><p class="soft">Name · occasion · 1 January 2026</p></section>
<section><h2>The headline says what the slide shows</h2><ul><li>At most three points</li><li>Each of one line</li><li>No sentence is read out</li></ul></section>
<section><h2>One number, if one number is the point</h2><p class="big">63 %</p><p>of what, compared with what, since when.</p></section>
<section><h2>What should happen now</h2><p>The decision that is asked for, and by when.</p></section>
</main>`,
)

const letter = page(
  'Letter',
  `
  main { max-width: 42rem } address { font-style: normal; white-space: pre-line; margin-bottom: 2rem }
  .date { text-align: right } .subject { font-weight: 700; margin: 2rem 0 1rem }
  @media print { @page { margin: 25mm } main { padding: 0 } }`,
  `<main>
<address>Sender
Street 1
12345 Town</address>
<address>Receiver
Street 2
67890 City</address>
<p class="date">Town, 1 January 2026</p>
<h1 class="subject" style="font-size:1.1rem">What it is about</h1>
<p>Dear Ms Receiver,</p>
<p>The first paragraph says what you want. One paragraph, one matter.</p>
<p>The second gives what is needed for it: dates, numbers, what was agreed.</p>
<p>The last says what happens next, and until when.</p>
<p>Yours sincerely,</p>
<p><br>Sender</p>
</main>`,
)

/** In the order of the list. */
export const templates: readonly HtmlTemplate[] = [
  {
    name: 'report',
    category: 'document',
    title: 'Report',
    desc: 'Findings with evidence, figures, uncertainty and sources.',
    html: report,
  },
  {
    name: 'dashboard',
    category: 'data',
    title: 'Dashboard',
    desc: 'Key figures, bars and a line, for something that is watched.',
    html: dashboard,
  },
  {
    name: 'comparison',
    category: 'data',
    title: 'Comparison',
    desc: 'A verdict and a table of two to four choices.',
    html: comparison,
  },
  {
    name: 'timeline',
    category: 'document',
    title: 'Timeline',
    desc: 'Events in order, turning points marked.',
    html: timeline,
  },
  {
    name: 'slides',
    category: 'presentation',
    title: 'Slides',
    desc: 'Full-height slides that scroll and print, no scripts.',
    html: slides,
  },
  {
    name: 'letter',
    category: 'document',
    title: 'Letter',
    desc: 'A formal letter for print.',
    html: letter,
  },
]
