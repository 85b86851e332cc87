"use client";

import { ThemeChoice } from "@/app/_components/frame/theme-switch";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { Card } from "@/app/_ui/card";
import { Segmented } from "@/app/_ui/segmented";

/** How the console looks and which keys it takes, in this browser. */
export function AppearanceView() {
  const { preferences, change } = usePreferences();
  return (
    <Card title="Appearance and keys" about="Remembered by this browser.">
      <dl className="grid gap-x-8 gap-y-3 px-3.5 py-3 sm:grid-cols-[14rem_minmax(0,1fr)]">
        <dt>Theme</dt>
        <dd>
          <ThemeChoice />
        </dd>
        <dt>
          Single-key shortcuts
          <p className="text-mute text-xs">For example / to search, j and k to move in a list.</p>
        </dt>
        <dd>
          <Segmented
            label="Single-key shortcuts"
            value={preferences.keys}
            options={{ on: "On", off: "Off" }}
            onChange={(keys) => change({ keys })}
          />
        </dd>
      </dl>
    </Card>
  );
}
