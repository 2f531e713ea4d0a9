import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

/** A file system of its own in memory, small enough to be filled up in a moment. Needs the right to mount. */
export class SmallDisk {
  readonly folder: string
  readonly #ballast: string

  private constructor(folder: string) {
    this.folder = folder
    this.#ballast = path.join(folder, 'ballast')
  }

  /** Undefined where this process may not mount. */
  static mount(folder: string, { mebibytes }: { mebibytes: number }): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true })
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0777`, 'tmpfs', folder])
    return status === 0 ? new SmallDisk(folder) : undefined
  }

  /** Leaves not a byte. */
  async fill(): Promise<void> {
    const { bavail, bsize } = statfsSync(this.folder)
    if (bavail > 0) await once(spawn('fallocate', ['--length', String(bavail * bsize), this.#ballast]), 'exit')
  }

  /** Gives the space back: what an operator does who has kept a file of no use for that hour. */
  release(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder])
  }
}
