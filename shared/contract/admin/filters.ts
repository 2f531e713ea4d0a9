import { z } from 'zod'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'

/** Narrows a list to rows of a time and of a size. */
export const rangeFields = {
  from: instant.optional(),
  /** Exclusive, so that a range of days ends where the day after it begins. */
  until: instant.optional(),
  min: amount.optional(),
  max: amount.optional(),
}

export interface Range {
  from?: Date | undefined
  until?: Date | undefined
  min?: bigint | undefined
  max?: bigint | undefined
}

/** Orders of a list; the first is that of a list without one. */
export const rowSorts = ['newest', 'oldest', 'largest', 'smallest'] as const
export type RowSort = (typeof rowSorts)[number]
export const sortField = { sort: z.enum(rowSorts).optional() }

export const exportFormats = ['xlsx', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]
/** The file of an export: a spreadsheet unless it says otherwise. */
export const formatField = { format: z.enum(exportFormats).default('xlsx') }
