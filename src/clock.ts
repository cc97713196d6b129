/** Milliseconds since the epoch. The only place of the library that reads the time. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
