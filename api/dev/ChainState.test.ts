import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { ChainState } from './ChainState.ts'

function makeState(): ChainState {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'chain-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return new ChainState(folder)
}

/** A state file in anvil's format, with transactions only in the given blocks. */
function makeDump(head: number, busyBlocks: readonly number[] = []): string {
  const blocks = Array.from({ length: head + 1 }, (_, number) => ({
    header: { number: `0x${number.toString(16)}` },
    transactions: busyBlocks.includes(number) ? [{}] : [],
  }))
  return JSON.stringify({ best_block_number: head, blocks })
}

const compressed = (dump: string) => `0x${gzipSync(dump).toString('hex')}`

test('a new chain has no state', async () => {
  expect(await makeState().load()).toBeUndefined()
})

test('of the snapshot and the file that anvil writes at its exit, the later state is loaded', async () => {
  const state = makeState()
  await state.save(compressed(makeDump(7)))
  writeFileSync(state.exitFile, makeDump(9))
  expect(await state.load()).toMatchObject({ head: 9, firstBlock: 0 })
  writeFileSync(state.exitFile, makeDump(8))
  expect(await state.load()).toMatchObject({ head: 9 })
})

test('a long chain loses its old empty blocks, and firstBlock is the first block after the last gap', async () => {
  const state = makeState()
  writeFileSync(state.exitFile, makeDump(60_000, [17]))
  const stored = await state.load()
  expect(stored).toMatchObject({ head: 60_000, firstBlock: 40_000 })
  const { blocks } = JSON.parse(readFileSync(stored?.file ?? '', 'utf8')) as { blocks: { header: { number: string } }[] }
  expect(blocks.slice(0, 3).map(({ header }) => Number(header.number))).toEqual([0, 17, 40_000])
})
