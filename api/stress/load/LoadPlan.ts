/** What the process that drives the load is told. */
export interface LoadPlan {
  port: number
  visitors: number
  buyers: number
  /** Which of the prepared people press: the first is this one. */
  firstBuyer: number
  /** Milliseconds over which the presses are spread. */
  spread: number
  /** Milliseconds after T0 at which some more press, when all is gone. */
  lateAfter: number
  late: number
  /** Whether pages read the figures again when they are told that those have changed. */
  readAgain: boolean
}

/** One buyer's press and what came of it; milliseconds from T0. */
export interface Press {
  buyer: number
  pressedAt: number
  answeredAt: number
  status: number
  code: string | undefined
  /** Answers that told to come again, or no answer at all, before this one. */
  repeats: string[]
}

/** What the driver saw. */
export interface LoadReport {
  presses: Press[]
  streams: { opened: number; refused: Record<string, number>; lost: number; messages: number; openAtEnd: number }
  figures: { asked: number; statuses: Record<string, number>; milliseconds: number[] }
}
