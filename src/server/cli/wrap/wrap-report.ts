import path from "node:path";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import type { Client } from "./clients";
import { SIGN_IN_NOTE } from "./connect-servers";
import type { FilePlan } from "./plan-wrap";
import type { Unwrapped } from "./wrap-file";
import type { PlannedServer } from "./write-import";

/** The result for a file, and the location of the kept copy of the previous one. */
export function describeUnwrapped({ result, detail }: Unwrapped, file: string, backup: string): string {
  const kept = `\n  The file as it was: ${backup}`;
  if (result === "restored") return "restored byte for byte";
  if (result === "unchanged") return "was not changed";
  if (result === "lost") return `not restored: ${toLine(detail)}${kept}`;
  const more = detail === "" ? "" : `; ${toLine(detail)}`;
  return `${path.basename(file)} changed since it was wrapped: its servers are restored, the rest is as it was left${more}${kept}`;
}

/** What `wrap --json` prints of a file. @param failure why it stayed as it is */
export function reportFile({ file, servers }: FilePlan, isDry: boolean, failure: string | undefined) {
  const moves = servers.some(({ action }) => action === "move");
  return {
    client: file.client.id,
    file: file.path,
    result: failure !== undefined ? "failed" : !moves ? "unchanged" : isDry ? "planned" : "wrapped",
    reason: failure ?? null,
    note: file.note,
    servers: servers.map(({ name, section, action, reason, importedAs, isKnown, notes }) => ({
      name,
      project: section.project,
      action,
      reason: reason || null,
      importedAs: importedAs || null,
      isKnown,
      notes,
    })),
  };
}

export function describePlan({ file, servers }: FilePlan, home: string): string {
  const wide = Math.min(30, Math.max(0, ...servers.map(({ name }) => name.length)));
  const lines = servers.flatMap((server) => {
    const { action, section, reason, notes } = server;
    const name = toLine(server.name).padEnd(wide);
    const project = section.project === null ? "" : `(project ${toLine(shorten(section.project, home))}) `;
    const detail = action === "stay" ? reason : action === "replace" ? "the entry of Toolroom" : describeNames(server);
    const line = `  ${action.padEnd(7)} ${name}  ${project}${toLine(detail)}`.trimEnd();
    return [line, ...(action === "move" ? notes : []).map((note) => `          ${toLine(note)}`)];
  });
  const note = file.note === null ? [] : [`  ${toLine(file.note)}`];
  return [formatHeading(file.client, file.path, home), ...note, ...lines].join("\n");
}

function describeNames({ name, importedAs, isKnown }: PlannedServer): string {
  const renamed = importedAs === "" || importedAs === name ? "" : `as ${importedAs}`;
  return isKnown ? `${renamed} is in Toolroom already`.trimStart() : renamed;
}

/** The results of the first connections of a file's servers. */
export function describeConnections({ servers }: Pick<FilePlan, "servers">): string[] {
  return servers.flatMap(({ name, action, reason, isFailing, notes }) => {
    if (isFailing) return [`  stay    ${toLine(name)}  ${toLine(reason)}`];
    const note = action === "move" ? notes.find((each) => each === SIGN_IN_NOTE) : undefined;
    return note === undefined ? [] : [`  move    ${toLine(name)}  ${note}`];
  });
}

export function describeMoved({ name, importedAs }: PlannedServer): string {
  return toLine(importedAs === name ? name : `${name} as ${importedAs}`);
}

/** @param home the folder that is written as `~` */
export function formatHeading({ label }: Pick<Client, "label">, file: string, home: string): string {
  return `${label}  ${toLine(shorten(file, home))}`;
}

function shorten(file: string, home: string): string {
  return file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function toLine(text: string): string {
  return stripControlCharacters(text).replace(/\s+/g, " ").slice(0, 300);
}
