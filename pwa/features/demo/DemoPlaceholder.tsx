/** Says what the installation is until the bar's chunk is there. */
export const DemoPlaceholder = () => (
  <aside aria-label="Demo" className="page flex h-14 items-center text-14 font-strong">
    Demo
  </aside>
)
