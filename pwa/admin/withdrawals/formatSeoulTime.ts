/** 2026. 11. 22. 오후 9:00:00, in Seoul time. */
export const formatSeoulTime = (date: Date): string => date.toLocaleString('ko-KR', { timeZone: 'Asia/Seoul' })
