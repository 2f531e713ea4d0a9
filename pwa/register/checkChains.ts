import { hexToBytes } from '@noble/hashes/utils.js'
import { hashMessage, type Hex, recoverMessageAddress } from 'viem'
import { payingWalletMessage } from '#shared/register/walletMessage.ts'
import type { Chains } from './Chains.ts'
import type { LogState } from './LogState.ts'
import { type At, transferId } from './logTypes.ts'
import type { ChainTransfer, Rpc } from './Rpc.ts'

/** Where the last books stand on one chain. */
interface Place {
  log: LogState
  rpc: Rpc
  token: string
  last: number
}

/** Both chains against the log, at the last books: E6 and E7. Each node of a chain is asked; each has to agree. */
export async function checkChains(log: LogState, chains: Chains): Promise<void> {
  const { report, lastBooks: books, genesis } = log
  if (!books) {
    for (const tick of ['E6', 'E7'] as const) report.set(tick, 'nothing', 'there are no books yet')
    return
  }
  const parts = [
    { tick: 'E6', chain: genesis.payment, block: books.paymentBlock, check: checkDeposits },
    { tick: 'E6', chain: genesis.reward, block: books.rewardBlock, check: checkPayouts },
    { tick: 'E7', chain: genesis.reward, block: books.rewardBlock, check: checkReserve },
  ] as const
  for (const { tick, chain, block, check } of parts) {
    if (!block) {
      report.set(tick, 'nothing', `the books name no block of chain ${chain.chainId} yet`)
      continue
    }
    await report.part(tick, async () => {
      for (const rpc of chains.of(chain.chainId)) {
        const found = await rpc.block(block.number)
        const isCanonical = found?.hash === block.hash && found.time.getTime() === block.time.getTime()
        const why = `block ${block.number} of chain ${chain.chainId} is not the one that the books name`
        if (report.check(tick, isCanonical, why)) await check({ log, rpc, token: chain.address, last: block.number })
      }
    })
  }
  const through = chains.isSellers(genesis.reward.chainId) ? ' (the reward chain through the node that this site names)' : ''
  const [paid, sent] = [books.paymentBlock?.number, books.rewardBlock?.number]
  report.ok('E6', `deposits up to block ${paid} and payouts up to block ${sent} are those of the chains${through}`)
  report.ok('E7', `the reserve is the balance of ${log.addresses.wallet.size} wallets that signed for this log${through}`)
}

/** Runs a function on each item, a few at a time. */
async function eachOf<Item>(items: Iterable<Item>, run: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items]
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: 6 }, work))
}

const firstBlock = (addresses: ReadonlyMap<string, At<'address'>>): number =>
  Math.min(...[...addresses.values()].map(({ block }) => block))

async function checkDeposits({ log, rpc, token, last }: Place): Promise<void> {
  const { report } = log
  const addresses = log.addresses.deposit
  const recipients = [...addresses.keys()]
  const found = recipients.length === 0 ? [] : await rpc.transfers(token, { from: firstBlock(addresses), to: last, recipients })
  const onChain = new Map<string, ChainTransfer>()
  for (const one of found)
    if (one.amount > 0n && one.block >= (addresses.get(one.to)?.block ?? Infinity))
      onChain.set(`${one.transaction} ${one.block} ${one.logIndex}`, one)
  const published = [...log.deposits.values()].filter(({ block }) => block && block.number <= last)
  const times = new Map<number, number | undefined>()
  await eachOf(new Set(published.map(({ block }) => block!.number)), async (number) => {
    times.set(number, (await rpc.block(number))?.time.getTime())
  })
  const senders = new Map<string, string>()
  for (const deposit of published) {
    const { block, transfer, amount, mined, index } = deposit
    const id = `${transfer.transaction} ${block!.number} ${block!.logIndex}`
    const one = onChain.get(id)
    onChain.delete(id)
    const isSame = one?.amount === amount && times.get(block!.number) === mined?.getTime()
    report.check('E6', isSame, `entry ${index}: deposit ${transferId(transfer)} is not on the chain as published`)
    if (one) senders.set(transferId(transfer), one.from)
  }
  for (const one of onChain.values())
    report.fail('E6', `transfer ${one.transaction} of ${one.amount} to ${one.to} has no entry`, describe(one))
  await eachOf(log.deposits.values(), async ({ refund, returned, transfer, index }) => {
    if (!refund) return
    const one = (await rpc.transfersIn(token, refund.transaction))?.[refund.ordinal]
    const sender = senders.get(transferId(transfer))
    const isReturned = one?.amount === returned && (sender === undefined || one?.to === sender)
    report.check('E6', isReturned, `entry ${index}: refund ${transferId(refund)} does not return ${returned} to the sender`)
  })
}

