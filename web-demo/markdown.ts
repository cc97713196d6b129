/**
 * Markdown of an answer as HTML that is safe to show: micromark escapes HTML and drops script addresses.
 * @module
 */
import { micromark } from 'micromark'

export function markdownHtml(text: string): string {
  return micromark(text)
}
