import { defineEntity, p } from '@mikro-orm/postgresql'
import { leaderRoles } from '../db/leaderRoles.ts'

/**
 * The epoch of a role's current leader. Each write of a leader locks and compares it, so a leader that was paused and replaced
 * cannot write.
 */
export const LeadershipSchema = defineEntity({
  name: 'Leadership',
  tableName: 'leaderships',
  properties: {
    role: p.enum(leaderRoles).primary(),
    epoch: p.integer().default(0),
  },
})

export class Leadership extends LeadershipSchema.class {}
LeadershipSchema.setClass(Leadership)
