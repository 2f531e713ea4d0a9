import { changeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import type { TestBrowser, TestServer } from './server.ts'

export interface EventStream {
  status: number
  leave(): void
  /** The keys of the next message. */
  hear(): Promise<string[]>
}

/** Opens the stream of changes; answers once the server listens. */
export async function listenToEvents(server: TestServer, browser: TestBrowser): Promise<EventStream> {
  const leaving = new AbortController()
  const response = await browser.fetch(`${server.url}${EVENTS_PATH}`, { signal: leaving.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: response.status,
    leave: () => leaving.abort(),
    async hear() {
      for (;;) {
        const match = /data: (.*)\n\n/.exec(text)
        if (match) {
          text = text.slice(match.index + match[0].length)
          return changeMessage.parse(JSON.parse(match[1]!)).keys
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('The stream has ended.')
        text += value
      }
    },
  }
}
