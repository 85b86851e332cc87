// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ShellChoice, useShell } from "./shell-choice";

function Command() {
  return <code>{useShell() === "powershell" ? "curl.exe" : "curl"}</code>;
}

function show(platform: string, hints?: { platform: string }) {
  vi.stubGlobal("navigator", { platform, userAgentData: hints });
  return render(
    <>
      <ShellChoice />
      <Command />
    </>,
  );
}

// Newer versions of Node have a `localStorage` of their own, which is undefined without a file.
beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("the shell of commands that the reader runs", () => {
  it("is that of the browser's system until another one is chosen, which the browser remembers", () => {
    for (const [platform, hints, command] of [
      ["Win32", undefined, "curl.exe"],
      ["", { platform: "Windows" }, "curl.exe"],
      ["MacIntel", { platform: "" }, "curl"],
      ["Linux x86_64", { platform: "Linux" }, "curl"],
    ] as const) {
      const { unmount } = show(platform, hints);
      expect([platform, screen.getByRole("code").textContent]).toEqual([platform, command]);
      unmount();
    }
    const { unmount } = show("Win32");
    fireEvent.click(screen.getByRole("radio", { name: "bash" }));
    expect(screen.getByRole("code").textContent).toBe("curl");
    unmount();
    show("Win32");
    expect(screen.getByRole("code").textContent).toBe("curl");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "bash" }).checked).toBe(true);
  });

  it("can be chosen where the browser stores nothing", () => {
    const refuse = () => {
      throw new Error("denied");
    };
    vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse });
    show("Linux x86_64");
    fireEvent.click(screen.getByRole("radio", { name: "PowerShell" }));
    expect(screen.getByRole("code").textContent).toBe("curl.exe");
  });
});
