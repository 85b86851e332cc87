// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { DEFAULT_PREFERENCES, isMacBrowser } from "@/app/_kit/preferences";
import { PreferencesProvider } from "@/app/_kit/preferences-provider";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { ShortcutsDialog } from "./shortcuts-dialog";

const on = (mac: boolean) => (
  <PreferencesProvider initial={DEFAULT_PREFERENCES} mac={mac}>
    <ShortcutKeys with="K" />
  </PreferencesProvider>
);

describe("keyboard hints", () => {
  it("follow the platform that the request names, the same in the server's HTML and the browser", () => {
    const agents = {
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)": "⌘K",
      "Mozilla/5.0 (X11; Linux x86_64)": "Ctrl+K",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64)": "Ctrl+K",
    };
    for (const [agent, keys] of Object.entries(agents)) {
      expect(renderToString(on(isMacBrowser(agent)))).toContain(keys);
      expect(render(on(isMacBrowser(agent))).container.textContent).toBe(keys);
      cleanup();
    }
    expect(isMacBrowser(null)).toBe(false);
  });

  it("are all listed in the help", () => {
    const { unmount } = render(<ShortcutsDialog onClose={() => undefined} />);
    for (const does of [/Search or run/, /Run the tool/, /Send the message/, /Stop the model/, /Next row/]) {
      expect(screen.getByText(does)).toBeTruthy();
    }
    expect(screen.getAllByText("Ctrl").length).toBeGreaterThan(1);
    unmount();
  });
});
