import type { Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import { equalJson } from "../../../lib/json/equal-json";
import { hideSettingSecrets, SECRET_MASK } from "../../../lib/server-settings/hide-secrets";
import { describeTarget, readFields } from "../../../lib/server-settings/setting-fields";
import type { KnownServer } from "./server-directory";
import type { ServerSecrets } from "./server-secrets";
import { readEdit, unsetVariables } from "./server-settings";
import type { MaskOf } from "./setting-masks";

/** Settings that could be stored, and the ones that they would replace. */
export interface PreparedServer {
  settings: ServerSettings;
  secrets: ServerSecrets;
  /** Values without which it cannot be used, such as `env.API_KEY`. */
  missing: string[];
  /** The reasons why it cannot connect at present. */
  warnings: string[];
  /** The command line or the address, without secrets. */
  target: string;
  before: Pick<KnownServer, "id" | "settings" | "enabled" | "originPath"> | null;
  /** Settings and secrets are those of `before`. */
  same: boolean;
}

/** Reads settings as an edit of the server that has their name, or as a new one, without a change. */
export function prepareServer(
  candidate: unknown,
  find: (name: string) => KnownServer | undefined,
  { variables, getMask }: { variables: Readonly<Record<string, string | undefined>>; getMask: MaskOf },
): PreparedServer | { problems: Problem[] } {
  const before = find(String((candidate as { name?: unknown } | null)?.name)) ?? null;
  const read = readEdit(candidate, before ?? undefined, getMask);
  if ("problems" in read) return read;
  const { settings, secrets, missing } = read;
  return {
    settings,
    secrets,
    missing: nameSecrets(settings, missing),
    warnings: unsetVariables(settings, variables),
    target: describeTarget(hideSettingSecrets(settings, SECRET_MASK)),
    before,
    same: before !== null && equalJson(before.settings, settings) && equalJson(before.secrets, secrets),
  };
}

/** The names of the missing values for users. */
export function nameSecrets(settings: ServerSettings, paths: readonly string[]): string[] {
  return paths.map((path) => nameOfSecret(settings, path));
}

/** Names a secret by its path: `env[0].value` → `env.API_KEY`. */
function nameOfSecret(settings: ServerSettings, path: string): string {
  const [, list, index] = /^(\w+)\[(\d+)\]/.exec(path) ?? [];
  const rows = readFields(settings, { values: (values, field) => (field === list ? values : []) });
  const name = rows[Number(index)]?.name;
  return name === undefined ? path : `${list}.${name}`;
}
