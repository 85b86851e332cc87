import type { ClientDetail, ToolAnswer } from "../../../lib/contract/client";
import { formatAbsoluteTime } from "../../../lib/format/relative-time";
import type { CommandPart } from "../../platform/api/operation-command";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const formatTime = (at: number | null): string => (at === null ? "never" : formatAbsoluteTime(at, zone));

/** The list of tools that a client received last. */
export function describeClient({ lastList, listedAt, barrier, changes }: ClientDetail): CommandPart[] {
  const blocked = barrier === null ? [] : [`${barrier}.`];
  if (lastList === null) return [{ notes: [...blocked, "It has not fetched the list of tools."] }];
  const leftOut = lastList.leftOut.map(({ name, reason, detail }) => `Left out: ${name} (${reason}): ${detail}`);
  const changed = Object.entries(changes ?? {}).flatMap(([label, names]) =>
    names.length === 0 ? [] : [`${label} since: ${names.join(", ")}`],
  );
  return [
    { notes: [...blocked, `Fetched ${formatTime(listedAt)}.`] },
    { lines: lastList.tools.map(({ name }) => name) },
    { notes: [...leftOut, ...changed] },
  ];
}

/** Why a client does not see a tool. */
export function describeAnswer({ verdict, answer, wayOut, nearest }: ToolAnswer): CommandPart[] {
  const similar = nearest.length === 0 ? "" : `Similar: ${nearest.join(", ")}`;
  return [{ lines: [`${verdict}: ${answer}`, ...[wayOut, similar].filter((line) => line !== "")] }];
}
