/** The ratio for JSON with English texts. Providers do not publish theirs, so estimates are compared rather than billed. */
const CHARS_PER_TOKEN = 4;

export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
