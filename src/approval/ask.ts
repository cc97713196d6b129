/**
 * Asks a person about the calls of a round, in one batch, and reads the answers. Fails closed.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import type { EventBody } from '../events.ts'
import { copyJson } from '../execute/copy.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { AllowRule, Denial } from '../run-state/run-state.ts'
import type { AnswerReview, ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts'
import { isAllowed } from './rules.ts'

/** A call that waits for a person, and whether allow rules may speak for it. */
export interface Asked {
  readonly call: ReadyCall
  /** Its tool's `confirm` said `'always'`. */
  readonly always: boolean
}

export interface AskEnvironment {
  readonly approver: Approver
  readonly runId: string
  readonly sessionId: string
  readonly roundId: string
  /** Tokens are made from it. */
  readonly secret: string
  readonly signal: AbortSignal
  readonly emit: (body: EventBody) => void
  /** Checks edited arguments as pass 1 checks the model's. */
  readonly inspect: (call: ReadyCall, args: unknown) => Promise<ReadyCall | { problem: string }>
}

export type Decision =
  | { readonly kind: 'approved'; readonly call: ReadyCall }
  | { readonly kind: 'denied'; readonly code: string; readonly reason: string }
  | { readonly kind: 'aborted' }

export interface Decisions {
  readonly byCall: ReadonlyMap<string, Decision>
  readonly runRules: readonly AllowRule[]
  readonly sessionRules: readonly AllowRule[]
  /** Denials that a person spoke: not asked again in this run. */
  readonly denials: readonly Denial[]
  readonly stopped: boolean
}

/** How often a question is put again because the edited arguments were refused. */
const mostAttempts = 3

export async function askPeople(
  asked: readonly Asked[],
  environment: AskEnvironment,
): Promise<Decisions> {
  const byCall = new Map<string, Decision>()
  const found = {
    runRules: [] as AllowRule[],
    sessionRules: [] as AllowRule[],
    denials: [] as Denial[],
  }
  let stopped = false
  let open: readonly (Asked & { problem?: string })[] = asked
  for (let attempt = 0; open.length > 0 && attempt < mostAttempts; attempt += 1) {
    const answers = await putQuestions(open, attempt, environment)
    if (answers === 'aborted') {
      for (const { call } of open) byCall.set(call.id, { kind: 'aborted' })
      return { byCall, ...found, stopped }
    }
    const again: (Asked & { problem?: string })[] = []
    for (const each of open) {
      const answer = answers.get(each.call.id)
      if (!answer) continue
      if (answer.decision === 'stop') stopped = true
      const decision = await decide(each, answer, environment, found)
      if ('problem' in decision) again.push({ ...each, problem: decision.problem })
      else byCall.set(each.call.id, decision)
    }
    await release(open, answers, byCall, found, environment)
    open = stopped ? [] : again
  }
  for (const { call } of asked) {
    if (!byCall.has(call.id)) byCall.set(call.id, stopped ? { kind: 'aborted' } : unanswered)
  }
  return { byCall, ...found, stopped }
}

const unanswered: Decision = {
  kind: 'denied',
  code: 'no-answer',
  reason: 'nobody approved it',
}

async function putQuestions(
  open: readonly (Asked & { problem?: string })[],
  attempt: number,
  environment: AskEnvironment,
): Promise<Map<string, ApprovalAnswer> | 'aborted'> {
  const { approver, signal, emit, runId, sessionId, roundId } = environment
  if (signal.aborted) return 'aborted'
  const requests = await Promise.all(open.map((each) => requestOf(each, attempt, environment)))
  emit({
    type: 'approval_requested',
    questions: requests.map(({ callId, token, name, arguments: args, tells }) => ({
      callId,
      token,
      name,
      arguments: args,
      ...(tells !== undefined && { tells }),
    })),
  })
  try {
    const review = (answer: ApprovalAnswer) => reviewOf(answer, open, environment)
    const batch = { runId, sessionId, roundId, requests, review, signal }
    const answers = await untilAborted(
      Promise.resolve().then(() => approver(batch)),
      signal,
    )
    return answers === 'aborted' ? answers : sortAnswers(answers, requests, emit)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    emit({ type: 'warning', code: 'approver-failed', message: `The approver failed: ${message}` })
    return new Map()
  }
}

async function requestOf(
  { call, problem }: Asked & { problem?: string },
  attempt: number,
  { runId, roundId, secret }: AskEnvironment,
): Promise<ApprovalRequest> {
  // What is told of the call follows from its arguments and the tool as it is defined, which both are bound.
  const tells = told(call)
  const bound = [runId, roundId, call.id, attempt, call.key, await call.registered.fingerprint()]
  return {
    callId: call.id,
    token: await sha256(`${secret} ${canonicalJson(bound)}`),
    name: call.name,
    description: call.registered.tool.description ?? '',
    arguments: copyJson(call.checked.args),
    ...(tells !== undefined && { tells }),
    ...(problem !== undefined && { problem }),
  }
}

const longestTold = 500

