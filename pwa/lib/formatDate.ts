const dateTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
/** 20 Nov 2026, 07:31 UTC */
export const formatDateTime = (date: Date): string => `${dateTime.format(date)} UTC`

const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: '2-digit', month: 'short', year: 'numeric' })
/** 20 Nov 2026, the day in UTC. */
export const formatDate = (date: Date): string => day.format(date)
