import { expect, it } from 'vitest'
import { type AgentMessage, withinBounds } from '../../../src/agent/index.ts'

const said = (text: string, data?: string): AgentMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    ...(data ? [{ type: 'file' as const, mediaType: 'image/png', data, filename: 'p.png' }] : []),
  ],
})
const answer = (text: string): AgentMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})

it('a conversation within bounds: files go first, then turns, from the oldest on', () => {
  const all = [
    said('1', 'A'.repeat(1_000)),
    answer('one'),
    said('2', 'A'.repeat(1_000)),
    answer('two'),
  ]
  expect(withinBounds(all, 10_000)).toEqual(all)
  const lighter = withinBounds(all, 1_700)
  expect(JSON.stringify(lighter[0])).toContain('p.png (image/png) was left out')
  expect(lighter.slice(1)).toEqual(all.slice(1))
  const short = withinBounds(all, 300)
  expect(short).toHaveLength(2)
  expect(short[1]).toEqual(answer('two'))
  // The last message stays, whatever it weighs.
  expect(withinBounds([answer('x'.repeat(1_000))], 10)).toHaveLength(1)
})
