export interface FileRequest {
  path: string
  range?: string
}

/** What the page of a holder reads: the checkpoint, the hashes of blocks, and a block of nodes. */
export const filesOfHolder = (day: string): FileRequest[] => [
  { path: '/register/checkpoint' },
  { path: '/register/log/blocks.bin' },
  { path: `/register/days/${day}.hashes.bin` },
  { path: `/register/days/${day}.bin`, range: 'bytes=26624-39935' },
]
