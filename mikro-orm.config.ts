import { ormOptions } from '#api/entities/ormOptions.ts'

const { DATABASE_OWNER_URL, DATABASE_DIRECT_URL, DATABASE_URL } = process.env

// The command line's own entry: `npm run db:new`, `npm run db:check`. The tool demands a default export.
export default ormOptions({ url: DATABASE_OWNER_URL ?? DATABASE_DIRECT_URL ?? DATABASE_URL ?? 'postgres://localhost/postgres' })
