import { t } from '#pwa/i18n/t.ts'

interface FieldState {
  total: number
  sold: number
  mine: readonly number[]
  bonus: readonly number[]
  about: number
}

/** Text alternative of the whole field. */
export function describeField({ total, sold, mine, bonus, about }: FieldState): string {
  const facts = [t('{count} nodes', { count: total })]
  if (sold > 0 || mine.length === 0)
    facts.push(t('{count} sold', { count: sold }), t('{count} available', { count: Math.max(0, total - sold) }))
  if (mine.length > 0) facts.push(t('{count} yours', { count: mine.length }))
  if (bonus.length > 0) facts.push(t('{count} of them a bonus', { count: bonus.length }))
  if (about > 0) facts.push(t('{count} about to be yours', { count: about }))
  return t('Field of {facts}.', { facts: facts.join(', ') })
}

/** Text alternative of a window. */
export function describeWindow({
  first,
  count,
  sold,
  mine,
  bonus,
}: { first: number; count: number } & Pick<FieldState, 'sold' | 'mine' | 'bonus'>) {
  const last = first + count - 1
  const within = (numbers: readonly number[]) => numbers.filter((number) => number >= first && number <= last).length
  const soldHere = Math.min(Math.max(0, sold - first + 1), count)
  const [mineHere, bonusHere] = [within(mine), within(bonus)]
  const facts = [t('{count} sold', { count: soldHere }), t('{count} available', { count: count - soldHere })]
  if (mineHere > 0) facts.push(t('{count} yours', { count: mineHere }))
  if (bonusHere > 0) facts.push(t('{count} of them a bonus', { count: bonusHere }))
  return t('Nodes {first} to {last}: {facts}.', { first, last, facts: facts.join(', ') })
}
