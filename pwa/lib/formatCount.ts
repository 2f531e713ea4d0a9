const grouped = new Intl.NumberFormat('en-US')

/** 20,000 */
export const formatCount = (count: number): string => grouped.format(count)
