import { createHmac } from "node:crypto";
import { toMask } from "../../lib/masked-value";
import type { SecretMatcher } from "../../lib/secret-matcher";
import type { Masking } from "../engine/ports";
import type { SecretBox } from "./auth/secret-box";
import { SecretValues } from "./auth/secret-values";

/** The secrets of this installation, as far as this process knows them. */
export interface KnownSecrets {
  add(value: string | null | undefined): void;
  /** One that is replaced over time. */
  addTemporary(value: string | null | undefined): void;
  /** Null where none is known. */
  readonly matcher: SecretMatcher | null;
}

export interface InstallationMasking {
  masking: Masking;
  secrets: KnownSecrets;
}

/** Masks are HMACs under a key of their own, so that a copy of the database does not allow guessing. */
export function createMasking(secretBox: Pick<SecretBox, "derive">): InstallationMasking {
  const key = Buffer.from(secretBox.derive("masked values"), "hex");
  const getMask = (canonicalJson: string): string =>
    toMask(createHmac("sha256", key).update(canonicalJson).digest("hex"));
  const redacted = new SecretValues();
  const masked = new SecretValues((secret) => getMask(JSON.stringify(secret)));
  return {
    masking: {
      getMask,
      inText: (text, isCut) => redacted.matcher?.replace(text, isCut) ?? text,
      inJson: (text) => redacted.matcher?.replaceInJson(text) ?? text,
      inValue: (value) => redacted.matcher?.replaceInValue(value) ?? value,
      inArguments: (text) => masked.matcher?.replaceInJson(text) ?? text,
    },
    secrets: {
      add(value) {
        redacted.add(value);
        masked.add(value);
      },
      addTemporary(value) {
        redacted.addTemporary(value);
        masked.addTemporary(value);
      },
      get matcher() {
        return redacted.matcher;
      },
    },
  };
}
