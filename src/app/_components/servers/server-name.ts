/** The segment as it was before it was encoded; null for what nobody encoded. */
export function nameInSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
