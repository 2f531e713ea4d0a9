declare global {
  interface Window {
    /** Responses that the page requested before any script loaded, by path: pwa/server/serverRendering.ts. */
    earlyAnswers?: Record<string, Promise<Response>>
  }
}

/** Milliseconds after the page load from which early responses are too old. */
const MAX_EARLY_ANSWER_AGE = 10_000

/** Takes the response to an early request; each is returned once. */
export function takeEarlyAnswer(path: string): Promise<Response> | undefined {
  const answer = window.earlyAnswers?.[path]
  delete window.earlyAnswers?.[path]
  return performance.now() < MAX_EARLY_ANSWER_AGE ? answer : undefined
}
