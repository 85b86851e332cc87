import { isOnlyReferences } from "@/lib/server-settings/expand-variables";
import { hideAddressSecrets, hideSecretArguments } from "@/lib/server-settings/hide-secrets";
import {
  type RootRow,
  rootRow,
  type SecretRow,
  type ServerDraft,
  secretRow,
  type TextRow,
  textRow,
} from "./server-draft";

const withoutValue = (row: SecretRow): SecretRow =>
  row.value === "" || isOnlyReferences(row.value) ? row : { ...row, value: "" };

/** Of a document: a tab's storage is small. */
const MAX_KEPT_CHARS = 200_000;

/** The draft as a tab may keep it: without header values, environment values, keys, and what looks like one elsewhere. */
export function withoutSecrets<Draft extends ServerDraft>(draft: Draft): Draft {
  const args = hideSecretArguments(
    draft.args.map(({ text }) => text),
    "",
  );
  // A command line that has not been split yet holds its arguments.
  const command = /\s/.test(draft.command.trim())
    ? hideSecretArguments(draft.command.split(/(?<=\s)(?=\S)/), "").join("")
    : draft.command;
  return {
    ...draft,
    command,
    args: draft.args.map((row, at) => ({ ...row, text: args[at] ?? "" })),
    url: hideAddressSecrets(draft.url, ""),
    env: draft.env.map(withoutValue),
    headers: draft.headers.map(withoutValue),
    query: draft.query.map(withoutValue),
    documentUrl: hideAddressSecrets(draft.documentUrl, ""),
    documentText: draft.documentText.length > MAX_KEPT_CHARS ? "" : draft.documentText,
    clientSecret: withoutValue(draft.clientSecret),
    privateKey: withoutValue(draft.privateKey),
  };
}

/** The draft with keys that no row of this page has. */
export function withFreshKeys<Draft extends ServerDraft>(draft: Draft): Draft {
  const text = (row: TextRow): TextRow => textRow(row.text);
  const root = (row: RootRow): RootRow => rootRow(row.uri, row.name);
  const secret = ({ name, value, storedName, replacing }: SecretRow): SecretRow => ({
    ...secretRow(name, value, storedName),
    replacing,
  });
  return {
    ...draft,
    args: draft.args.map(text),
    roots: draft.roots.map(root),
    env: draft.env.map(secret),
    headers: draft.headers.map(secret),
    query: draft.query.map(secret),
    clientSecret: secret(draft.clientSecret),
    privateKey: secret(draft.privateKey),
  };
}
