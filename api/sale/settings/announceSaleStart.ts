import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { type SettingKey, settingDefaults } from '#shared/settings.ts'
import { announce } from '#api/accounts/inbox/announce.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { readNodeStats } from '../supply/readNodeStats.ts'
import { readSettings, saleStateOf } from './readSettings.ts'

/** A start that passed longer ago, while no worker ran, is not announced. */
const MAX_DELAY = DAY

/**
 * Announces that sales are open once the start date passes, if sales were enabled then and nodes can be bought now. A date that had
 * passed when it was set opens nothing.
 */
export const announceSaleStart: Sweep<'clock' | 'orm'> = {
  name: 'announce-sale-start',
  everySeconds: 15,
  async run({ orm, clock }) {
    const em = orm.em.fork()
    const ahead = clock.productNow().getTime() - clock.now().getTime()
    await announceDueStart(em, new Date((await clock.dueNow(em)).getTime() + ahead))
  },
}

async function announceDueStart(em: EntityManager, productNow: Date): Promise<void> {
  const chosen = await lastChange(em, 'sales_start_date').executeTakeFirst()
  if (!chosen?.value) return
  const start = new Date(chosen.value)
  const delay = productNow.getTime() - start.getTime()
  if (delay < 0 || delay > MAX_DELAY || chosen.productEffectiveAt >= start) return

  const enabled = await lastChange(em, 'sales_enabled').where('productEffectiveAt', '<=', start).executeTakeFirst()
  if ((enabled?.value ?? settingDefaults.sales_enabled) !== 'true') return
  if (saleStateOf(await readSettings(em), productNow) !== 'open') return
  if ((await readNodeStats(em)).remaining === 0) return
  await announce(em, {
    cause: `sale_opened:${start.toISOString()}`,
    link: '/purchase',
    subject: 'Node sales are open',
    paragraphs: ['You can buy nodes from now on, while supplies last.'],
  })
}

const lastChange = (em: EntityManager, key: SettingKey) =>
  query(em)
    .selectFrom('setting_changes')
    .select(['value', 'productEffectiveAt'])
    .where('key', '=', key)
    .orderBy('effectiveAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
