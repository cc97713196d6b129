/**
 * Light, dark, or what the system says; kept over reloads.
 * @module
 */
export type Theme = 'light' | 'dark' | 'system'

const key = 'threepass-theme'

export function currentTheme(): Theme {
  try {
    const kept = localStorage.getItem(key)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(key, theme)
  } catch {
    // Storage may be off; the theme then lasts as long as the page.
  }
}
