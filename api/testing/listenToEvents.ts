import { type ChangeMessage, changeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import type { TestBrowser, TestServer } from './server.ts'

export interface EventStream {
  status: number
  /** The message with which the server has opened the stream; the back office's has none. */
  opening: ChangeMessage | undefined
  leave(): void
  /** Waits for the next message. */
  hearAll(): Promise<ChangeMessage>
  /** Waits for the next message and returns its keys. */
  hear(): Promise<string[]>
}

/** Opens an event stream. Resolves when the server has subscribed. */
export async function listenToEvents(
  server: TestServer,
  browser: TestBrowser,
  path = EVENTS_PATH,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const leaving = new AbortController()
  const response = await browser.fetch(`${server.url}${path}`, { headers, signal: leaving.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function hearAll(): Promise<ChangeMessage> {
    for (;;) {
      const match = /data: (.*)\n\n/.exec(text)
      if (match) {
        text = text.slice(match.index + match[0].length)
        return changeMessage.parse(JSON.parse(match[1]!))
      }
      const { value, done } = await reader.read()
      if (done) throw new Error('The stream has ended.')
      text += value
    }
  }
  return {
    status: response.status,
    opening: response.ok && path === EVENTS_PATH ? await hearAll() : undefined,
    leave: () => leaving.abort(),
    hearAll,
    hear: async () => (await hearAll()).keys,
  }
}
