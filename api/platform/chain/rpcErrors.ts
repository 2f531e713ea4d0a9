export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/**
 * The node answered with an error. Like every error here it contains only the host, because the rest of the URL may contain an
 * API key.
 */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal'
  /** The JSON-RPC error code. */
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The node did not answer, or its response is malformed. */
export class RpcFailure extends Error {
  override name = 'RpcFailure'
}

/** The response exceeds the size limit. */
export class AnswerTooLarge extends RpcFailure {
  override name = 'AnswerTooLarge'
}
