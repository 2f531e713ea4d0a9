/** The log that this device saw last. All hashes are in base64. */
export interface SeenLog {
  genesis: string
  size: number
  root: string
  /** Of the complete subtrees, largest first: new leaf hashes are appended to them. */
  roots: string[]
  /** In force behind the last entry. Absent where an earlier version of the page stored it. */
  logKey?: string
}

/** The account's nodes on the day that this device checked last. */
export interface OwnNodes {
  day: string
  /** Of the day's entry. */
  dayIndex: number
  nodes: number
  /** XCR of all active nodes on that day, in the smallest unit. */
  reward: string
  /** Numbers as ranges, and what each of them has earned since the first day. */
  earned: [numbers: string, amount: string][]
}
