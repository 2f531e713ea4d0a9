import { z } from 'zod'

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.codec(z.string().regex(/^\d{1,10}$/, 'Not a whole number.'), z.int().min(min).max(max), { decode: Number, encode: String })

/** Which part of a list: the printed calls name both. */
export const pageQuery = (limit: number) =>
  z.object({
    limit: wholeNumber({ min: 1, max: 100 }).default(limit),
    offset: wholeNumber({ min: 0, max: 1_000_000_000 }).default(0),
  })

/** As `pageQuery`, where pages are counted from 1. */
export const pageNumber = wholeNumber({ min: 1, max: 100_000_000 }).default(1)

/** The fields beside every paged list. */
export const pagingFields = {
  totalCount: z.int(),
  currentPage: z.int(),
  totalPages: z.int(),
  hasNextPage: z.boolean(),
  hasPrevPage: z.boolean(),
}

/** A search text: trimmed; a case-insensitive substring of what is searched. */
export const searchText = z.string().trim().max(254)

/** Beside the paging fields of a search: more accounts match than are looked at, so the fields tell of the newest of them only. */
export const searchFields = { isCut: z.boolean().optional() }
