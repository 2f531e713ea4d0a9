import { useEffect } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { lastDueDay } from '#shared/rewardTime.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { recallNews } from '#pwa/register/deviceMemory.ts'
import { type CheckedNodes, useRegisterNews } from '#pwa/register/news.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'

/** What this device verified of the account's nodes, with a link to the proof. */
export function RegisterLine({ userId }: { userId: string }) {
  const checked = useRegisterNews((news) => news.checked)
  const today = lastDueDay(useProductTime())
  useEffect(() => recallNews(userId), [userId])
  return (
    <Link to="/proof" className="inline-flex min-h-11 flex-wrap items-center gap-x-2 text-14 underline-offset-4 hover:underline">
      {checked ? (
        <StatusWord tone="done">
          {checked.day === today
            ? t('Verified today: {what}', { what: describe(checked) })
            : t('Verified on {date}: {what}', { date: formatDate(new Date(checked.day)), what: describe(checked) })}
        </StatusWord>
      ) : (
        <span className="text-accent underline">{t('Check your nodes in the public register')}</span>
      )}
    </Link>
  )
}

const describe = ({ nodes, reward }: CheckedNodes): string =>
  plural(nodes, '{count} node, {amount} XCR', '{count} nodes, {amount} XCR', {
    amount: formatAmount(BigInt(reward), { maxDecimals: 4, grouped: true }),
  })
