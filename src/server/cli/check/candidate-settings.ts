import path from "node:path";
import type { SecretSetting } from "../../../lib/contract/server";
import { SecretMatcher, secretForms } from "../../../lib/secret-matcher";
import { findValueSecrets } from "../../../lib/server-settings/hide-secrets";
import { splitCommandLine } from "../../../lib/server-settings/split-command-line";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { usageError } from "../command-error";
import type { CommandIo } from "../command-io";
import { parseHeader, parseVariable } from "../server-commands";

export interface CandidateOptions {
  candidate?: string;
  header?: string[];
  env?: string[];
  cwd?: string;
}

/** The candidate's command or address, and the values that no output may contain. */
export interface Candidate {
  settings: ConnectionSettings;
  secrets: string[];
}

/** Shorter values are in too many texts. */
const MIN_SECRET_CHARS = 4;

/**
 * @param words a command behind `--`
 * @throws CommandError that names the option
 */
export function readCandidate(
  { candidate, header = [], env = [], cwd }: CandidateOptions,
  words: readonly string[],
  connectTimeoutMs: number,
  io: Pick<CommandIo, "env" | "cwd">,
): Candidate {
  if ((candidate === undefined) === (words.length === 0)) {
    const example = "Example: toolroom check --baseline tools.baseline.json --candidate 'node server.js'";
    throw usageError("Give the new version of the server with --candidate, or its command behind --.", example);
  }
  const common = { name: "candidate", enabled: true, protocol: "auto" as const, connectTimeoutMs, roots: [] };
  if (candidate !== undefined && /^https?:\/\//i.test(candidate)) {
    if (env.length > 0 || cwd !== undefined) throw usageError("--env and --cwd are for candidates with a command.");
    if (!URL.canParse(candidate)) throw usageError("The address in --candidate is not valid.");
    const headers = Object.fromEntries(header.map(parseHeader).map(toEntry));
    const entries = Object.entries(headers);
    const secrets = [
      ...entries.flatMap(([name, value]) => findValueSecrets(name, value)).flatMap(toSecrets),
      ...listAddressSecrets(new URL(candidate)),
    ];
    return {
      settings: { ...common, transport: "http", url: candidate, headers, auth: { type: "none" } },
      secrets: secrets.filter(isLongEnough),
    };
  }
  if (header.length > 0) throw usageError("--header is for candidates with an address.");
  const line =
    candidate === undefined ? { env: [], command: words[0] ?? "", args: words.slice(1) } : readLine(candidate);
  const entries = [...line.env, ...env.map((each) => parseVariable(each, io.env))].map(toEntry);
  return {
    settings: {
      ...common,
      transport: "stdio",
      command: line.command,
      args: [...line.args],
      env: Object.fromEntries(entries),
      cwd: path.resolve(io.cwd, cwd ?? "."),
    },
    secrets: entries.flatMap(([name, value]) => findValueSecrets(name, value)).filter(isLongEnough),
  };
}

const toEntry = ({ name, value }: SecretSetting): [string, string] => [name, value ?? ""];
const isLongEnough = (value: string): boolean => value.length >= MIN_SECRET_CHARS;

/** The credential of `Bearer …` counts as a secret too. */
const toSecrets = (value: string): string[] => [value, value.slice(value.indexOf(" ") + 1)];

function listAddressSecrets({ username, password, searchParams }: URL): string[] {
  const values = [...searchParams].flatMap(([name, value]) => findValueSecrets(name, value));
  return [decodeURIComponent(username), decodeURIComponent(password), ...values];
}

function readLine(text: string) {
  const line = splitCommandLine(text);
  if (line === null) throw usageError("--candidate must be an address or a command line with closed quotes.");
  return line;
}

const MASK = "[masked]";

/** Replaces the candidate's secrets in a text, in each form that they may have. */
export function createTextMask(secrets: readonly string[]): (text: string) => string {
  const matcher = new SecretMatcher(new Map(secrets.flatMap(secretForms).map((form) => [form, MASK])));
  return (text) => matcher.replace(text);
}

/** A server may repeat its environment in a description or a default. */
export function maskEntries(entries: readonly unknown[], secrets: readonly string[]): readonly unknown[] {
  const maskText = createTextMask(secrets);
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskText(key), mask(inner)]));
  };
  return secrets.length === 0 ? entries : entries.map(mask);
}
