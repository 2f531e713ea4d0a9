import { equalBytes, fromBase64, toBase64, utf8 } from '#shared/register/bytes.ts'
import type { Checkpoint } from '#shared/register/checkpoint.ts'
import { BLOCK_SIZE, GrowingTree, HASH_SIZE, leafHash, rootOf } from '#shared/register/tree.ts'
import type { RegisterFiles } from './RegisterFiles.ts'
import type { Report } from './Report.ts'
import type { SeenLog } from './seenLog.ts'

/**
 * Verifies a checkpoint, and single entries of its log, with few bytes: by the leaf hashes since the last visit, or by the block
 * hashes, whichever is less.
 */
export class LogHead {
  readonly #files: RegisterFiles
  readonly #size: number
  /** Of complete blocks. */
  #blocks: readonly Uint8Array[] | null = null
  /** Leaf hashes by the index of the first. */
  readonly #known = new Map<number, readonly Uint8Array[]>()
  /** Of the whole log; absent if it was verified by block hashes. */
  #tree: GrowingTree | null = null

  private constructor(files: RegisterFiles, size: number) {
    this.#files = files
    this.#size = size
  }

  /** Sets the ticks `entries` (the root) and `growth`. @returns null if one of them failed. */
  static async open(
    files: RegisterFiles,
    { report, checkpoint, seen }: { report: Report; checkpoint: Checkpoint; seen: SeenLog | null },
  ): Promise<LogHead | null> {
    const { size, root } = checkpoint
    const head = new LogHead(files, size)
    if (seen && !report.check('growth', seen.size <= size, `the log has ${size} entries; this device saw ${seen.size}`))
      return null
    const added = seen ? size - seen.size : Infinity
    const isShort = added <= Math.floor(size / BLOCK_SIZE) + 2 * BLOCK_SIZE
    const isWhole = seen && isShort ? await head.#grow(seen, root) : await head.#readBlocks(root)
    const what = `the log of ${seen?.size ?? 0} entries that this device saw`
    if (!seen) {
      if (!report.check('entries', isWhole, "the hashes do not have the checkpoint's root")) return null
      report.set('growth', 'nothing', 'no earlier visit is remembered')
      return head
    }
    const isPrefix = isShort ? isWhole : isWhole && (await head.#hasPrefix(seen))
    if (!report.check('growth', isPrefix, `${what} is not the beginning of this one`, JSON.stringify(seen))) return null
    report.ok('growth', `${what} is the beginning of this one`)
    return head
  }

  async #grow(seen: SeenLog, root: Uint8Array): Promise<boolean> {
    const roots = seen.roots.map((text) => fromBase64(text))
    if (!roots.every((hash) => hash?.length === HASH_SIZE)) return false
    const tree = new GrowingTree({ size: seen.size, roots: roots.filter((hash) => hash !== undefined) })
    if (toBase64(tree.root()) !== seen.root) return false
    const added = await this.#files.hashes('log/hashes.bin', { from: seen.size, to: this.#size })
    for (const hash of added) tree.append(hash)
    this.#known.set(seen.size, added)
    this.#tree = tree
    return equalBytes(tree.root(), root)
  }

  async #readBlocks(root: Uint8Array): Promise<boolean> {
    const complete = Math.floor(this.#size / BLOCK_SIZE)
    const [blocks, tail] = await Promise.all([
      this.#files.hashes('log/blocks.bin', { to: complete }),
      this.#files.hashes('log/hashes.bin', { from: complete * BLOCK_SIZE, to: this.#size }),
    ])
    this.#blocks = blocks
    this.#known.set(complete * BLOCK_SIZE, tail)
    return equalBytes(rootOf(tail.length > 0 ? [...blocks, rootOf(tail)] : blocks), root)
  }

  /** The root at an older size follows from the block hashes, and from the leaf hashes of the block in which it ends. */
  async #hasPrefix({ size, root }: SeenLog): Promise<boolean> {
    const first = size - (size % BLOCK_SIZE)
    const rest = first === size ? [] : (await this.#leavesFrom(first)).slice(0, size - first)
    const blocks = this.#blocks!.slice(0, first / BLOCK_SIZE)
    return toBase64(rootOf(rest.length > 0 ? [...blocks, rootOf(rest)] : blocks)) === root
  }

  /** The verified leaf hashes of a block. Empty if they are not those of its block hash. */
  async #leavesFrom(first: number): Promise<readonly Uint8Array[]> {
    const known = this.#known.get(first)
    if (known) return known
    this.#blocks ??= await this.#files.hashes('log/blocks.bin', { to: Math.floor(this.#size / BLOCK_SIZE) })
    const leaves = await this.#files.hashes('log/hashes.bin', { from: first, to: Math.min(first + BLOCK_SIZE, this.#size) })
    const isVerified = await this.#isBlock(first, leaves)
    this.#known.set(first, isVerified ? leaves : [])
    return isVerified ? leaves : []
  }

  async #isBlock(first: number, leaves: readonly Uint8Array[]): Promise<boolean> {
    const block = this.#blocks![first / BLOCK_SIZE]
    if (block) return this.#areBlocksVerified() && equalBytes(rootOf(leaves), block)
    // The last block is incomplete; with it, the block hashes have the root.
    return this.#tree !== null && equalBytes(rootOf([...this.#blocks!, rootOf(leaves)]), this.#tree.root())
  }

  /** Block hashes that were read after the log had grown from its last visit are verified by the tree's complete subtrees. */
  #areBlocksVerified(): boolean {
    if (!this.#tree) return true
    const blocks = new GrowingTree()
    for (const block of this.#blocks!) blocks.append(block)
    const { roots } = this.#tree.state
    return blocks.state.roots.every((root, index) => equalBytes(root, roots[index]!))
  }

  /** Whether the log has this text as its entry of this index. */
  async has(index: number, text: string): Promise<boolean> {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#size) return false
    const hash = leafHash(utf8(text))
    for (const [first, leaves] of this.#known) {
      const known = index >= first ? leaves[index - first] : undefined
      if (known) return equalBytes(known, hash)
    }
    const first = index - (index % BLOCK_SIZE)
    const leaf = (await this.#leavesFrom(first))[index - first]
    return leaf !== undefined && equalBytes(leaf, hash)
  }

  /** What the device remembers of this log. */
  remember({ genesis, root, logKey }: { genesis: string; root: Uint8Array; logKey: Uint8Array }): SeenLog {
    const state = this.#tree?.state ?? this.#stateOfBlocks()
    return { genesis, size: this.#size, root: toBase64(root), roots: state.roots.map(toBase64), logKey: toBase64(logKey) }
  }

  /** The roots of complete subtrees: those of complete blocks, then those of the incomplete one. */
  #stateOfBlocks(): { roots: readonly Uint8Array[] } {
    const [blocks, tail] = [new GrowingTree(), new GrowingTree()]
    for (const block of this.#blocks!) blocks.append(block)
    for (const leaf of this.#known.get(this.#size - (this.#size % BLOCK_SIZE)) ?? []) tail.append(leaf)
    return { roots: [...blocks.state.roots, ...tail.state.roots] }
  }
}
