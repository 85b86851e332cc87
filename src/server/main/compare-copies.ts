import { createHash, createHmac } from "node:crypto";
import { canonicalJson } from "../../lib/json/canonical-json";
import type { Logger } from "../engine/ports";
import type { SecretBox } from "../platform/auth/secret-box";
import type { LoadedConfig } from "../platform/config/config-file";
import { createTopic } from "../platform/coordination/bulletin";
import type { Coordination } from "../platform/coordination/coordination";
import type { AccountMode } from "./account-mode";
import type { Env } from "./env";

/** What has to be the same on all copies of the server: fingerprints, which tell nothing of the values. */
interface CopyFacts {
  name: string;
  key: string;
  /** By what a person changes: the configuration file, an environment variable. */
  settings: Record<string, string>;
}

const FACTS = createTopic<null, CopyFacts>("copies.facts");

interface Parts {
  env: Env;
  coordination: Pick<Coordination, "copies" | "bulletin">;
  config: LoadedConfig;
  mode: AccountMode;
  secretBox: Pick<SecretBox, "derive">;
  logger: Logger;
}

/**
 * Compares this start with the living copies, and answers later ones. Settings that differ are warned of, since copies are
 * restarted one after another.
 * @throws Error for another secret key: this copy could not read what the others store, nor they what it stores
 */
export async function compareCopies(parts: Parts): Promise<void> {
  const { copies, bulletin } = parts.coordination;
  const key = parts.secretBox.derive("copies");
  const own: CopyFacts = {
    name: copies.self.name,
    key: createHash("sha256").update(key).digest("base64url"),
    settings: listSettings(parts, key),
  };
  bulletin.on(FACTS, () => own);
  for (const other of await bulletin.ask(FACTS, null)) {
    if (other.key !== own.key) throw new Error(describeOtherKey(parts.env, other.name));
    const names = Object.keys(own.settings).filter((name) => own.settings[name] !== other.settings[name]);
    if (names.length === 0) continue;
    const message = `This copy of the server has other settings than ${other.name}: make ${names.join(", ")} the same on all copies and restart them`;
    parts.logger.warn({ other: other.name, settings: names }, message);
  }
}

/** @param key without it, a short token could be guessed from its fingerprint */
function listSettings({ env, config, mode }: Parts, key: string): Record<string, string> {
  const { publicUrl, rateLimit, oidc, apiToken } = env;
  const file = { content: config.content, mcpServers: config.mcpServers };
  const settings = {
    "the configuration file": file,
    "whether accounts are on": mode.accounts,
    TOOLROOM_PUBLIC_URL: publicUrl,
    TOOLROOM_RATE_LIMIT: rateLimit,
    TOOLROOM_API_TOKEN: apiToken,
    "the variables TOOLROOM_OIDC_…": oidc,
  };
  const toFingerprint = (value: unknown): string =>
    createHmac("sha256", key).update(canonicalJson(value)).digest("base64url");
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, toFingerprint(value)]));
}

function describeOtherKey({ secretKey, database }: Env, other: string): string {
  const own = secretKey === null ? `the key in ${database.keyFile}` : "TOOLROOM_SECRET_KEY";
  return `The copy of the server at ${other} works with another secret key than ${own} of this one. Set TOOLROOM_SECRET_KEY to the same value on all copies, or put the same key file beside each`;
}
