import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { World } from './startWorld.ts'

/** Runs `npm run admin` on the world's database. */
export async function runOperator(
  { folder }: Pick<World, 'folder'>,
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const command = spawn(process.execPath, [path.resolve(import.meta.dirname, '../../operations/commands/operator.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], ...outputs] = await Promise.all([once(command, 'close'), text(command.stdout), text(command.stderr)])
  return { code: code as number, output: outputs.join('') }
}
