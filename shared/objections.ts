import { z } from 'zod'

/**
 * What speaks against a decision on a payment, as an administrator names it who sets it aside. Its facts are amounts, addresses and accounts
 * in one spelling each: the same code with other facts is another objection.
 */
export const objection = z.object({ code: z.string().max(40), facts: z.record(z.string().max(40), z.string().max(320)) })
export type Objection = z.output<typeof objection>

/** The objections that an administrator was shown and sets aside. Any other one that holds refuses the decision. */
export const overridden = z.array(objection).max(50)

export function isSameObjection(one: Objection, other: Objection): boolean {
  const facts = Object.entries(one.facts)
  const isSame = facts.every(([name, value]) => other.facts[name] === value)
  return isSame && one.code === other.code && Object.keys(other.facts).length === facts.length
}
