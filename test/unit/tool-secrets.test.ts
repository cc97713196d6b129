/** TOOL_SECRETS of the Worker: whom a secret is given for. */
import { describe, expect, it } from 'vitest'
import { readToolSecrets } from '../../worker/tool-secrets.ts'

const use = (host: string) => ({ tool: 'api_thing', host })

describe('TOOL_SECRETS', () => {
  it('gives a secret for its own hosts alone', () => {
    const { secrets, problem } = readToolSecrets('{"K":{"value":"v","hosts":["a.example:8080"]}}')
    expect(problem).toBeUndefined()
    expect(secrets('K', use('a.example:8080'))).toBe('v')
    for (const host of ['a.example', 'a', 'b.a.example:8080']) {
      expect(secrets('K', use(host))).toBeUndefined()
    }
    expect(secrets('toString', use('a.example:8080'))).toBeUndefined()
    expect(readToolSecrets(' ').problem).toBeUndefined()
  })

  it('what is written down wrongly is named without its value, and not given', () => {
    const good = { value: 'g00d', hosts: ['a.example'] }
    const bad = [
      { value: 's3cret', hosts: 'a.example' },
      { value: 's3cret', hosts: ['a.example', 1] },
      { value: '', hosts: ['a.example'] },
      { value: 7, hosts: ['a.example'] },
      { hosts: ['a.example'] },
      { value: 's3cret' },
      's3cret',
      null,
      7,
    ]
    for (const each of bad) {
      const { secrets, problem } = readToolSecrets(JSON.stringify({ good, BAD: each }))
      expect(problem).toContain('BAD')
      expect(problem).not.toMatch(/s3cret|g00d/)
      expect(secrets('BAD', use('a.example'))).toBeUndefined()
      expect(secrets('good', use('a.example'))).toBe('g00d')
    }
    for (const text of ['{ s3cret', 'null', '7', '[]', '"s3cret"']) {
      const { secrets, problem } = readToolSecrets(text)
      expect(problem).toMatch(/must be JSON/)
      expect(problem).not.toContain('s3cret')
      expect(secrets('good', use('a.example'))).toBeUndefined()
    }
  })
})
