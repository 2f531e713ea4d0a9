import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

/** Less than a file of the write-ahead log, in bytes. */
const MAX_LEFT = 8 * 2 ** 20

/** A small file system in memory that can be filled quickly. Needs the privilege to mount. */
export class SmallDisk {
  readonly folder: string
  readonly #ballast: string

  private constructor(folder: string) {
    this.folder = folder
    this.#ballast = path.join(folder, 'ballast')
  }

  /** Undefined if this process may not mount. */
  static mount(folder: string, { mebibytes }: { mebibytes: number }): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true })
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0777`, 'tmpfs', folder])
    return status === 0 ? new SmallDisk(folder) : undefined
  }

  /** Fills the free space. Files that grow meanwhile make it fail, so it leaves a little more at each try. */
  async fill(): Promise<void> {
    for (let left = 0; left < MAX_LEFT; left += MAX_LEFT / 8) {
      const { bavail, bsize } = statfsSync(this.folder)
      const length = bavail * bsize - left
      if (length <= 0) return
      const [code] = (await once(spawn('fallocate', ['--length', String(length), this.#ballast]), 'exit')) as [number | null]
      if (code === 0) return
    }
  }

  /** Frees the space, as an operator would by deleting a reserve file. */
  release(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder])
  }
}
