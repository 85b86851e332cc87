export const THEMES = ["system", "light", "dark"] as const;
const RAILS = ["open", "closed"] as const;
const KEYS = ["on", "off"] as const;
const PANELS = ["open", "closed"] as const;
/** The panes whose width a user can change. */
const PANES = ["tool", "execution", "drawer", "playground", "approvals", "lens", "offers", "versions"] as const;

export type PaneName = (typeof PANES)[number];

export type Theme = (typeof THEMES)[number];

/** Kept in one cookie, so that the server renders the page without a flash or a layout shift. */
export interface Preferences {
  theme: Theme;
  rail: (typeof RAILS)[number];
  /** Single-key shortcuts; WCAG 2.1.4 requires a switch for users of speech input. */
  keys: (typeof KEYS)[number];
  /** The settings beside a conversation. */
  panel: (typeof PANELS)[number];
  /** The columns of lists that are not as they are at first: `tools-quality`. */
  columns: readonly string[];
  /** The widths that the user has given to panes, in percent of the pane and its neighbor. */
  panes: Readonly<Partial<Record<PaneName, number>>>;
}

export const PREFERENCES_COOKIE = "toolroom_preferences";

export const DEFAULT_PREFERENCES: Preferences = {
  theme: "system",
  rail: "open",
  keys: "on",
  panel: "open",
  columns: [],
  panes: {},
};

const MAX_COLUMNS = 40;

/** Parses `theme.rail.keys.panel.columns.panes`; any other part gives its default. Without zod, to keep it out of the browser. */
export function parsePreferences(text: string | undefined): Preferences {
  const [theme, rail, keys, panel, columns = "", panes = ""] = (text ?? "").split(".");
  return {
    theme: THEMES.find((known) => known === theme) ?? DEFAULT_PREFERENCES.theme,
    rail: RAILS.find((known) => known === rail) ?? DEFAULT_PREFERENCES.rail,
    keys: KEYS.find((known) => known === keys) ?? DEFAULT_PREFERENCES.keys,
    panel: PANELS.find((known) => known === panel) ?? DEFAULT_PREFERENCES.panel,
    columns: columns
      .split("~")
      .filter((column) => /^[a-z-]{1,40}$/.test(column))
      .slice(0, MAX_COLUMNS),
    panes: parsePanes(panes),
  };
}

/** Parses `tool-45~drawer-30`. */
function parsePanes(text: string): Preferences["panes"] {
  const panes: Partial<Record<PaneName, number>> = {};
  for (const part of text.split("~")) {
    const [, name, share] = /^([a-z]+)-(\d{1,2})$/.exec(part) ?? [];
    const known = PANES.find((pane) => pane === name);
    if (known !== undefined) panes[known] = Number(share);
  }
  return panes;
}

/** Returns the style sheet that gives panes their widths before the first paint; null where all have their own. */
export function toPaneStyle({ panes }: Preferences): string | null {
  const lines = Object.entries(panes).map(([name, share]) => `--pane-${name}:${share}%;`);
  return lines.length === 0 ? null : `:root{${lines.join("")}}`;
}

/** Whether a browser runs on Apple's platforms, by its `User-Agent`. */
export function isMacBrowser(userAgent: string | null): boolean {
  return /Macintosh|Mac OS X|iPhone|iPad/.test(userAgent ?? "");
}

export function serializePreferences({ theme, rail, keys, panel, columns, panes }: Preferences): string {
  const widths = Object.entries(panes).map(([name, share]) => `${name}-${share}`);
  const lists = [columns.join("~"), widths.join("~")];
  return [theme, rail, keys, panel, ...lists].join(".").replace(/\.+$/, "");
}
