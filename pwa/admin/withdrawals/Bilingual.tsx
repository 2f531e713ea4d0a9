/** A label in Korean, with its English beside it. */
export const Bilingual = ({ ko, en }: { ko: string; en: string }) => (
  <>
    <span lang="ko">{ko}</span> <span className="font-normal text-ink-9">{en}</span>
  </>
)
