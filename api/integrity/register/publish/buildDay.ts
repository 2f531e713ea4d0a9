import { concatBytes } from '@noble/hashes/utils.js'
import { rewardInstant } from '#shared/rewardTime.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { freeLeaf, type NodeState } from '#shared/register/nodeLeaf.ts'
import { daySecret, type Identity, nodeCommitment } from '#shared/register/secrets.ts'
import type { OwnedNode } from './OwnedNodes.ts'
import type { GroupKind } from './grantFacts.ts'

interface Options {
  day: string
  supply: number
  rate: bigint
  nodes: readonly OwnedNode[]
  /** The numbers that the day's run skipped. */
  skipped: ReadonlySet<number>
  kinds: ReadonlyMap<string, GroupKind>
  identities: ReadonlyMap<string, Identity>
  /** What all numbers have earned, by number. Continued with this day's rewards and credits. */
  earned: Map<number, bigint>
  credits: ReadonlyMap<number, bigint>
}

export interface BuiltDay {
  tree: DayTree
  leaves: Uint8Array
  corrected: bigint
}

/** The tree of a day's nodes: one leaf for each number (format.md, "Node leaf and day"). */
export function buildDay({ day, supply, rate, nodes, skipped, kinds, identities, earned, credits }: Options): BuiltDay {
  const nine = rewardInstant(day).getTime()
  const secrets = new Map<string, Uint8Array>()
  const tree = new DayTree()
  const leaves: Uint8Array[] = []
  let corrected = 0n
  let place = 0
  for (let number = 1; number <= supply; number++) {
    while (nodes[place] && nodes[place]!.number < number) place++
    const node = nodes[place]
    if (node?.number !== number || node.allocated > nine) {
      leaves.push(tree.append(freeLeaf))
      continue
    }
    const identity = identities.get(node.userId)
    const kind = kinds.get(node.purchaseId)
    if (!identity || !kind) throw new Error(`The node ${number} has no ${identity ? 'group' : 'owner with a proof key'}.`)
    const secret = secrets.get(node.userId) ?? daySecret(identity.proofKey, day)
    secrets.set(node.userId, secret)
    const state = stateOf(node, nine, skipped)
    const credit = credits.get(number) ?? 0n
    corrected += credit
    const sum = (earned.get(number) ?? 0n) + (state === 'active' ? rate : 0n) + credit
    earned.set(number, sum)
    const commitment = nodeCommitment({ secret, day, number, emailHash: identity.emailHash })
    leaves.push(tree.append({ state, kind, commitment, earned: sum }))
  }
  return { tree, leaves: concatBytes(...leaves), corrected }
}

function stateOf({ number, active, isFrozen }: OwnedNode, nine: number, skipped: ReadonlySet<number>): NodeState {
  if (skipped.has(number)) return 'frozen'
  if (active <= nine) return 'active'
  return isFrozen ? 'frozen' : 'waiting'
}
