import type { CredentialMode, CredentialSetting } from "@/lib/contract/credential";
import type { ServerAuth, ServerSettingsInput, ServerTransport } from "@/lib/contract/server";

/** A header, query parameter or variable whose value each person enters. */
export interface SlotRow {
  key: number;
  name: string;
  label: string;
  in: "header" | "query";
}

interface CredentialDraft {
  credentials: CredentialMode;
  slots: SlotRow[];
  /** Everyone may read arguments and results. */
  openResults: boolean;
}

interface DraftTransport {
  transport: ServerTransport;
  authType: ServerAuth["type"];
}

let lastKey = 0;
export function slotRow(name = "", label = "", place: SlotRow["in"] = "header"): SlotRow {
  lastKey += 1;
  return { key: lastKey, name, label, in: place };
}

export function credentialsFrom(setting: ServerSettingsInput["credentials"]): CredentialDraft {
  if (setting?.mode !== "personal") return { credentials: "shared", slots: [], openResults: false };
  return {
    credentials: "personal",
    slots: (setting.slots ?? []).map((slot) => slotRow(slot.name, slot.label, slot.in)),
    openResults: setting.results === "everyone",
  };
}

/** With OAuth each person signs in instead. */
export function needsSlots({ transport, authType }: DraftTransport): boolean {
  return transport === "stdio" || authType !== "oauth";
}

const isNamed = ({ name, label }: SlotRow): boolean => name.trim() !== "" || label.trim() !== "";

/** Where a row stands in what is sent; empty rows are not sent. */
export function slotField(rows: readonly SlotRow[], row: SlotRow): string {
  return isNamed(row) ? `credentials.slots[${rows.filter(isNamed).indexOf(row)}]` : "credentials.slots[]";
}

export function credentialsOf(draft: CredentialDraft & DraftTransport): CredentialSetting | undefined {
  if (draft.credentials === "shared") return undefined;
  const rows = needsSlots(draft) ? draft.slots.filter(isNamed) : [];
  return {
    mode: "personal",
    ...(draft.openResults && { results: "everyone" as const }),
    slots: rows.map(({ name, label, in: place }) => ({
      name: name.trim(),
      ...(label.trim() !== "" && { label: label.trim() }),
      ...(draft.transport === "openapi" && place === "query" && { in: place }),
    })),
  };
}
