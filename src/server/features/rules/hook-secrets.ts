import { createWebhookSecret } from "../../platform/shared/webhook-signature";
import type { RuleStore, StoredRule } from "./rule-store";

/** Encrypts secrets for the database. */
interface SecretBox {
  seal(plain: string, context: string): string;
  /** @throws Error that says why it cannot be opened */
  open(sealed: string, context: string): string;
}

interface HookSecretPorts {
  store: Pick<RuleStore, "readHookSecrets" | "addHookSecret" | "setHookSecret">;
  secretBox: SecretBox;
}

export type HookSecrets = ReturnType<typeof createHookSecrets>;

const toContext = (ruleId: string): string => `rule hook:${ruleId}`;

/** The secrets that sign the requests of hooks, encrypted in memory too. */
export function createHookSecrets({ store, secretBox }: HookSecretPorts) {
  let sealed: ReadonlyMap<string, string> = new Map();
  const make = (ruleId: string): { secret: string; text: string } => {
    const secret = createWebhookSecret();
    return { secret, text: secretBox.seal(secret, toContext(ruleId)) };
  };

  return {
    /** Reads the secrets, and makes those that rules lack: an imported one has none. */
    async load(rules: readonly StoredRule[]): Promise<void> {
      let found = await store.readHookSecrets();
      const missing = rules.filter(({ id, effect }) => effect.kind === "hook" && !found.has(id));
      // Where another instance added a secret first, that one stays.
      for (const { id } of missing) await store.addHookSecret(id, make(id).text);
      if (missing.length > 0) found = await store.readHookSecrets();
      sealed = found;
    },

    /** The former secret is useless at once. */
    async replace(ruleId: string): Promise<string> {
      const { secret, text } = make(ruleId);
      await store.setHookSecret(ruleId, text);
      sealed = await store.readHookSecrets();
      return secret;
    },

    /** @throws Error where the rule has none, or another key encrypted it */
    read(ruleId: string): string {
      const text = sealed.get(ruleId);
      if (text === undefined) throw new Error("The hook has no secret");
      return secretBox.open(text, toContext(ruleId));
    },
  };
}
