/** 2026. 11. 22. 오후 9:00:00, in the zone: the specification's form of this one table. */
export const formatKoreanTime = (date: Date, timeZone: string): string => date.toLocaleString('ko-KR', { timeZone })
