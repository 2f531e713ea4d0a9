import { z } from 'zod'
import type { IpAccess } from '#shared/contract/admin/login.ts'
import { t } from '#pwa/i18n/t.ts'

/** Why an address cannot be added to the list, in the order of the validation rules; undefined if it can. */
export function findIpProblem(text: string, { allowedIPs, maxIPs }: Pick<IpAccess, 'allowedIPs' | 'maxIPs'>): string | undefined {
  if (!text) return t('Please enter an IP address.')
  if (!z.ipv4().safeParse(text).success) return t('Please enter a valid IPv4 address, such as 192.168.1.10.')
  if (allowedIPs.includes(text)) return t('This IP address is already on the list.')
  if (allowedIPs.length >= maxIPs) return t('At most {count} IP addresses are allowed. Remove one first.', { count: maxIPs })
  return undefined
}
