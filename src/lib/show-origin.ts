/** An address as users see it who do not administer its target: keys may be in the parts that are left out. */
export function showOrigin(address: string): string {
  if (URL.canParse(address)) return new URL(address).origin;
  return address
    .replace(/[?#].*$/s, "")
    .replace(/\/\/[^/]*@/, "//")
    .replace(/^([^/]*\/\/[^/]*).*$/s, "$1");
}
