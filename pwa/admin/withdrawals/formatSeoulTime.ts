/** 2026. 11. 22. 오후 9:00:00, the time in Seoul. */
export const formatSeoulTime = (date: Date): string => date.toLocaleString('ko-KR', { timeZone: 'Asia/Seoul' })
