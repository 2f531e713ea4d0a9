import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

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

  /** Fills all free space. */
  async fill(): Promise<void> {
    const { bavail, bsize } = statfsSync(this.folder)
    if (bavail > 0) await once(spawn('fallocate', ['--length', String(bavail * bsize), this.#ballast]), 'exit')
  }

  /** Frees the space, as an operator would by deleting a reserve file. */
  release(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder])
  }
}
