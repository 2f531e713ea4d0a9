import { useQuery } from '@tanstack/react-query'
import { getNodePage, NODES_PER_PAGE, type nodeKinds } from '#shared/contract/nodes.ts'
import { SECOND } from '#shared/dates.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'

const kinds = { paid: msg('Paid'), bonus: msg('Bonus') } satisfies Record<(typeof nodeKinds)[number], unknown>

/** Public data: no account, and only the day of the sale. */
export function NodeFacts({ number, isSold, isMine }: { number: number; isSold: boolean; isMine: boolean }) {
  const page = Math.floor((number - 1) / NODES_PER_PAGE)
  const { data, isPending } = useQuery({
    queryKey: [getNodePage.path, page],
    queryFn: ({ signal }) => api(getNodePage, { params: { page } }, { signal }),
    enabled: isSold,
    // The server's own cache time.
    staleTime: 10 * SECOND,
  })
  const run = data?.find(({ first, count }) => number >= first && number < first + count)
  const facts = [t('Node {number}', { number })]
  if (isMine) facts.push(t('Yours'))
  if (run) facts.push(translate(kinds[run.kind]), `${formatDate(new Date(run.day))} UTC`)
  else if (!isSold) facts.push(t('Available'))
  // Sold, but not allocated yet.
  else if (data && !isMine) facts.push(t('Reserved for a buyer'))
  else if (!isPending) facts.push(t("Couldn't load the date"))
  return facts.join(' · ')
}
