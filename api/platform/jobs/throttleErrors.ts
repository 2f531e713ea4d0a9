import { MINUTE } from '#shared/dates.ts'

/** Reports a repeated error at most once a minute, for work that is retried continuously. */
export function throttleErrors(onError: (error: unknown) => void): (error: unknown) => void {
  let last = { text: '', at: 0 }
  return (error) => {
    const text = String(error)
    if (text === last.text && Date.now() - last.at < MINUTE) return
    last = { text, at: Date.now() }
    onError(error)
  }
}
