/**
 * The runs of a session: its calls share one, so that they know of one another; those that read only, and may
 * run beside others, do not wait behind them.
 * @module
 */
import type { Run } from '../dispatcher.ts'

export interface SessionRuns {
  /** Does the work in a run of the session. `free`: beside what is under way. */
  readonly use: <T>(free: boolean, work: (run: Run) => Promise<T>) => Promise<T>
}

export interface SessionRunsOptions {
  readonly open: (number: number) => Promise<Run>
  readonly clock: () => number
  readonly idleMs: number
}

/** The rounds of a run go one after another: calls that need not wait are given a run that is idle. */
interface Lane {
  run: Promise<Run> | undefined
  busy: number
  usedAt: number
}

const mostLanes = 8

export function sessionRuns({ open, clock, idleMs }: SessionRunsOptions): SessionRuns {
  const first: Lane = { run: undefined, busy: 0, usedAt: 0 }
  const lanes = [first]
  let opened = 0

  const laneFor = (free: boolean): Lane => {
    if (!free) return first
    const idle = lanes.find(({ busy }) => busy === 0)
    if (idle) return idle
    if (lanes.length >= mostLanes) return first
    const lane: Lane = { run: undefined, busy: 0, usedAt: 0 }
    lanes.push(lane)
    return lane
  }

  const runOf = (lane: Lane): Promise<Run> => {
    if (lane.run && (lane.busy > 0 || clock() - lane.usedAt <= idleMs)) return lane.run
    opened += 1
    const run = open(opened)
    lane.run = run
    // One that could not be opened is tried anew with the next call.
    run.catch(() => {
      if (lane.run === run) lane.run = undefined
    })
    return run
  }

  return {
    async use(free, work) {
      const lane = laneFor(free)
      const run = runOf(lane)
      lane.busy += 1
      try {
        return await work(await run)
      } finally {
        lane.busy -= 1
        lane.usedAt = clock()
      }
    },
  }
}
