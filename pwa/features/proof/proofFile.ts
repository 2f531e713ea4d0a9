import { bytesToHex } from '@noble/hashes/utils.js'
import { toBase64 } from '#shared/register/bytes.ts'
import { encodeLeaf } from '#shared/register/nodeLeaf.ts'
import { inclusionProver, leafHash } from '#shared/register/tree.ts'
import { numbers as numbersForm, rangesOf } from '#shared/register/values.ts'
import type { DeviceResult } from '#pwa/register/verifyOnDevice.ts'

/** The proof of an account's nodes on the newest day, for anyone to verify (format.md §10). It opens that day only. */
export function proofFile({ verified, days, receipts, stored }: DeviceResult, email: string): string {
  const { log, hashes, note, earned } = verified
  const bytes = Array.from({ length: log.leaves.size }, (_, index) => encodeLeaf(log.leaves.of(index + 1)))
  const [proveLeaf, proveEntry] = [inclusionProver(bytes.map(leafHash)), inclusionProver(hashes)]
  const mine = [...earned.keys()].toSorted((a, b) => a - b)
  const leaves = mine.map((number) => [
    number,
    { leaf: bytesToHex(bytes[number - 1]!), path: proveLeaf(number - 1).map(toBase64) },
  ])
  const [newest] = days
  const entries = (newest?.[1].entries ?? []).filter(({ index }) => index < hashes.length)
  const proof = {
    format: 'xcr-register/v1',
    genesis: log.genesisHash && toBase64(log.genesisHash),
    checkpoint: note,
    day: newest?.[0] ?? null,
    secret: newest?.[1].secret ?? null,
    email,
    numbers: mine.length > 0 ? numbersForm.write(rangesOf(mine)) : '-',
    leaves: Object.fromEntries(leaves),
    entries: entries.map(({ index, text, secret }) => ({
      index,
      text,
      path: proveEntry(index).map(toBase64),
      secret,
    })),
    receipts,
    ticks: stored.ticks.map(([tick, { outcome, detail }]) => ({ tick, outcome, detail })),
  }
  return JSON.stringify(proof, null, 2)
}
