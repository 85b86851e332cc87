import { Monitor, Moon, Sun } from "lucide-react";
import type { Theme } from "@/app/_kit/preferences";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { IconButton } from "@/app/_ui/button";
import { Segmented } from "@/app/_ui/segmented";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICON = { system: Monitor, light: Sun, dark: Moon } as const;

const THEME_LABELS: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

/** Steps through system, light and dark. */
export function ThemeSwitch() {
  const { preferences, change } = usePreferences();
  const { theme } = preferences;
  const Icon = ICON[theme];
  return (
    <IconButton
      icon={Icon}
      label={`Theme: ${theme}. Switch to ${NEXT[theme]}`}
      onClick={() => change({ theme: NEXT[theme] })}
    />
  );
}

export function ThemeChoice() {
  const { preferences, change } = usePreferences();
  return (
    <Segmented label="Theme" value={preferences.theme} options={THEME_LABELS} onChange={(theme) => change({ theme })} />
  );
}
