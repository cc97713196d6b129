/** The dispatcher's own stories, played by whichever runtime imports this. */
import { describe, expect, it } from 'vitest'
import type { RunStore } from '../../src/index.ts'
import { playStory, type Story } from '../support/story.ts'

const stories = import.meta.glob<Story>('../rounds/*.json', { eager: true, import: 'default' })

/**
 * Plays every story. `within` runs each with a fresh store where that store lives (default: here,
 * with the dispatcher's own).
 */
export function dispatcherContract(
  runtime: string,
  within: (play: (store?: RunStore) => Promise<void>) => Promise<void> = (play) => play(),
): void {
  describe(`stories in ${runtime}`, () => {
    it('finds the stories', () => {
      expect(Object.keys(stories).length).toBeGreaterThan(10)
    })
    for (const [file, story] of Object.entries(stories)) {
      it(`${file.replace(/.*\//, '')}: ${story.name}`, () =>
        within((store) => playStory(story, expect, store)))
    }
  })
}
