import { isPlainObject } from "../../../lib/contract/json";

/**
 * Removes the nulls that some clients write for optional members that they leave out. Arguments, answers of users and members
 * of `_meta` keep theirs: null is a value there.
 * @param message as it was parsed, which is changed in place: texts are kept by the identity of its parts
 */
export function removeOptionalNulls(message: unknown): void {
  if (Array.isArray(message)) message.forEach(removeOptionalNulls);
  if (!isPlainObject(message)) return;
  if (typeof message.method === "string") removeFromRequest(message);
  else removeFromResponse(message);
}

function removeFromRequest(message: Record<string, unknown>): void {
  removeNulls(message, "params");
  const { params } = message;
  if (!isPlainObject(params)) return;
  removeNulls(params);
  if (isPlainObject(params._meta)) removeNulls(params._meta, "progressToken");
  if (message.method === "initialize") removeFromPeer(params);
}

function removeFromResponse(message: Record<string, unknown>): void {
  removeNulls(message, "method");
  if (isPlainObject(message.error)) removeNulls(message, "result");
  if (!("result" in message)) return;
  removeNulls(message, "error");
  if (isPlainObject(message.result)) removeNulls(message.result, "_meta");
}

function removeFromPeer({ clientInfo, capabilities }: Record<string, unknown>): void {
  if (isPlainObject(clientInfo)) removeNulls(clientInfo);
  if (!isPlainObject(capabilities)) return;
  removeNulls(capabilities);
  for (const capability of Object.values(capabilities)) if (isPlainObject(capability)) removeNulls(capability);
}

/** @param only the one member to look at; all by default */
function removeNulls(value: Record<string, unknown>, only?: string): void {
  for (const key of only === undefined ? Object.keys(value) : [only]) if (value[key] === null) delete value[key];
}
