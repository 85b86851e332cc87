import type { PortableSettings } from "../../../lib/contract/catalog-file";
import type { ToolLens } from "../../../lib/contract/lens";
import type { ServerSettings } from "../../../lib/contract/server";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import { compareDefinitions } from "../../engine/registry/tool-changes";

interface Difference {
  /** The changes, one sentence each. */
  details: string[];
  breaking: boolean;
}

/** Describes the changes when a definition replaces another one of its name. */
export function compareTool(was: ToolDefinition, is: ToolDefinition): Difference {
  const change = compareDefinitions(was, is);
  return { details: [...(change?.details ?? [])], breaking: change?.kind === "breaking" };
}

/** The fields only: values may be secrets. */
export function compareServer(was: ServerSettings, is: ServerSettings | PortableSettings): Difference {
  const details = changedKeys(was, is).map((key) => `${key} changed`);
  return { details, breaking: false };
}

/** @param is undefined: the file does not mention it */
export function compareLens(subject: string, was: ToolLens | null, is: string | undefined): string[] {
  if (is === undefined || was?.expression === is) return [];
  return [was === null ? `${subject} is set: models and MCP clients get less of its results` : `${subject} changes`];
}

/** The names of the fields that differ. */
export function changedKeys(was: object, is: object): string[] {
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  const read = (value: object, key: string): unknown =>
    Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  return [...keys].filter((key) => !equalJson(read(was, key), read(is, key))).map((key) => key.slice(0, 80));
}
