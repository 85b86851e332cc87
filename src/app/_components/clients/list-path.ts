/** The address of a list that a client was given. @param other the list that it is compared with */
export function toListPath(client: string, hash: string, other?: string): string {
  const path = `/clients/${encodeURIComponent(client)}?list=${encodeURIComponent(hash)}`;
  return other === undefined ? path : `${path}&with=${encodeURIComponent(other)}`;
}