const describe = (transfer: ChainTransfer): string => JSON.stringify({ ...transfer, amount: String(transfer.amount) })

async function checkPayouts({ log, rpc, token, last }: Place): Promise<void> {
  const { report } = log
  const wallets = log.addresses.wallet
  const senders = [...wallets.keys()]
  const found = senders.length === 0 ? [] : await rpc.transfers(token, { from: firstBlock(wallets), to: last, senders })
  const keyOf = (transaction: string, wallet: string, net: bigint) => `${transaction} ${wallet} ${net}`
  const published = new Map<string, At<'payout'>[]>()
  const rest: At<'payout'>[] = []
  for (const payout of log.payouts.values()) {
    const { transfer, wallet, net, index } = payout
    if (!transfer) continue
    if (wallet) {
      report.check('E6', wallets.has(wallet), `entry ${index}: ${wallet} is no wallet of the register`)
      const id = keyOf(transfer.transaction, wallet, net)
      published.set(id, [...(published.get(id) ?? []), payout])
    } else rest.push(payout)
  }
  for (const one of found) {
    if (one.amount === 0n || one.block < (wallets.get(one.from)?.block ?? Infinity)) continue
    const payout = published.get(keyOf(one.transaction, one.from, one.amount))?.pop()
    report.check('E6', payout, `transfer ${one.transaction} of ${one.amount} out of ${one.from} has no entry`, describe(one))
  }
  // What is left is above the block, or before the wallet counts.
  rest.push(...[...published.values()].flat())
  await eachOf(rest, async ({ transfer, wallet, net, index }) => {
    const { transaction, ordinal } = transfer!
    const one = (await rpc.transfersIn(token, transaction))?.[ordinal]
    const isOutside = one !== undefined && (one.block > last || one.block < (wallets.get(wallet ?? '')?.block ?? 0))
    const isPaid = one?.amount === net && (!wallet || (one.from === wallet && isOutside))
    report.check('E6', isPaid, `entry ${index}: payout ${transaction} is not on the chain as published`)
  })
}

async function checkReserve({ log, rpc, token, last }: Place): Promise<void> {
  const { report, genesis, genesisHash } = log
  for (const { address, amount } of log.lastBooks?.reserve ?? []) {
    const held = await rpc.balanceAt(token, address, last)
    report.check('E7', held === amount, `${address} had ${held}, not ${amount}`)
    const entry = log.addresses.wallet.get(address)
    if (!entry) continue
    const wallet = { origin: genesis.origin, genesisHash: genesisHash!, chain: entry.chain, wallet: address }
    const message = payingWalletMessage(wallet)
    const isProven =
      (await isSignedByWallet(address, message, entry.proof!)) || (await acceptsMessage(rpc, address, message, entry.proof!))
    report.check('E7', isProven, `entry ${entry.index}: the proof of ${address} does not verify`, entry.proof!)
  }
}

async function isSignedByWallet(wallet: Hex, message: string, signature: Hex): Promise<boolean> {
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase() === wallet
  } catch {
    // Bytes that are no signature of a key: maybe those of a contract wallet.
    return false
  }
}

const acceptsMessage = (rpc: Rpc, wallet: Hex, message: string, signature: Hex): Promise<boolean> =>
  rpc.acceptsSignature(wallet, hexToBytes(hashMessage(message).slice(2)), signature)
