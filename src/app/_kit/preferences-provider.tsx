import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from "react";
import { toAddress } from "@/lib/base-path";
import { DEFAULT_PREFERENCES, type Preferences, serializePreferences } from "./preferences";

interface PreferencesState {
  preferences: Preferences;
  /** The platform as the request stated it, so that server and browser render the same keys. */
  mac: boolean;
  change: (part: Partial<Preferences>) => void;
}

const PreferencesContext = createContext<PreferencesState>({
  preferences: DEFAULT_PREFERENCES,
  mac: false,
  change: () => undefined,
});

export function usePreferences(): PreferencesState {
  return use(PreferencesContext);
}

/** False when the user switched single-key shortcuts (`/`, `j`, `g o`, `?`) off. */
export function useSingleKeys(): boolean {
  return usePreferences().preferences.keys === "on";
}

/** Whether the modifier of shortcuts is ⌘ rather than Ctrl. */
export function useIsMac(): boolean {
  return usePreferences().mac;
}

interface PreferencesProviderProps {
  initial: Preferences;
  mac: boolean;
  children: ReactNode;
}

export function PreferencesProvider({ initial, mac, children }: PreferencesProviderProps) {
  const [preferences, setPreferences] = useState(initial);
  const newest = useRef(initial);

  const change = useCallback((part: Partial<Preferences>) => {
    const next = { ...newest.current, ...part };
    newest.current = next;
    setPreferences(next);
    const root = document.documentElement;
    if (next.theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", next.theme);
    // A preference that could not be saved still applies to this tab.
    fetch(toAddress("/api/preferences"), { method: "POST", body: serializePreferences(next), keepalive: true }).catch(
      () => undefined,
    );
  }, []);

  const value = useMemo(() => ({ preferences, mac, change }), [preferences, mac, change]);
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}
