const THEMES = ["system", "light", "dark"] as const;
const RAILS = ["open", "closed"] as const;
const KEYS = ["on", "off"] as const;
const PANELS = ["open", "closed"] as const;

export type Theme = (typeof THEMES)[number];

/** Kept in one cookie, so that the server renders the page without a flash or a layout shift. */
export interface Preferences {
  theme: Theme;
  rail: (typeof RAILS)[number];
  /** Single-key shortcuts; WCAG 2.1.4 wants them to be switchable for people who speak their input. */
  keys: (typeof KEYS)[number];
  /** The settings beside a conversation. */
  panel: (typeof PANELS)[number];
  /** The columns of lists that are not as they are at first: `tools-quality`. */
  columns: readonly string[];
}

export const PREFERENCES_COOKIE = "toolroom_preferences";

export const DEFAULT_PREFERENCES: Preferences = {
  theme: "system",
  rail: "open",
  keys: "on",
  panel: "open",
  columns: [],
};

const MAX_COLUMNS = 40;

/** Parses `theme.rail.keys.panel.columns`; any other part gives its default. Without zod, to keep it out of the browser. */
export function parsePreferences(text: string | undefined): Preferences {
  const [theme, rail, keys, panel, columns = ""] = (text ?? "").split(".");
  return {
    theme: THEMES.find((known) => known === theme) ?? DEFAULT_PREFERENCES.theme,
    rail: RAILS.find((known) => known === rail) ?? DEFAULT_PREFERENCES.rail,
    keys: KEYS.find((known) => known === keys) ?? DEFAULT_PREFERENCES.keys,
    panel: PANELS.find((known) => known === panel) ?? DEFAULT_PREFERENCES.panel,
    columns: columns
      .split("~")
      .filter((column) => /^[a-z-]{1,40}$/.test(column))
      .slice(0, MAX_COLUMNS),
  };
}

/** Whether a browser runs on Apple's platforms, by its `User-Agent`. */
export function isMacBrowser(userAgent: string | null): boolean {
  return /Macintosh|Mac OS X|iPhone|iPad/.test(userAgent ?? "");
}

export function serializePreferences({ theme, rail, keys, panel, columns }: Preferences): string {
  return [theme, rail, keys, panel, ...(columns.length > 0 ? [columns.join("~")] : [])].join(".");
}
