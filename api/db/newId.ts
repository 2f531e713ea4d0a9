import { v7 } from 'uuid'

/** A UUIDv7: ids sort by the time they were made, which keeps indexes dense. Made in code, so that any PostgreSQL will do. */
export const newId = (): string => v7()
