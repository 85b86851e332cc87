import { fileServerSchema, type ImportEntry } from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ServerImport } from "../../../lib/contract/server-import";
import { permissionForServer } from "../../../lib/contract/server-kind";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import type { PreparedServer } from "../servers/prepare-server";
import { compareLens, compareServer } from "./compare-entries";
import type { SharingPorts } from "./sharing-ports";

export interface PlannedServer {
  entry: ImportEntry;
  /** Settings as they would be submitted; null for an invalid one. */
  candidate: Record<string, unknown> | null;
  enabled: boolean;
  lenses: Record<string, string>;
  prepared: PreparedServer | null;
  before: unknown;
}

interface Submitted {
  name: string;
  enabled: boolean;
  candidate: Record<string, unknown> | null;
  lenses: Record<string, string>;
  problems: ImportEntry["problems"];
  notes: string[];
}

export function readFileServer(candidate: unknown, position: number): Submitted {
  const given = isPlainObject(candidate) && Object.hasOwn(candidate, "name") ? candidate.name : null;
  const name = typeof given === "string" && given !== "" ? given : `servers[${position}]`;
  const read = fileServerSchema.safeParse(candidate);
  if (!read.success) {
    return {
      name,
      enabled: false,
      candidate: null,
      lenses: {},
      problems: problemsOfIssues(read.error.issues),
      notes: [],
    };
  }
  const { sampling, ...settings } = read.data.settings;
  const { enabled, approval, lenses } = read.data;
  const notes = sampling === undefined ? [] : ["sampling: not imported; set it on the server's page"];
  const policy = approval === null ? {} : { approval };
  const { approval: _approval, ...rest } = settings;
  return { name, enabled, candidate: { ...rest, ...policy, name: read.data.name }, lenses, problems: [], notes };
}

/** A server of another program's file, as the import of servers reads it. */
export function readFoundServer(server: ServerImport["servers"][number]): Submitted {
  const taken = /^name: .* is already taken by another server$/;
  // A taken name is not a problem here: the user decides.
  const problems = server.problems.filter((text) => !taken.test(text)).map((message) => ({ path: "", message }));
  const { name, enabled, settings, notes } = server;
  return {
    name,
    enabled,
    candidate: problems.length > 0 ? null : { ...settings, name },
    lenses: {},
    problems,
    notes: [...notes],
  };
}

/** Compares a server of a file with the known ones. @param isTaken names of the file and the known servers */
export function planServer(
  { servers, tools, checkLens }: Pick<SharingPorts, "servers" | "tools" | "checkLens">,
  { name, enabled, candidate, lenses, problems, notes }: Submitted,
  position: number,
  isTaken: (name: string) => boolean,
): PlannedServer {
  const entry: ImportEntry = {
    kind: "server",
    position,
    name: name.slice(0, 200),
    status: "invalid",
    problems,
    notes,
    conflict: null,
    details: [],
    breaking: false,
    target: null,
    secrets: [],
    denied: null,
    needs: candidate === null ? "edit" : permissionForServer(candidate),
    freeName: freeName(name, "server", isTaken),
  };
  const invalid = { candidate: null, enabled, lenses, prepared: null, before: null };
  if (candidate === null) return { ...invalid, entry };
  const faults = Object.entries(lenses).flatMap(([tool, expression]) => {
    const message = checkLens(expression);
    return message === null ? [] : [{ path: `lenses.${tool}`, message }];
  });
  if (faults.length > 0) return { ...invalid, entry: { ...entry, problems: faults } };
  const prepared = servers.prepare(candidate);
  if ("problems" in prepared) {
    const inEntry = prepared.problems.map(({ path, message }) => ({ path: `settings.${path}`, message }));
    return { ...invalid, entry: { ...entry, problems: inEntry } };
  }
  const { before, settings } = prepared;
  const facts: Partial<ImportEntry> = {
    target: prepared.target,
    secrets: prepared.missing,
    notes: [...notes, ...noteSettings(prepared, enabled)],
  };
  const planned = { candidate, enabled, lenses, prepared };
  if (before === null) return { ...planned, entry: { ...entry, ...facts, status: "add" }, before: null };
  const known = Object.entries(lenses).map(
    ([tool, is]) => [tool, tools.getLens(name + TOOL_SEPARATOR + tool), is] as const,
  );
  const state = { settings: before.settings, enabled: before.enabled, id: before.id, lenses: known };
  if (before.id === null) {
    const conflict = `The name belongs to a server of ${before.originPath}, which cannot be replaced`;
    return { ...planned, entry: { ...entry, ...facts, status: "conflict", conflict }, before: state };
  }
  const { details } = compareServer(before.settings, settings);
  const lensDetails = known.flatMap(([tool, was, is]) => compareLens(`the lens of '${tool}'`, was, is));
  if (prepared.same && lensDetails.length === 0 && before.enabled === enabled) {
    return { ...planned, entry: { ...entry, ...facts, status: "same" }, before: state };
  }
  if (before.enabled !== enabled) details.push(enabled ? "it is enabled" : "it is disabled");
  if (details.length === 0 && !prepared.same) details.push("secret values change");
  details.push(...lensDetails);
  // An edit requires the permission for the previous settings too.
  const needs = permissionForServer(before.settings) === "administer" ? "administer" : entry.needs;
  return { ...planned, entry: { ...entry, ...facts, status: "change", details, needs }, before: state };
}

function noteSettings({ settings, missing, warnings, before }: PreparedServer, enabled: boolean): string[] {
  const notes = [...warnings];
  if (missing.length > 0 && enabled) notes.push("It connects once its secret values are entered");
  if (settings.approval === "never" && before?.settings.approval !== "never") {
    notes.push("approval: none of its tools will require approval");
  }
  return notes;
}

/** Valid for servers and toolsets. */
export function freeName(name: string, fallback: string, isTaken: (name: string) => boolean): string {
  const clean = name.replace(/[^A-Za-z0-9-]+/g, "-").replace(/^-+|-+$/g, "");
  for (let number = 2; ; number += 1) {
    const free = `${clean.slice(0, 50) || fallback}-${number}`;
    if (!isTaken(free)) return free;
  }
}
