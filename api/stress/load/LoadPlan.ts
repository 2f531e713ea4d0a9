/** The parameters of the driver process. */
export interface LoadPlan {
  port: number
  visitors: number
  buyers: number
  /** The index of the first prepared buyer who reserves. */
  firstBuyer: number
  /** The period over which the requests are spread, in milliseconds. */
  spread: number
  /** Milliseconds after T0 at which the late buyers send, when the nodes are sold out. */
  lateAfter: number
  late: number
  /** Whether pages fetch the figures again after a change event. */
  readAgain: boolean
}

/** One buyer's request and its outcome; times in milliseconds from T0. */
export interface Attempt {
  buyer: number
  sentAt: number
  answeredAt: number
  status: number
  code: string | undefined
  /** Earlier attempts that got a temporary error or no answer. */
  repeats: string[]
}

/** The measurements of the driver. */
export interface LoadReport {
  attempts: Attempt[]
  streams: { opened: number; refused: Record<string, number>; lost: number; messages: number; openAtEnd: number }
  figures: { asked: number; statuses: Record<string, number>; milliseconds: number[] }
}
