// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ShellChoice } from "@/app/_ui/shell-choice";
import { type ClientConfiguration, TOKEN_PLACEHOLDER } from "@/lib/contract/client-configuration";
import { ClientCard } from "./client-card";

afterEach(() => vi.unstubAllGlobals());

const CONFIGURATION: ClientConfiguration = {
  client: "other",
  label: "Any other client",
  transport: "stdio",
  place: "The command that starts the MCP server",
  language: "shell",
  text: `TOOLROOM_API_TOKEN=${TOKEN_PLACEHOLDER} toolroom mcp`,
  powershell: `$env:TOOLROOM_API_TOKEN = '${TOKEN_PLACEHOLDER}'; toolroom mcp`,
  install: null,
  needsToken: true,
};

it("a command that the reader runs is in the form of the chosen shell, with the token of the page", () => {
  vi.stubGlobal("navigator", { platform: "Win32" });
  // Newer versions of Node have one of their own, which is undefined without a file.
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  const { rerender } = render(
    <>
      <ShellChoice />
      <ClientCard configuration={CONFIGURATION} token="trm_1" use={null} />
    </>,
  );
  screen.getByText("$env:TOOLROOM_API_TOKEN = 'trm_1'; toolroom mcp");
  fireEvent.click(screen.getByRole("radio", { name: "bash" }));
  screen.getByText("TOOLROOM_API_TOKEN=trm_1 toolroom mcp");
  // One that runs where Toolroom does has one form.
  fireEvent.click(screen.getByRole("radio", { name: "PowerShell" }));
  rerender(<ClientCard configuration={{ ...CONFIGURATION, powershell: null }} token={null} use={null} />);
  expect(screen.getByText(CONFIGURATION.text)).toBeDefined();
});
