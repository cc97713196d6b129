/**
 * Called before anything that uses zod is loaded: the page's policy forbids eval, and zod would try it once.
 * @module
 */
import { config } from 'zod/v4/core'

export function forbidEval(): void {
  config({ jitless: true })
}