/** One line, without characters that would reorder or hide it. */
function told({ registered, checked }: ReadyCall): string | undefined {
  try {
    const text: unknown = registered.tool.tells?.(copyJson(checked.args))
    if (typeof text !== 'string') return undefined
    const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
    const cut = [...line].slice(0, longestTold).join('')
    return cut === '' ? undefined : cut === line ? line : `${cut}…`
  } catch {
    return undefined
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

const decisions = new Set(['approve', 'approve-for-run', 'approve-and-remember', 'deny', 'stop'])

/** The first well-formed answer to each call that was asked about; the rest is reported and ignored. */
function sortAnswers(
  answers: readonly ApprovalAnswer[],
  requests: readonly ApprovalRequest[],
  emit: (body: EventBody) => void,
): Map<string, ApprovalAnswer> {
  const wanted = new Set(requests.map((request) => request.callId))
  const sorted = new Map<string, ApprovalAnswer>()
  for (const answer of Array.isArray(answers) ? answers : []) {
    const callId = String(answer?.callId)
    if (wanted.has(callId) && !sorted.has(callId) && decisions.has(answer.decision)) {
      sorted.set(callId, answer)
    } else {
      emit({
        type: 'warning',
        code: 'stray-answer',
        message: `An approval answer for "${callId}" was ignored: not asked, answered already, or no known decision.`,
      })
    }
  }
  return sorted
}

/** Arguments that a person put in the place of the model's, as a call that can run. */
async function edit(
  call: ReadyCall,
  args: unknown,
  inspect: AskEnvironment['inspect'],
): Promise<ReadyCall | { problem: string }> {
  if (isObject(args)) return inspect(call, args)
  return { problem: `${call.name}: edited arguments must be a JSON object` }
}

async function reviewOf(
  answer: ApprovalAnswer,
  open: readonly Asked[],
  { inspect }: AskEnvironment,
): Promise<AnswerReview> {
  const own = open.find(({ call }) => call.id === answer.callId)
  if (!own) return { settles: [] }
  if (answer.decision === 'approve' && answer.arguments !== undefined) {
    const edited = await edit(own.call, answer.arguments, inspect)
    if ('problem' in edited) return { problem: edited.problem, settles: [] }
  }
  const rule = await ruleOf(own.call, answer)
  const covered = rule ? await coveredBy([rule], open) : []
  return { settles: [own.call.id, ...covered.map(({ call }) => call.id)] }
}

/** The allow rule that an answer makes, if it makes one. */
async function ruleOf(call: ReadyCall, answer: ApprovalAnswer): Promise<AllowRule | undefined> {
  if (answer.decision !== 'approve-for-run' && answer.decision !== 'approve-and-remember') return
  const rule = { tool: call.name, fingerprint: await call.registered.fingerprint() }
  const pattern = answer.decision === 'approve-and-remember' ? answer.pattern : undefined
  return pattern ? { ...rule, pattern } : rule
}

async function coveredBy(rules: readonly AllowRule[], open: readonly Asked[]): Promise<Asked[]> {
  const covered: Asked[] = []
  for (const each of open) {
    if (each.always) continue
    if (await isAllowed(each.call.registered, each.call.checked.args, rules)) covered.push(each)
  }
  return covered
}

async function decide(
  { call }: Asked,
  answer: ApprovalAnswer,
  { emit, inspect }: AskEnvironment,
  found: { runRules: AllowRule[]; sessionRules: AllowRule[]; denials: Denial[] },
): Promise<Decision | { problem: string }> {
  const reason = 'reason' in answer && answer.reason ? String(answer.reason) : ''
  let approved = call
  if (answer.decision === 'approve' && answer.arguments !== undefined) {
    const edited = await edit(call, answer.arguments, inspect)
    if ('problem' in edited) return edited
    approved = edited
  }
  emit({
    type: 'approval_answered',
    callId: call.id,
    decision: answer.decision,
    ...(reason && { reason }),
  })
  if (answer.decision === 'deny' || answer.decision === 'stop') {
    found.denials.push({ key: call.key, reason })
    return { kind: 'denied', code: answer.decision === 'stop' ? 'stopped' : 'denied', reason }
  }
  const rule = await ruleOf(call, answer)
  const rules = answer.decision === 'approve-for-run' ? found.runRules : found.sessionRules
  if (rule) rules.push(rule)
  return { kind: 'approved', call: approved }
}

/** A rule that one answer made speaks at once for the calls of the batch that nobody answered. */
async function release(
  open: readonly Asked[],
  answers: ReadonlyMap<string, ApprovalAnswer>,
  byCall: Map<string, Decision>,
  found: { runRules: AllowRule[]; sessionRules: AllowRule[] },
  { emit }: AskEnvironment,
): Promise<void> {
  const rules = [...found.runRules, ...found.sessionRules]
  const silent = open.filter(({ call }) => !answers.has(call.id))
  for (const { call } of await coveredBy(rules, silent)) {
    emit({ type: 'approval_answered', callId: call.id, decision: 'covered' })
    byCall.set(call.id, { kind: 'approved', call })
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
