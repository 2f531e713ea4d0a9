/** An entry in its file: an empty line ends it. */
export const inLogFile = (entry: string): string => `${entry}\n`
