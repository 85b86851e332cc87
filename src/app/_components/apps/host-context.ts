import type { DisplayMode } from "./app-messages";

/** The protocol's names for what our theme has. Our values follow the color scheme, as the protocol asks for. */
const VARIABLES: Readonly<Record<string, string>> = {
  "--color-background-primary": "--color-panel",
  "--color-background-secondary": "--color-bg",
  "--color-background-tertiary": "--color-rail",
  "--color-background-inverse": "--color-text",
  "--color-background-ghost": "--color-panel",
  "--color-background-info": "--color-accent-bg",
  "--color-background-danger": "--color-bad-bg",
  "--color-background-success": "--color-ok-bg",
  "--color-background-warning": "--color-warn-bg",
  "--color-background-disabled": "--color-rail",
  "--color-text-primary": "--color-text",
  "--color-text-secondary": "--color-mute",
  "--color-text-tertiary": "--color-faint",
  "--color-text-inverse": "--color-bg",
  "--color-text-ghost": "--color-mute",
  "--color-text-info": "--color-accent",
  "--color-text-danger": "--color-bad",
  "--color-text-success": "--color-ok",
  "--color-text-warning": "--color-warn",
  "--color-text-disabled": "--color-faint",
  "--color-border-primary": "--color-line2",
  "--color-border-secondary": "--color-line",
  "--color-border-tertiary": "--color-line",
  "--color-border-inverse": "--color-text",
  "--color-border-ghost": "--color-line",
  "--color-border-info": "--color-accent",
  "--color-border-danger": "--color-bad",
  "--color-border-success": "--color-ok",
  "--color-border-warning": "--color-warn",
  "--color-border-disabled": "--color-line",
  "--color-ring-primary": "--color-accent",
  "--color-ring-secondary": "--color-edge",
  "--color-ring-inverse": "--color-bg",
  "--color-ring-info": "--color-accent",
  "--color-ring-danger": "--color-bad",
  "--color-ring-success": "--color-ok",
  "--color-ring-warning": "--color-warn",
  "--border-radius-xs": "--radius-xs",
  "--border-radius-sm": "--radius-sm",
  "--border-radius-md": "--radius-md",
  "--border-radius-lg": "--radius-lg",
  "--border-radius-xl": "--radius-xl",
  "--font-text-xs-size": "--text-xs",
  "--font-text-sm-size": "--text-sm",
  "--font-text-md-size": "--text-base",
  "--font-text-lg-size": "--text-lg",
  "--font-text-xs-line-height": "--text-xs--line-height",
  "--font-text-sm-line-height": "--text-sm--line-height",
  "--font-text-md-line-height": "--text-base--line-height",
  "--font-text-lg-line-height": "--text-lg--line-height",
};
/** Our own fonts are files of the console, which an App cannot load. */
const FIXED = {
  "--font-sans": 'ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", sans-serif',
  "--font-mono": 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
};

type Theme = "light" | "dark";

/** The theme that the page has now: the user's choice, or the system's. */
function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back when the theme changes. @returns the function that ends it */
export function watchTheme(onChange: () => void): () => void {
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  media.addEventListener("change", onChange);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", onChange);
  };
}

interface ContextOptions {
  tool: Record<string, unknown>;
  mode: DisplayMode;
  width: number;
  maxHeight: number;
  timeZone: string;
}

/** Returns the facts of the page that an App may know. */
export function hostContext({ tool, mode, width, maxHeight, timeZone }: ContextOptions): Record<string, unknown> {
  const style = getComputedStyle(document.documentElement);
  const own = Object.entries(VARIABLES).map(([name, token]) => [name, style.getPropertyValue(token).trim()]);
  return {
    toolInfo: { tool },
    theme: readTheme(),
    styles: { variables: { ...Object.fromEntries(own.filter(([, value]) => value !== "")), ...FIXED } },
    displayMode: mode,
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: mode === "inline" ? { width, maxHeight } : { width, height: maxHeight },
    locale: navigator.language,
    timeZone,
    userAgent: "Toolroom",
    platform: "web",
    deviceCapabilities: {
      touch: window.matchMedia("(any-pointer: coarse)").matches,
      hover: window.matchMedia("(any-hover: hover)").matches,
    },
  };
}
