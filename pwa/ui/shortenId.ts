/** Eight characters of an id. One that begins with the time shares these with all ids of about a minute: its end tells it apart. */
export const shortenId = (id: string, { isTimed = false } = {}): string => (isTimed ? `…${id.slice(-8)}` : id.slice(0, 8))
