import type { Role, Scope } from "@/lib/contract/access";
import type { LinkKind } from "@/lib/contract/account";

/** The description of each role's rights. */
export const ROLE_ABOUT: Record<Role, string> = {
  viewer: "Sees everything and changes nothing.",
  operator: "Sees everything, runs tools, starts runs, answers questions and approves calls.",
  editor: "Does what an operator does, and edits tools and servers that are reached by URL.",
  admin: "Does everything, including people, servers that are started by a command, and model providers.",
};

export const ROLE_LABELS: Record<Role, string> = {
  viewer: "Viewer",
  operator: "Operator",
  editor: "Editor",
  admin: "Admin",
};

export const SCOPE_LABELS: Record<Scope, string> = { read: "Read", run: "Run", manage: "Manage" };

export const SCOPE_ABOUT: Record<Scope, string> = {
  read: "Reads everything: tools, executions, runs.",
  run: "Reads everything, runs tools, starts runs and approves calls.",
  manage: "Does what Run does, and edits tools and servers.",
};

export const JOIN_TITLES: Record<LinkKind, string> = {
  setup: "Create the first account",
  invitation: "Join Toolroom",
  reset: "Set a new password",
  signIn: "Sign in with a one-time link",
};

const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];
const MAX_AGENT_CHARS = 60;

/** `Firefox on Linux`; the beginning of a text that names no known browser. It comes from the browser, untrusted. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null || userAgent.trim() === "") return "Unknown browser";
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.length > MAX_AGENT_CHARS ? `${userAgent.slice(0, MAX_AGENT_CHARS)}…` : userAgent;
}
