import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { built } from '#api/platform/http/servePwa.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import { sha256 } from '#shared/register/tree.ts'

/** The hashes of release/v1. */
export interface Release {
  verify: Uint8Array
  page: Uint8Array
  format: Uint8Array
}

/** Files that are served in place of others, to browsers that accept them compressed. */
const isPacked = (file: string): boolean => /\.(br|gz)$/.test(file)

/** The file `build.txt`: each file of the page's build with its hash. Undefined if the page is not built. */
export async function listBuild(dist = built): Promise<Buffer | undefined> {
  if (!existsSync(path.join(dist, 'index.html'))) return undefined
  const files: string[] = []
  for await (const entry of glob('**/*', { cwd: dist, withFileTypes: true }))
    if (entry.isFile() && !isPacked(entry.name)) files.push(`/${path.relative(dist, path.join(entry.parentPath, entry.name))}`)
  const lines: string[] = []
  // Sorted by UTF-16 units, which is the order of bytes: the names are ASCII.
  for (const file of files.toSorted()) lines.push(`${toBase64(sha256(await readFile(path.join(dist, file))))} ${file}\n`)
  return Buffer.from(lines.join(''))
}

/** What this release serves. Undefined if the page is not built. */
export async function readRelease(dist = built): Promise<Release | undefined> {
  const page = await listBuild(dist)
  if (!page) return undefined
  const beside = (name: string) => readFile(path.join(import.meta.dirname, name))
  return { verify: sha256(await beside('verify.mjs')), page: sha256(page), format: sha256(await beside('format.md')) }
}
