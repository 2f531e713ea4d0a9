import { defineEntity, p } from '@mikro-orm/postgresql'

export const leaderRoles = ['watcher', 'payouts', 'notifier'] as const
export type LeaderRole = (typeof leaderRoles)[number]

/** The epoch of the present leader of a role. Each write of a leader locks and compares it, so one that was paused cannot write. */
const LeadershipSchema = defineEntity({
  name: 'Leadership',
  tableName: 'leaderships',
  properties: {
    role: p.enum(leaderRoles).primary(),
    epoch: p.integer().default(0),
  },
})

export class Leadership extends LeadershipSchema.class {}
LeadershipSchema.setClass(Leadership)
