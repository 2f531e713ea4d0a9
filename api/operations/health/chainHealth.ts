import type { HealthCheck } from '#shared/contract/admin/office.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { Services } from '#api/platform/services.ts'
import { arePaymentsLate, OLDEST_BLOCK, readPaymentProgress } from '../status/paymentProgress.ts'
import { describeAge } from './describeAge.ts'
import { check, type HealthSource } from './HealthSource.ts'
import { type EndpointHead, highestOf, readHeads } from './readHeads.ts'

/** An endpoint this many blocks behind the best one serves outdated state. */
const ENDPOINT_LAG = 20n

/** Checks each endpoint of both chains and the progress of the watcher. */
export function chainHealth({ config, clock }: Pick<Services, 'clock' | 'config'>): HealthSource {
  const payment = paymentEndpoints(config)
  const reward = rewardEndpoints(config)

  const describeEndpoint = (
    label: string,
    { head }: EndpointHead,
    { best, read, maxAge }: { best: bigint | undefined; read?: bigint | undefined; maxAge?: number },
  ): HealthCheck => {
    if (typeof head === 'string')
      return check(label, {
        ok: false,
        value: head,
        advice:
          best === undefined
            ? 'No endpoint of this chain answers. Until one does, nothing is read from it or sent to it. Contact the provider or configure another endpoint.'
            : 'Contact its provider or configure another endpoint. The other endpoints are used in the meantime.',
      })
    const age = clock.now().getTime() - head.time.getTime()
    const behind = best === undefined ? 0n : best - head.number
    const ahead = read === undefined ? undefined : head.number > read ? head.number - read : 0n
    return check(label, {
      ok: behind <= ENDPOINT_LAG && (maxAge === undefined || age <= maxAge),
      value: describeHead({ number: head.number, age: describeAge(age), behind, ahead }),
      advice: 'It is behind. Contact its provider or configure another endpoint.',
    })
  }

  return async (em) => {
    const asked = Promise.all([readHeads(payment), readHeads(reward)])
    const progress = await readPaymentProgress(em)
    const [paymentHeads, rewardHeads] = await asked
    const { block } = progress
    const read = block?.number
    const head = highestOf(paymentHeads) ?? progress.head ?? 0n
    const now = clock.now()
    return [
      check('Deposit watcher', {
        ok: !arePaymentsLate({ block, head }, now),
        value:
          block === undefined
            ? 'nothing read yet'
            : `read up to block ${block.number} of ${head > block.number ? head : block.number}, which is ${describeAge(now.getTime() - block.time.getTime())} old`,
        advice:
          'Check that a watcher is running and that its endpoints answer. Until then, no payment is found and nothing expires.',
      }),
      describeTrust(paymentHeads),
      ...paymentHeads.map((each) =>
        describeEndpoint(`Payment chain, ${each.name}`, each, { best: highestOf(paymentHeads), read, maxAge: OLDEST_BLOCK }),
      ),
      ...rewardHeads.map((each) => describeEndpoint(`Reward chain, ${each.name}`, each, { best: highestOf(rewardHeads) })),
    ]
  }
}

/** The hosts on whose agreement payments are accepted (money.md 2). */
function describeTrust(heads: readonly EndpointHead[]): HealthCheck {
  const hosts = new Set(heads.map(({ host }) => host))
  const answering = new Set(heads.flatMap(({ host, head }) => (typeof head === 'string' ? [] : [host])))
  const [only] = hosts
  return check('Payment verification', {
    ok: hosts.size < 2 || answering.size > 1,
    value:
      hosts.size < 2
        ? `payments are accepted from a single endpoint (${only})`
        : `payments are accepted when two of ${hosts.size} hosts agree; ${answering.size} answer`,
    advice: 'Payments wait until two hosts answer, and none can be confirmed manually. Check the payment chain endpoints.',
  })
}

interface Head {
  number: bigint
  age: string
  behind: bigint
  /** The watcher's progress, where a watcher exists. */
  ahead: bigint | undefined
}

/** Each case is a full sentence, because the page translates it by its pattern. */
function describeHead({ number, age, behind, ahead }: Head): string {
  if (ahead === undefined)
    return behind > 0n ? `block ${number}, ${age} old, ${behind} behind the best` : `block ${number}, ${age} old`
  return behind > 0n
    ? `block ${number}, ${age} old, ${behind} behind the best, ${ahead} ahead of the watcher`
    : `block ${number}, ${age} old, ${ahead} ahead of the watcher`
}
