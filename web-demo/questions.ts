/**
 * Open questions, from this page's dispatcher and from runs on the Worker, and the dialog that asks them.
 * @module
 */
import type { TemplateResult } from 'lit-html'
import type { AnswerOutcome, ApprovalAnswer, ApprovalQuestion, RunEvent } from '../src/index.ts'
import { approvalDialog, type Question } from './approval-dialog.ts'

/** Takes an answer to where its question came from. */
export type Answering = (answer: ApprovalAnswer, token: string) => Promise<AnswerOutcome>

export interface Questions {
  readonly template: () => TemplateResult
  /** What this page's dispatcher asks now. */
  readonly here: (pending: readonly Question[]) => void
  /** An event of a run on the Worker; its answers go through `answer`. */
  readonly hear: (event: RunEvent, answer: Answering) => void
  /** Nothing of the Worker is asked any more. */
  readonly forget: () => void
  /** Opens or closes the dialog; after each drawing. */
  readonly sync: () => void
}

interface Asked extends Question {
  readonly runId: string
  readonly answer: Answering
}

export function createQuestions(answerHere: Answering, draw: () => void): Questions {
  let local: readonly Question[] = []
  let remote: readonly Asked[] = []
  const edits = new Map<string, string>()
  const reasons = new Map<string, string>()
  const errors = new Map<string, string>()
  const note = (notes: Map<string, string>, token: string, text: string) => {
    notes.set(token, text)
    draw()
  }

  const onAnswer = async (question: Question, said: ApprovalAnswer) => {
    const asked = remote.find(({ token }) => token === question.token)
    try {
      const { receipt, problem } = await (asked?.answer ?? answerHere)(said, question.token)
      if (receipt === 'refused') return note(errors, question.token, problem ?? 'It does not fit.')
      if (receipt === 'unknown') return note(errors, question.token, 'It was never asked.')
      // Taken, or over: either way nobody waits for it; a stop leaves nothing to ask of the run.
      remote = remote.filter(
        ({ token, runId }) =>
          token !== question.token && !(said.decision === 'stop' && runId === asked?.runId),
      )
      draw()
    } catch (error) {
      note(errors, question.token, (error as Error).message)
    }
  }

  return {
    template: () =>
      approvalDialog(
        { questions: [...local, ...remote], edits, reasons, errors },
        {
          onAnswer: (question, said) => void onAnswer(question, said),
          onEdit: (token, text) => note(edits, token, text),
          onReason: (token, text) => note(reasons, token, text),
          onError: (token, message) => note(errors, token, message),
        },
      ),
    here(pending) {
      local = pending
      draw()
    },
    hear(event, answer) {
      const { runId } = event
      if (event.type === 'approval_requested') {
        const known = new Set(remote.map(({ token }) => token))
        const fresh = event.questions.filter(({ token }: ApprovalQuestion) => !known.has(token))
        remote = [...remote, ...fresh.map((question) => ({ ...question, runId, answer }))]
      } else if (event.type === 'approval_answered') {
        // Answered here, in another tab, or by a sibling's rule.
        remote = remote.filter((each) => each.runId !== runId || each.callId !== event.callId)
      } else if (event.type === 'round_end') {
        remote = remote.filter((each) => each.runId !== runId)
      } else return
      draw()
    },
    forget() {
      remote = []
      draw()
    },
    sync() {
      const element = document.querySelector<HTMLDialogElement>('#approvals')
      const open = local.length + remote.length > 0
      if (open && !element?.open) element?.showModal()
      if (!open && element?.open) element.close()
    },
  }
}
