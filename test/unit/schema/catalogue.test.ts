import { describe, expect, it } from 'vitest'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { formatIssues } from '../../../src/schema/issues.ts'
import type { Checked } from '../../../src/schema/validator.ts'
import {
  type DataRound,
  type DataTool,
  dataRounds,
  dataTools,
  hasData,
  ownRounds,
} from '../../support/data.ts'
import { ownTools } from '../../support/own-data.ts'

const validator = cfworkerValidator()

function checkCall(round: DataRound, call: DataRound['calls'][number]): Checked {
  const tool = round.tools.find(({ name }) => name === call.name)
  if (!tool) throw new Error(`${round.id}: no tool ${call.name}`)
  return validator.compile(tool.inputSchema, 'external').check(call.args)
}

describe.each([
  ...(hasData
    ? [
        {
          source: 'the shared catalogue',
          tools: dataTools,
          rounds: dataRounds,
          counts: [844, 624, 220],
        },
      ]
    : []),
  {
    source: "the project's own data",
    tools: (): readonly DataTool[] => ownTools,
    rounds: ownRounds,
    counts: [12, 12, 13],
  },
])('$source', ({ tools, rounds, counts }) => {
  it('registers whole, without a warning, and judges {}', () => {
    const all = tools()
    expect(all).toHaveLength(counts[0] as number)
    for (const { name, inputSchema } of all) {
      const compiled = validator.compile(inputSchema, 'external')
      expect([name, compiled.warnings]).toEqual([name, []])
      const checked = compiled.check({})
      const paths = checked.ok ? [] : checked.issues.map((issue) => issue.path)
      expect([name, paths]).toEqual([
        name,
        (inputSchema.required as string[] | undefined)
          ?.filter(() => !checked.ok)
          .map((key) => `/${key}`) ?? [],
      ])
    }
  })

  it('passes every valid call, uncoerced', () => {
    const calls = rounds()
      .filter((round) => round.valid)
      .flatMap((round) => round.calls.map((call) => checkCall(round, call)))
    expect(calls).toHaveLength(counts[1] as number)
    expect(calls.filter((checked) => !checked.ok || checked.coerced.length > 0)).toEqual([])
  })

  it('names the broken place of every invalid call, also with coercion on', () => {
    const invalid = rounds().filter((round) => !round.valid)
    expect(invalid).toHaveLength(counts[2] as number)
    for (const round of invalid) {
      const [call] = round.calls
      const checked = call && checkCall(round, call)
      const paths = !checked || checked.ok ? [] : checked.issues.map((issue) => issue.path)
      expect([round.id, paths]).toEqual([round.id, [round.path]])
      if (checked && !checked.ok)
        expect(formatIssues(round.id, checked.issues).length).toBeLessThanOrEqual(600)
    }
  })
})
