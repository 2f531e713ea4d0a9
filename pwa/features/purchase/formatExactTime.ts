/** 07:31:08 UTC */
export const formatExactTime = (date: Date): string => `${date.toISOString().slice(11, 19)} UTC`
