import { z } from 'zod'

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.codec(z.string().regex(/^\d{1,10}$/, 'Not a whole number.'), z.int().min(min).max(max), { decode: Number, encode: String })

/** Page and page size, both named as in the specification's calls. */
export const pageQuery = (limit: number) =>
  z.object({
    limit: wholeNumber({ min: 1, max: 100 }).default(limit),
    offset: wholeNumber({ min: 0, max: 1_000_000_000 }).default(0),
  })

/** As `pageQuery`, for lists whose pages may also be named by their number, counted from 1: `page` then replaces `offset`. */
export const numberedPageQuery = (limit: number) =>
  pageQuery(limit).extend({ page: wholeNumber({ min: 1, max: 10_000_000 }).optional() })

/** The paging fields of every list. */
export const pagingFields = {
  totalCount: z.int(),
  currentPage: z.int(),
  totalPages: z.int(),
  hasNextPage: z.boolean(),
  hasPrevPage: z.boolean(),
}

/** A trimmed search text; matches as a case-insensitive substring. */
export const searchText = z.string().trim().max(254)

/** True if more accounts or rows match than a search or filter covers; the results are then the newest. */
export const searchFields = { isCut: z.boolean().optional() }
