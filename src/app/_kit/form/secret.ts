import { isOnlyReferences } from "@/lib/server-settings/expand-variables";

/** A value that may be secret, in a form. A stored one never comes back from the server: it is kept or replaced as a whole. */
export interface Secret {
  /** Empty for a field that is one secret. */
  name: string;
  /** Null keeps the stored value. */
  value: string | null;
  /** The name under which the server has a value; absent where it has none. */
  stored?: string;
  /** The stored value is deleted. */
  removed?: boolean;
}

export const NO_SECRET: Secret = { name: "", value: "" };

/** @param setting as it is stored or was found in a pasted file; a null value is one that is stored */
export const readSecret = ({ name, value }: Pick<Secret, "name" | "value">): Secret =>
  value === null ? { name, value, stored: name } : { name, value };

/** Empty rows are not sent. */
export const isFilled = ({ name, value, stored }: Secret): boolean =>
  name !== "" || value !== "" || stored !== undefined;

/** Whether nothing was typed over the stored value, and its name is still the same. */
export const keepsStored = ({ name, value, stored }: Secret): boolean => stored === name && (value ?? "") === "";

/** Returns the value to send. A stored value whose row was renamed is null, which the server refuses, rather than an empty value. */
export const writeSecret = ({ value, stored }: Secret): string | null =>
  stored !== undefined && value === "" ? null : value;

/** Returns the part that a tab may keep: references such as `${TOKEN}` reveal no secret. */
export const keepWithoutSecret = (secret: Secret): Secret =>
  secret.value === null || isOnlyReferences(secret.value) ? secret : { ...secret, value: "" };
