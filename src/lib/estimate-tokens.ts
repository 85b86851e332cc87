/** The ratio for JSON with English texts. Providers do not publish theirs, so estimates are compared rather than billed. */
const CHARS_PER_TOKEN = 4;

export const estimateTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
