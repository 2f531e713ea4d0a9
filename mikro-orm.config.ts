import { ormOptions } from '#api/db/ormOptions.ts'

// The command line's own entry: `npm run db:new`, `npm run db:up`. The tool demands a default export.
export default ormOptions({ url: process.env.DATABASE_DIRECT_URL ?? process.env.DATABASE_URL ?? 'postgres://localhost/postgres' })
