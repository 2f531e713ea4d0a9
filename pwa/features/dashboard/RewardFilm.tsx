import clsx from 'clsx'
import { Pause, Play } from '#pwa/ui/icons.ts'
import { useEffect, useRef, useState } from 'react'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { useThemeName } from '#pwa/ui/useThemeName.ts'
import darkMp4 from './film/reward-dark.mp4'
import darkWebm from './film/reward-dark.webm'
import darkPoster from './film/reward-dark.webp'
import lightMp4 from './film/reward-light.mp4'
import lightWebm from './film/reward-light.webm'
import lightPoster from './film/reward-light.webp'

const films = {
  light: { webm: lightWebm, mp4: lightMp4, poster: lightPoster },
  dark: { webm: darkWebm, mp4: darkMp4, poster: darkPoster },
}

const scenes = [
  { title: msg('You pay'), text: msg('The 24 hours start when your payment is first seen.') },
  { title: msg('24 hours pass'), text: msg('No reward is paid at 09:00 UTC before they end.') },
  { title: msg('Then every day'), text: msg('Your first reward comes at the next 09:00 UTC.') },
]

/** A looping film that explains when a node earns its first reward. The captions below it say the same in words. */
export function RewardFilm() {
  const theme = useThemeName() === 'dark' ? 'dark' : 'light'
  return (
    <figure className="mt-10 overflow-hidden rounded-card border border-ink-5 bg-surface">
      {/* A video element does not react to changed sources. */}
      <Film key={theme} {...films[theme]} />
      <figcaption className="border-t border-ink-5 p-4 desk:p-6">
        <ol className="grid gap-4 text-14 desk:grid-cols-3 desk:gap-6">
          {scenes.map(({ title, text }, at) => (
            <li key={title} className="flex gap-3">
              <span aria-hidden className="figures text-ink-9">
                {at + 1}
              </span>
              <span>
                <b className="block font-strong text-ink-12">{translate(title)}</b>
                <span className="text-ink-10">{translate(text)}</span>
              </span>
            </li>
          ))}
        </ol>
      </figcaption>
    </figure>
  )
}

/** Loads when it comes near the viewport and plays only while visible, unless the user prefers reduced motion or data. */
function Film({ webm, mp4, poster }: (typeof films)['light']) {
  const frame = useRef<HTMLDivElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const [isNear, setNear] = useState(false)
  const [isInSight, setInSight] = useState(false)
  const [isWanted, setWanted] = useState(false)

  useEffect(() => {
    if (typeof IntersectionObserver === 'undefined') return
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: '300px' })
    const inSight = new IntersectionObserver(([entry]) => setInSight(entry?.isIntersecting ?? false))
    near.observe(frame.current!)
    inSight.observe(frame.current!)
    return () => {
      near.disconnect()
      inSight.disconnect()
    }
  }, [])

  useEffect(() => {
    const preference = window.matchMedia('(prefers-reduced-motion: reduce), (prefers-reduced-data: reduce)')
    const follow = () => setWanted(!preference.matches && !savesData())
    follow()
    preference.addEventListener('change', follow)
    return () => preference.removeEventListener('change', follow)
  }, [])

  const isPlaying = isNear && isInSight && isWanted
  useEffect(() => {
    const element = video.current
    if (!element) return
    if (!isPlaying) return element.pause()
    element.play().catch((error: unknown) => {
      // In battery saver mode autoplay is refused, but the play button still works. Other errors are interruptions of play().
      if (error instanceof DOMException && error.name === 'NotAllowedError') setWanted(false)
    })
  }, [isPlaying])

  return (
    <div ref={frame} className="relative aspect-[8/5] desk:aspect-[8/3]">
      {isNear ? (
        <>
          <video
            ref={video}
            aria-hidden
            tabIndex={-1}
            muted
            loop
            playsInline
            disablePictureInPicture
            preload="none"
            poster={poster}
            className="size-full object-cover"
          >
            <source src={webm} type="video/webm" />
            <source src={mp4} type="video/mp4" />
          </video>
          <button
            type="button"
            aria-label={t(isWanted ? 'Pause the video' : 'Play the video')}
            onClick={() => setWanted(!isWanted)}
            className="absolute right-2 bottom-2 grid size-11 place-items-center rounded-full border border-ink-5 bg-surface text-ink-10 transition-colors hover:text-ink-12"
          >
            {isWanted ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
          </button>
        </>
      ) : (
        <Posters />
      )}
    </div>
  )
}

/** Before hydration CSS and the browser choose the theme and lazy loading. */
const Posters = () =>
  [
    { poster: lightPoster, className: 'dark:hidden' },
    { poster: darkPoster, className: 'not-dark:hidden' },
  ].map(({ poster, className }) => (
    <img key={poster} src={poster} alt="" loading="lazy" className={clsx('absolute inset-0 size-full object-cover', className)} />
  ))

/** The browser's data saver; not every browser supports the media query. */
const savesData = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
