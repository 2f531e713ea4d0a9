/** The log that this device saw last. All hashes are in base64. */
export interface SeenLog {
  genesis: string
  size: number
  root: string
  /** Of the complete subtrees, largest first: new leaf hashes are appended to them. */
  roots: string[]
}
