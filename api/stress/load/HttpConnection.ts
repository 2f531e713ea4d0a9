import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  headers: string
  body: string
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

interface Target {
  /** Of a server on 127.0.0.1. */
  port: number
  /** The address that the connection comes from. */
  localAddress: string
}

/** A keep-alive connection for sequential requests. Minimal, because it shares the machine with the product. */
export class HttpConnection {
  readonly #target: Target
  #socket: Socket | undefined
  #received = ''
  #waiting: Waiting | undefined

  constructor(target: Target) {
    this.#target = target
  }

  /** Sends a request that `writeRequest` wrote. @throws if the connection is lost before the answer is complete. */
  async request(text: string): Promise<Answer> {
    const socket = await this.#open()
    this.#received = ''
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      socket.write(text)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #open(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const socket = connect({ host: '127.0.0.1', ...this.#target, noDelay: true })
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#received += String(text)
      const answer = readAnswer(this.#received)
      if (!answer) return
      this.#received = ''
      this.#settle((waiting) => waiting.resolve(answer))
    })
    const lose = () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#settle((waiting) => waiting.reject(new Error('lost')))
    }
    socket.on('error', lose)
    socket.on('close', lose)
    this.#socket = socket
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    return socket
  }

  #settle(notify: (waiting: Waiting) => void): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) notify(waiting)
  }
}

interface Request {
  port: number
  method: string
  path: string
  headers: readonly string[]
  body?: string
}

export const writeRequest = ({ port, method, path, headers, body = '' }: Request): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Sec-Fetch-Site: same-origin',
    ...headers,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    '',
    body,
  ].join('\r\n')

/** Undefined until the answer is complete. */
function readAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const headers = text.slice(0, headEnd)
  const status = Number(headers.slice(9, 12))
  const body = text.slice(headEnd + 4)
  const [, length] = /^content-length: (\d+)/im.exec(headers) ?? []
  if (length !== undefined) return body.length >= Number(length) ? { status, headers, body } : undefined
  if (status === 304 || status === 204) return { status, headers, body: '' }
  return body.endsWith('0\r\n\r\n') ? { status, headers, body } : undefined
}
