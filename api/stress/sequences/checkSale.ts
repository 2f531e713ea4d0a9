import { expect } from 'vitest'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { keyOf, type SaleWorld } from './SaleWorld.ts'

/** What must hold after every event, told without the product's own rules. */
export async function checkSale(world: SaleWorld): Promise<void> {
  const [deposits, purchases] = [await world.deposits(), await world.purchases()]
  const purchaseOf = new Map(purchases.map((purchase) => [purchase.id, purchase]))
  const problems: unknown[] = []
  for (const purchase of purchases) {
    const { id, status, nodes, paid, amount, isOwed } = purchase
    if (status !== 'confirmed' && (nodes > 0 || paid > 0n)) problems.push(['not confirmed, but paid or with nodes', purchase])
    const isKept = deposits.some(({ keptFor }) => keptFor === id)
    const isFrozen = purchase.frozen > 0
    if (status === 'confirmed' && !world.decided.has(id) && !isOwed && !isKept && !isFrozen && paid !== amount)
      problems.push(['its payments are not its amount', purchase])
    if (status === 'confirmed' && isOwed && !world.decided.has(id)) problems.push(['owed, but nobody has decided that', purchase])
    const byItself = deposits.filter((deposit) => deposit.purchase === id && isAutomatic(world, deposit))
    if (
      world.beforeProof &&
      purchase.user === world.thief.user.id &&
      byItself.some((each) => !world.beforeProof!.has(keyOf(each)) && !world.named.has(each.hash))
    )
      problems.push(['the thief was paid by another', purchase])
  }
  for (const { user } of world.buyers) {
    const own = purchases.filter((purchase) => purchase.user === user.id)
    const countOf = (isBonus: boolean) =>
      own.filter(({ amount }) => (amount === 0n) === isBonus).reduce((sum, { nodes }) => sum + nodes, 0)
    const due = Math.floor(countOf(false) / 10)
    if (countOf(true) > due + (world.granted.get(user.id) ?? 0)) problems.push(['more bonus than is due', own])
  }
  for (const deposit of deposits) {
    const purchase = deposit.purchase === null ? undefined : purchaseOf.get(deposit.purchase)
    if (deposit.state === 'matched' && !purchase) problems.push(['matched with nothing', deposit])
    if (isAutomatic(world, deposit) && purchase!.wallet !== deposit.sender && !world.decided.has(purchase!.id))
      problems.push(['paid for another wallet', deposit])
    if (world.lostRefunds.has(keyOf(deposit)) && isAutomatic(world, deposit) && !world.named.has(deposit.hash))
      problems.push(['refunded before the restore, and pays', deposit])
    if (deposit.refundHash && !['refunded', 'orphaned', 'ignored'].includes(deposit.state))
      problems.push(['refunded, and counts again', deposit])
  }
  for (const proven of await world.provenWhileFrozen()) problems.push(['proven while the account is frozen', proven])
  expect(problems).toEqual([])
}

const isAutomatic = (world: SaleWorld, { id, state }: { id: string; state: string }): boolean =>
  state === 'matched' && !world.assigned.has(id)

/** Of two readings of small change that differ the larger one is kept, without a receipt. */
const isItsAmount = ({ state, amount }: { state: string; amount: bigint }, transfer: { amount: bigint }): boolean =>
  state === 'ignored' ? amount >= transfer.amount : amount === transfer.amount

/** What must hold once everything is final and read. */
export async function checkSettledSale(world: SaleWorld): Promise<void> {
  const [deposits, transfers, purchases] = [await world.deposits(), await world.transfers(), await world.purchases()]
  const toUs = transfers.filter(({ to }) => to === world.sale.depositAddress)
  const problems: unknown[] = []
  for (const transfer of toUs) {
    // By their order in the transaction.
    const place = toUs.filter((each) => each.hash === transfer.hash).indexOf(transfer)
    const deposit = deposits.filter(({ hash }) => hash === transfer.hash).toSorted((one, other) => one.ordinal - other.ordinal)[
      place
    ]
    if (!deposit) problems.push(['a payment without a deposit', transfer])
    else if (deposit.state === 'seen' || deposit.blockHash !== transfer.blockHash || !isItsAmount(deposit, transfer))
      problems.push(['a payment that is not settled', deposit, transfer])
    else if (deposit.state === 'orphaned') problems.push(['a payment on the chain that is called vanished', deposit])
    else if (deposit.keptFor) problems.push(['a payment on the chain that is still expected', deposit])
  }
  const hashes = new Set(toUs.map(({ hash }) => hash))
  for (const deposit of deposits) {
    if (hashes.has(deposit.hash)) continue
    const isWithout =
      deposit.state === 'orphaned' || deposit.before !== null || (deposit.state === 'seen' && deposit.blockHash === null)
    if (!isWithout) problems.push(['a deposit that is not on the chain', deposit])
  }
  for (const hash of new Set(deposits.flatMap(({ refundHash }) => refundHash ?? []))) {
    const refunded = deposits.filter(({ refundHash }) => refundHash === hash)
    const told = refunded.reduce((sum, each) => sum + each.refunded!, 0n)
    const sent = transfers.filter((each) => each.hash === hash && each.to === refunded[0]!.sender)
    const sum = sent.reduce((total, { amount }) => total + amount, 0n)
    // The refund itself may have vanished.
    if (sent.length > 0 && told > sum) problems.push(['one refund for several deposits', refunded])
  }
  for (const purchase of purchases) {
    const paying = deposits.filter(
      ({ purchase: id, state }) => id === purchase.id && (state === 'matched' || state === 'assigned'),
    )
    const hasVanished = deposits.some(
      (each) => each.purchase === purchase.id && (each.before === 'matched' || each.before === 'assigned'),
    )
    if (purchase.frozen > 0 && paying.length > 0 && !hasVanished) problems.push(['frozen, but paid', purchase])
    if (purchase.frozen > 0 && purchase.frozen !== purchase.nodes) problems.push(['frozen in part', purchase])
    if (purchase.frozen === 0 && hasVanished) problems.push(['not frozen, but its payment has vanished', purchase])
  }
  for (const wrong of await world.wrongRewards())
    if (!wrong.isFrozen || BigInt(wrong.earned) > BigInt(wrong.rate) * BigInt(wrong.nodes))
      problems.push(['rewards of a day that are not its nodes times its rate', wrong])
  expect(problems).toEqual([])
  const { clock } = world.sale.server
  const differences = await findDifferences(world.services.orm, { now: clock.now(), productNow: clock.productNow() })
  // Nobody sends mails here.
  expect(differences.filter((difference) => !difference.startsWith('the mail '))).toEqual([])
}
