import { type RowSort, rowSorts } from '#shared/contract/admin/filters.ts'
import { type Message, msg, translate } from '#pwa/i18n/t.ts'

const words: Record<RowSort, Message> = {
  newest: msg('Newest first'),
  oldest: msg('Oldest first'),
  largest: msg('Largest amount first'),
  smallest: msg('Smallest amount first'),
}

export const rowSortOptions = () => rowSorts.map((value) => ({ value, label: translate(words[value]) }))
