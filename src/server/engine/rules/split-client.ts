/** `claude-code/1.2.3` is the program and its version. */
export function splitClient(client: string | null): [name: string | null, version: string | null] {
  if (client === null) return [null, null];
  const at = client.lastIndexOf("/");
  return at < 0 ? [client, null] : [client.slice(0, at), client.slice(at + 1)];
}
