/**
 * Questions of the confirm gate as questions of the protocol: a form with approve and deny, which the client
 * puts before its person.
 * @module
 */
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type {
  ApprovalAnswer,
  ApprovalBatch,
  ApprovalRequest,
  Approver,
} from '../approval/approver.ts'

/** A batch that waits for its answers. */
export interface Question {
  readonly batch: ApprovalBatch
  readonly answer: (answers: readonly ApprovalAnswer[]) => void
}

/** The questions of one call. */
export interface Conversation {
  /** Resolves with the next one. */
  readonly next: () => Promise<Question>
  readonly end: () => void
}

export interface Conversations {
  readonly approver: Approver
  /** `cannotAsk` says why the client's person cannot be asked: everything is denied for it. */
  readonly begin: (callId: string, cannotAsk: string | undefined) => Conversation
}

interface Open {
  readonly cannotAsk: string | undefined
  readonly put: (question: Question) => void
}

export function createConversations(): Conversations {
  const open = new Map<string, Open>()
  return {
    async approver(batch) {
      const [first] = batch.requests
      // A call inside the call has its id behind that one's.
      const asking = open.get(first?.callId.split('/', 1)[0] ?? '')
      if (!asking) return []
      const { cannotAsk } = asking
      if (cannotAsk !== undefined) {
        return batch.requests.map(({ callId }) => denied(callId, cannotAsk))
      }
      return new Promise((answer) => {
        batch.signal.addEventListener('abort', () => answer([]), { once: true })
        asking.put({ batch, answer })
      })
    },
    begin(callId, cannotAsk) {
      const waiting: Question[] = []
      let wanted: ((question: Question) => void) | undefined
      open.set(callId, {
        cannotAsk,
        put(question) {
          waiting.push(question)
          take()
        },
      })
      const take = () => {
        if (!wanted) return
        const question = waiting.shift()
        if (question) wanted(question)
        if (question) wanted = undefined
      }
      return {
        next: () =>
          new Promise((resolve) => {
            wanted = resolve
            take()
          }),
        end: () => open.delete(callId),
      }
    },
  }
}

const longestArguments = 2_000

/** The forms of a batch, by the keys under which their answers come back. */
export function formsOf(
  { requests }: ApprovalBatch,
  hasRun: boolean,
): { [key: string]: ElicitRequestFormParams } {
  return Object.fromEntries(
    requests.map((request, index) => [`call_${index}`, formOf(request, hasRun)]),
  )
}

function formOf(
  { name, arguments: args, tells, problem }: ApprovalRequest,
  hasRun: boolean,
): ElicitRequestFormParams {
  const text = JSON.stringify(args, null, 1)
  const shown =
    text.length > longestArguments
      ? `${text.slice(0, longestArguments)}\n… ${text.length - longestArguments} characters more`
      : text
  return {
    message: `${problem ? `${problem}\n\n` : ''}May ${name} run with these arguments?${tells ? `\n\n${tells}` : ''}\n\n${shown}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          enum: ['approve', ...(hasRun ? ['approve-for-run'] : []), 'deny'],
          description: hasRun
            ? 'approve: this call. approve-for-run: all calls of this tool for now. deny: it does not run.'
            : 'approve: this call runs. deny: it does not.',
        },
        reason: {
          type: 'string',
          title: 'Reason',
          description: 'Of a denial; the model reads it.',
        },
      },
      required: ['decision'],
    },
  }
}

/** What a person made of the form; whatever is not a clear yes is a no. */
export function answersOf(
  { requests }: ApprovalBatch,
  viewOf: (key: string) => { action?: string; content?: { [name: string]: unknown } },
): ApprovalAnswer[] {
  return requests.map(({ callId }, index) => {
    const { action, content = {} } = viewOf(`call_${index}`)
    const { decision, reason } = content
    if (action === 'accept' && (decision === 'approve' || decision === 'approve-for-run')) {
      return { callId, decision }
    }
    const why = typeof reason === 'string' ? reason.trim().slice(0, 1_000) : ''
    return denied(callId, why)
  })
}

export function denied(callId: string, reason: string): ApprovalAnswer {
  return { callId, decision: 'deny', ...(reason && { reason }) }
}
