/** An address as those may have it who do not administer what it leads to: people put keys into the rest. */
export function showOrigin(address: string): string {
  if (URL.canParse(address)) return new URL(address).origin;
  return address
    .replace(/[?#].*$/s, "")
    .replace(/\/\/[^/]*@/, "//")
    .replace(/^([^/]*\/\/[^/]*).*$/s, "$1");
}
