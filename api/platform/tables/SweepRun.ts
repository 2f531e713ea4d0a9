import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

/** The result of a sweep's last run, for the back office's health tab. Times are real time. */
export const SweepRunSchema = defineEntity({
  name: 'SweepRun',
  tableName: 'sweep_runs',
  properties: {
    name: p.string().length(60).primary(),
    finishedAt: instantColumn().nullable(),
    failedAt: instantColumn().nullable(),
    error: p.text().nullable(),
  },
})

export class SweepRun extends SweepRunSchema.class {}
SweepRunSchema.setClass(SweepRun)
