import { MINUTE } from '#shared/dates.ts'

/** An endpoint that is away is tried every moment; that it is away is said once a minute. */
export function sayOnce(onError: (error: unknown) => void): (error: unknown) => void {
  let last = { text: '', at: 0 }
  return (error) => {
    const text = String(error)
    if (text === last.text && Date.now() - last.at < MINUTE) return
    last = { text, at: Date.now() }
    onError(error)
  }
}
