declare global {
  interface Window {
    /** Answers that the page asked for before any script was there, by their path: pwa/server/serverRendering.ts. */
    earlyAnswers?: Record<string, Promise<Response>>
  }
}

/** Milliseconds after the page began: whoever asks later wants to know how things are by then. */
const EARLY = 10_000

/** Takes the answer to a call that the page made beforehand; each is given once. */
export function takeEarlyAnswer(path: string): Promise<Response> | undefined {
  const answer = window.earlyAnswers?.[path]
  delete window.earlyAnswers?.[path]
  return performance.now() < EARLY ? answer : undefined
}
